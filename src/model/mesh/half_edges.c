// See half_edges.h.
#include "model/mesh/half_edges.h"

#include <stdlib.h>

static int compare(const void* a, const void* b) {
  const ChHalfEdge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

ChHalfEdge* ch_half_edges(ChArena* arena, int triangle_count, const int* triangles) {
  int count = 3 * triangle_count;
  ChHalfEdge* halves = CH_TAKE(arena, count, ChHalfEdge);
  for (int k = 0; k < count; ++k) {
    int from = triangles[k], to = triangles[k % 3 == 2 ? k - 2 : k + 1];
    halves[k] = (ChHalfEdge){from < to ? from : to, from < to ? to : from, k, from < to};
  }
  if (count > 0) qsort(halves, (size_t)count, sizeof *halves, compare);
  return halves;
}
