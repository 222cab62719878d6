// The segregation index: see segregation.h.
#include "measure/segregation.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"

typedef struct Rank {
  double at;
  int grain;
} Rank;

static int by_place(const void* a, const void* b) {
  const Rank *p = a, *q = b;
  return p->at != q->at ? (p->at > q->at) - (p->at < q->at) : (p->grain > q->grain) - (p->grain < q->grain);
}

double ch_segregation_index_in(ChArena* arena, const ChGrains* g, int axis) {
  if (g->species_count < 2) return NAN;
  ChArenaMark mark = ch_arena_mark(arena);
  Rank* ranks = CH_TAKE(arena, g->count, Rank);
  double whole = 0.0, below = 0.0, volume[2] = {0}, sum[2] = {0};
  for (int k = 0; k < g->count; ++k) {
    ranks[k] = (Rank){ch_component(g->at[k], axis), k};
    whole += g->volume[k];
  }
  qsort(ranks, (size_t)g->count, sizeof *ranks, by_place);
  for (int k = 0; k < g->count; ++k) {
    int grain = ranks[k].grain, large = g->species[grain] == g->species_count - 1;
    double v = g->volume[grain];
    sum[large] += v * (below + 0.5 * v) / whole;
    volume[large] += v;
    below += v;
  }
  ch_arena_release(arena, mark);
  return volume[0] > 0.0 && volume[1] > 0.0 ? 2.0 * (sum[1] / volume[1] - sum[0] / volume[0]) : NAN;
}
