// Certified rest of an island: v = 0 is put in where (r, 0) passes the certificate itself, balance included.
// docs/rest.md.
#ifndef CH_STEP_REST_H
#define CH_STEP_REST_H

#include "step/island_run.h"

// Takes rest where it passes with the reactions at hand: then the certificate is that of rest, and the stage knows.
bool ch_rest_take(ChContext* context, ChIslandRun* island);

// Whether every body of the island stood still before this step: then the last reactions may serve once more.
bool ch_rest_stood_still(const ChIslandRun* island);

// After a solve: rest where it passes. What moves by little more than the tolerance leaves room for may only seem to
// move: reactions with more digits tell.
void ch_rest_settle(ChContext* context, ChIslandRun* island, const ChSolveOptions* options);

#endif
