// Collisions with restitution.
#ifndef CH_STEP_IMPACT_H
#define CH_STEP_IMPACT_H

#include "step/state.h"

// Collisions with restitution before the step itself; velocities of `states` change.
ChStatus ch_impacts_resolve(ChContext* context, ChSimulation* s, const ChMoment* moment, double h, ChStepInfo* info);

#endif
