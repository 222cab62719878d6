// Overlaps at the end of a step, before it is kept.
//
// Contacts are linearised where the step begins; what has turned or gone round a corner meanwhile overlaps by O(h^2).
// A pair that ends deeper than the tolerance, and deeper than it began, is cause to take the step in halves.
#ifndef CH_STEP_END_GAPS_H
#define CH_STEP_END_GAPS_H

#include "assemble/rows.h"
#include "step/state.h"

// Metres; infinite where nobody looks. The option, or a hundredth of the margin in a world of space with meshes, or
// with something thinner than the margin; then a pair of small bodies has less, see SIZE_SHARE.
double ch_end_gap_tolerance(const ChSimulation* s, double margin);

// `deepest`: the largest overlap at the end. `deeper`: whether a pair overlaps by more than the tolerance and than at
// the beginning. `bends`: whether a second try of the same length h waits (bend.h). The gaps of `moment` must not be
// the collider's own: these are overwritten.
ChStatus ch_end_gaps_look(ChContext* context, ChSimulation* s, const ChMoment* moment, const ChBodyState* end, double h,
                          double tolerance, double* deepest, bool* deeper, bool* bends);

#endif
