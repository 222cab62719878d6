// Edges of triangles as pairs of half-edges, for whoever looks for neighbours.
#ifndef CH_MODEL_MESH_HALF_EDGES_H
#define CH_MODEL_MESH_HALF_EDGES_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct ChHalfEdge {
  int low, high;  // its vertices
  int place;      // triangle * 3 + corner where it begins
  bool forward;   // from low to high
} ChHalfEdge;

// All of them, those of one edge next to each other, by place.
ChHalfEdge* ch_half_edges(ChArena* arena, int triangle_count, const int* triangles);

// Where the half-edges of the next edge begin.
static inline int ch_half_edges_next(const ChHalfEdge* halves, int count, int from) {
  int next = from + 1;
  while (next < count && halves[next].low == halves[from].low && halves[next].high == halves[from].high) ++next;
  return next;
}

#endif
