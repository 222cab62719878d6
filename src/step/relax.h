// An island whose overlaps oppose each other is relaxed, in two ways (tight_fit.h says what s is):
//
//   shared   without friction no velocity undoes them all: what can be had, w + s, is asked for, a tenth of it a step,
//   so
//            that overlaps approach their least squares and nobody gains energy on the way
//   held     they could be undone but for friction, as those of a wedge or of an arch between abutments: contacts with
//   a
//            share in s are asked for nothing, and again until there is none. Where that takes too long no contact of
//            the island is
//
// Both are looked for before the island is solved, where bodies are new or were relaxed in the last step. What was
// shared is held only where the solve misses its tolerance: Coulomb's law asks for less than K*.
#ifndef CH_STEP_RELAX_H
#define CH_STEP_RELAX_H

#include "step/island_run.h"

// Bits of ChStage.unsure: the island is looked at before it is solved; it was held in the last step.
enum { CH_LOOK_FIRST = 0x80, CH_LOOK_HELD = 0x40, CH_LOOK = CH_LOOK_FIRST | CH_LOOK_HELD };

// Before the solve, where the last step or the lack of one says so. Adds to the w of the island's problem; `relaxed` of
// the island is by how much at most, 0 where nothing is in the way.
void ch_relax_at_first(ChIslandRun* island);

// After a solve that missed, with this much work: whether w changed.
bool ch_relax_missed(ChIslandRun* island, double work);

#endif
