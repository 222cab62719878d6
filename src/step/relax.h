// An island whose overlaps oppose each other is relaxed: see tight_fit.h for by how much. It is looked for where bodies
// are new or were relaxed in the last step, before the island is solved, and where a solve misses its tolerance.
#ifndef CH_STEP_RELAX_H
#define CH_STEP_RELAX_H

#include "step/island_run.h"

enum { CH_LOOK_FIRST = 0x80 };  // a bit of ChStage.unsure: the island is looked at before it is solved

// Adds to the w of the island's problem, once; `relaxed` of the island is the largest s then, and 0 where nothing is in
// the way. What the solver makes of it within `work` and the time that the step has left is not an error.
void ch_relax_island(ChIslandRun* island, double work);

// The same at the beginning, where the last step or the lack of one says so.
void ch_relax_at_first(ChIslandRun* island);

#endif
