// What no contact problem sees: bodies that passed through each other in a step, or met where nobody had looked.
//
// Contacts are looked for where bodies will be if they go on as they did. A body that is hit goes elsewhere, and one
// that turns far meets things with parts of it that were far away. So the motion that the solve leads to is looked at
// once more, before anything is kept. A body is looked at where
//
//   it moves by more than half its width, turning included                            it might be through, or
//   it moves further than the half margin beyond the way that it was seen to go       u, the rest, is not covered
//
// and of each pair with such a body, along the way that it really takes (collide/sweep.h):
//
//   passed   the two come deeper into each other than a quarter of their half widths
//   late     they end the step overlapping by more than a thousandth of the smaller one, were no contact, and u > 0
//
// Where nothing is in the way nobody needs a contact, and the motion is covered.
#ifndef CH_STEP_PASSING_H
#define CH_STEP_PASSING_H

#include "assemble/rows.h"
#include "step/state.h"

typedef struct ChPassing {
  bool met;          // some pair passed or came late
  double uncovered;  // the largest motion, metres, that led to it: of a pair that passed what it moved after it met, of
                     // one that came late, u
} ChPassing;

// Leaves gaps out that close along their normals in the step, are above the margin, and whose shapes, faster than their
// half widths a step, do not meet: they fly past each other. Judged by the motion without contacts; what another
// contact changes of it is seen afterwards.
void ch_passing_leave_out(ChSimulation* s, ChMoment* moment, double h, double margin);

// Whether the gaps of a step are seen from too far away: a normal from farther off than the size of the smaller body
// says little of how the two will meet. Planes look the same from everywhere.
bool ch_passing_is_far(const ChMoment* moment, double margin);

// Whether some body of this process moves so far that the motion is to be looked at. What stands and falls does not.
bool ch_passing_is_looked_at(const ChSimulation* s, const ChBodyState* end, double margin);

// `end`: states at the end of the step, modes apart, of which nothing else is read than where rigid bodies are.
ChStatus ch_passing_look(ChContext* context, ChSimulation* s, const ChMoment* moment, const ChBodyState* end, double h,
                         double margin, ChPassing* out);

#endif
