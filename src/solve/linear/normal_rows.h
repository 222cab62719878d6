// The rows of H along normals by themselves. A contact without reaction is violated where its normal velocity is
// negative and nowhere else (but in pose relaxed), so that a method that looks for violated ones reads a third of H.
#ifndef CH_SOLVE_LINEAR_NORMAL_ROWS_H
#define CH_SOLVE_LINEAR_NORMAL_ROWS_H

#include "system/system.h"

typedef struct ChNormalRows {
  const ChBodies* bodies;
  int n;     // blocks
  long* at;  // where the row of an entry of `bodies` begins
  double* row;
} ChNormalRows;

// First rows of all blocks of a system with bodies.
ChNormalRows ch_normal_rows(ChArena* arena, const ChSystem* s);

// Normal velocity of block i from velocities v of the bodies that `moves` marks.
double ch_normal_velocity(const ChNormalRows* n, int i, const double* v, const unsigned char* moves);

// Of all blocks from velocities v of all bodies.
void ch_normal_velocities(const ChNormalRows* n, const double* v, double* out);

#endif
