// The rows of H along normals by themselves. A contact without reaction is violated where its normal velocity is
// negative and nowhere else (but in pose relaxed), so that a method that looks for violated ones reads a third of H.
#ifndef CH_SOLVE_NORMAL_ROWS_H
#define CH_SOLVE_NORMAL_ROWS_H

#include "linalg/dot.h"
#include "problem/system.h"

typedef struct ChNormalRows {
  const ChBodies* bodies;
  long* at;  // where the row of an entry of `bodies` begins
  double* row;
} ChNormalRows;

// First rows of all blocks of a system with bodies.
static inline ChNormalRows ch_normal_rows(ChArena* arena, const ChSystem* s) {
  const ChBodies* b = s->bodies;
  ChNormalRows n = {.bodies = b, .at = CH_TAKE_RAW(arena, b->start[s->n] + 1, long)};
  n.at[0] = 0;
  for (int k = 0; k < b->start[s->n]; ++k) n.at[k + 1] = n.at[k] + b->dim[b->body[k]];
  n.row = CH_TAKE_RAW(arena, n.at[b->start[s->n]], double);
  for (int i = 0; i < s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      double* row = n.row + n.at[k];
      for (int x = 0; x < b->dim[b->body[k]]; ++x) row[x] = H[x * s->dim[i]];
    }
  return n;
}

// Normal velocity of block i from velocities v of the bodies that `moves` marks (NULL: of all).
static inline double ch_normal_velocity(const ChNormalRows* n, int i, const double* v, const unsigned char* moves) {
  const ChBodies* b = n->bodies;
  double sum = 0.0;
  for (int k = b->start[i]; k < b->start[i + 1]; ++k)
    if (!moves || moves[b->body[k]]) sum += ch_dot_lanes(b->dim[b->body[k]], n->row + n->at[k], v + b->row[b->body[k]]);
  return sum;
}

#endif
