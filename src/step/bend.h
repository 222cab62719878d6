// Contacts bend. Over a step a gap changes by what its normal's speed says, and by what turning adds to that:
//
//   Phi(q+) = Phi(q) + h u_n + bend,      bend = O(h^2): r a^2 / 2 of a feature that turns by a about an arm r
//
// A try of a step that ends too deep knows the bends of what overlaps there. The same step is tried once more with
// Phi + bend in place of Phi, as in Newton's method; only what ends too deep even then is taken in halves. The second
// try sees the same places from the same states: it has the gaps of the first, and starts with its reactions.
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
  ChGap* gaps;   // of the first try, as it saw them
  int gap_count, gap_room;
  double* r;  // what it found
  int row_count, row_room;
} ChBends;

void ch_bends_free(ChBends* bends);

// Whether a try of length h has the gaps that the one before it found.
bool ch_bends_has_gaps(const ChBends* bends, double h);

// At the start of a try of length h: gaps, which are sorted, get the bends that wait for a step as long as this.
void ch_bends_apply(ChBends* bends, double h, ChGap* gaps, int count);

// What the first try found, for the second: reactions of all rows. False: there is no memory, and it starts as the
// first did.
bool ch_bends_keep_reactions(ChBends* bends, const double* r, int count);
// Of a second try: r <- what the first one found, if it had as many rows.
void ch_bends_recall(const ChBends* bends, double* r, int count);

// After a first try: finds the bends of those of `gaps`, at its end, that overlap and that its moment had. Returns
// whether there are any; then they wait.
bool ch_bends_find(ChBends* bends, const ChMoment* moment, const ChBodyState* end, const ChGap* gaps, int count,
                   double h);

#endif
