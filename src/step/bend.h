// Contacts bend. Over a step a gap changes by what its normal's speed says, and by what turning adds to that:
//
//   Phi(q+) = Phi(q) + h u_n + bend,      bend = O(h^2): r a^2 / 2 of a feature that turns by a about an arm r
//
// A try of a step that ends too deep knows the bends of what overlaps there. The same step is tried once more with
// Phi + bend in place of Phi, as in Newton's method; only what ends too deep even then is taken in halves.
#ifndef CH_STEP_BEND_H
#define CH_STEP_BEND_H

#include "assemble/rows.h"

typedef struct ChGapBend {
  int shape[2];
  uint64_t key;
  double by;  // metres, negative: deeper than the normal's speed said
} ChGapBend;

typedef struct ChBends {
  ChGapBend* list;
  int count, room;
  double h;      // of the try that found them
  bool waits;    // for a second try
  bool applied;  // this try is the second
} ChBends;

// At the start of a try of length h: gaps, which are sorted, get the bends that wait for a step as long as this.
void ch_bends_apply(ChBends* bends, double h, ChGap* gaps, int count);

// After a first try: finds the bends of those of `gaps`, at its end, that overlap and that its moment had. Returns
// whether there are any; then they wait.
bool ch_bends_find(ChBends* bends, const ChMoment* moment, const ChBodyState* end, const ChGap* gaps, int count,
                   double h);

#endif
