// Positions onto the constraints.
#ifndef CH_STEP_PROJECTION_H
#define CH_STEP_PROJECTION_H

#include "step/state.h"

// Positions onto the constraints after a step (B5).
ChStatus ch_positions_project(ChContext* context, ChSimulation* s, ChStepInfo* info);

// One round of it: `miss` is by how much the worst contact or joint is off now, in metres or radian, and where that is
// above `tight` bodies are moved.
ChStatus ch_positions_round(ChContext* context, ChSimulation* s, double time, double tight, double* miss,
                            long* iterations);

#endif
