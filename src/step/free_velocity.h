// The velocity that goes with a momentum.
#ifndef CH_STEP_FREE_VELOCITY_H
#define CH_STEP_FREE_VELOCITY_H

#include "step/state.h"

// Velocity of a body with this momentum that nothing but its locks holds; both width numbers.
void ch_free_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* momentum,
                      double* velocity);

#endif
