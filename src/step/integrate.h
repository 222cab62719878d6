// A step from beginning to end.
#ifndef CH_STEP_INTEGRATE_H
#define CH_STEP_INTEGRATE_H

#include "step/state.h"

// One step of the integrator that the options name, of length h; advances states and fills info. `half_step`: see
// ledger.c. CH_MAX_ITER: the step missed, and what s->trial wants undone is as it was but for the states.
ChStatus ch_step_make(ChContext* context, ChSimulation* s, double h, double* half_step, ChStepInfo* info);

#endif
