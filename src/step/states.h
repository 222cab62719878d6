// States of bodies as numbers.
#ifndef CH_STEP_STATES_H
#define CH_STEP_STATES_H

#include "step/state.h"

// Velocity of a body as width numbers, and back.
void ch_state_read(const ChWorld* world, const ChBodyState* state, double* v);
void ch_state_write(const ChWorld* world, const double* v, ChBodyState* state);
// Refuses states with a number that is not finite, or so large that positions mean nothing any more.
ChStatus ch_states_check(ChContext* context, const ChWorld* world, const ChBodyState* states, long step);

#endif
