// The contact problem of a step, all islands together.
#ifndef CH_STEP_WHOLE_PROBLEM_H
#define CH_STEP_WHOLE_PROBLEM_H

#include "step/state.h"

// Impulses of the last step in the order of the rows of ch_simulation_problem.
void ch_simulation_reactions(const ChSimulation* simulation, int rows, double* r);

#endif
