// The Delassus form of a problem for the peers: u = W r + q. A local problem is in it already.
#ifndef CH_BENCH_CONDENSE_H
#define CH_BENCH_CONDENSE_H

#include "base/arena.h"
#include "cardhouse/problem.h"

typedef struct ChCondensed {
  ChSparse W;
  double* q;
  ChArena* arena;  // owns what is not the problem's own
} ChCondensed;

ChStatus ch_condense(ChContext* context, const ChProblem* problem, ChCondensed* out);
void ch_condensed_destroy(ChCondensed* condensed);

#endif
