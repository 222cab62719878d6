// Solves under a limit: each island gets its share of the time and the work that a step has left, and what solves and
// braking take is learnt from step to step.
#ifndef CH_STEP_HASTE_H
#define CH_STEP_HASTE_H

#include "step/island_run.h"

enum { CH_CHEAP_ROWS = 3000 };  // an iteration on a larger island costs more than it is likely to save

// The solve itself, in the island's share of what the step has left of its time; and of its work, of which the rest is
// for a safe end. `options` comes back with what is then left of both.
ChStatus ch_haste_solve(ChContext* context, ChIslandRun* island, ChSolveOptions* options);

// What an island saw is taken into what the stage knows.
void ch_haste_learn(ChStage* stage, const ChIslandRun* island);

#endif
