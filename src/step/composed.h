// Steps that are made of others, one of them backwards in time (fourth_order.c). A step back over h is a step ahead
// over h with all velocities turned round, if nothing depends on time and nothing is lost.
#ifndef CH_STEP_COMPOSED_H
#define CH_STEP_COMPOSED_H

#include "step/integrator.h"
#include "step/state.h"

// Refuses what does not run backwards: contacts, damping, friction, drives, limits, what depends on time.
ChStatus ch_composed_check(ChContext* context, const ChSimulationOptions* options, const ChWorld* world);

// One step that ends at `end`.
ChStatus ch_composed_step(ChContext* context, ChSimulation* s, double end, ChStepInfo* info);

#endif
