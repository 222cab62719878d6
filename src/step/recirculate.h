// What sank below comes back above (cardhouse/recirculation.h), at the end of a step.
#ifndef CH_STEP_RECIRCULATE_H
#define CH_STEP_RECIRCULATE_H

#include "step/state.h"

// The energy that it takes is work of the step in `info`, and the other figures there are those afterwards. Where
// memory is short bodies wait for the next step.
void ch_recirculate(ChSimulation* simulation, ChStepInfo* info);

#endif
