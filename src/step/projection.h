// Positions onto the constraints.
#ifndef CH_STEP_PROJECTION_H
#define CH_STEP_PROJECTION_H

#include "step/state.h"

// Positions onto the constraints after a step (B5).
ChStatus ch_positions_project(ChContext* context, ChSimulation* s, ChStepInfo* info);

#endif
