// A problem in global form that its maker writes in place: for assembly, which knows the order of everything. No lists
// of entries, no sorting, and bodies stay together even where M does not couple their degrees of freedom.
#ifndef CH_PROBLEM_OPEN_PROBLEM_H
#define CH_PROBLEM_OPEN_PROBLEM_H

#include "problem/contact_problem.h"

typedef struct ChProblemSizes {
  int dimension, block_count, rows, dof;
  long M_room, H_room;  // most entries
  int curve_count;      // of friction over speed, which blocks name; not copied: they outlive it
  const ChFrictionCurve* curves;
} ChProblemSizes;

// Takes all arrays, with starts of columns at zero. To be written then: blocks, w, f, H and, unless it is given here as
// a list, M; columns with their rows ascending.
ChStatus ch_problem_open(ChContext* context, const ChProblemSizes* sizes, const ChTriplets* M, ChProblem** out);

// Checks what was written and completes it; a problem that is refused is destroyed. body[j]: as in ChProblemDef.
// finite: that the entries of H are was seen when they were written.
ChStatus ch_problem_close(ChContext* context, ChProblem* problem, const int* body, bool finite);

#endif
