// The next point of a costly fixed-point iteration x <- g(x): damped, accelerated, and safeguarded.
//
//   plain        x + damping (g - x)
//   accelerated  Anderson over the last `depth` points (0: plain)
//
// An image is worth a whole convex solve, so that an extrapolation is judged by the error one iteration later: where it
// has grown tenfold the iteration goes back to the plain image of the last good point and the memory is emptied.
#ifndef CH_SOLVE_FIXED_POINT_H
#define CH_SOLVE_FIXED_POINT_H

#include <stdbool.h>

#include "linalg/anderson.h"

typedef struct ChFixedPoint {
  int n;
  double damping;
  ChAnderson* anderson;  // NULL: plain
  double* kept;          // plain image of the last good point
  double reference;      // its error
  bool extrapolated;     // x came from an extrapolation
  double best;           // smallest error when it last fell by a tenth
  int patience;          // iterations without progress that count as a stall
  int waited;            // iterations since
} ChFixedPoint;

ChFixedPoint ch_fixed_point_create(ChArena* arena, int n, int depth, double damping, int patience);

// x and its image g with the error seen at g; writes the next x. False when the iteration has stalled: the smallest
// error has not fallen by a tenth in `patience` iterations.
bool ch_fixed_point_next(ChFixedPoint* f, double error, const double* g, double* x);

#endif
