// The next point of a costly fixed-point iteration x <- g(x): damped, accelerated, and safeguarded.
//
//   plain        x + damping (g - x)
//   accelerated  Anderson over the last `depth` points
//
// An image is worth a whole convex solve, so that an extrapolation is judged by the error one iteration later: where it
// has grown tenfold the iteration goes back to the plain image of the last good point and the memory is emptied. Some
// iterations converge only without acceleration and some only with it: an accelerated stretch without progress is
// followed by a plain one, and that by an accelerated one again, each from the best point and twice as long as the
// last.
#ifndef CH_SOLVE_FIXED_POINT_H
#define CH_SOLVE_FIXED_POINT_H

#include <stdbool.h>

#include "linalg/anderson.h"

typedef struct ChFixedPoint {
  int n;
  double damping;
  int patience;          // iterations without progress that count as a stall
  ChAnderson* anderson;  // NULL: plain for good
  bool accelerated;      // now
  bool extrapolated;     // x came from an extrapolation
  double *kept, *best;   // plain images of the last good point and of the best one
  double reference;      // error of the last good point
  double lowest;         // smallest error when it last fell by a tenth
  int waited;            // iterations since
  int stretch,
      used;  // iterations before the next change, and those used up; progress with acceleration gives them back
} ChFixedPoint;

ChFixedPoint ch_fixed_point_create(ChArena* arena, int n, int depth, double damping, int patience);

// x and its image g with the error seen at g; writes the next x. False when the iteration has stalled: the smallest
// error has not fallen by a tenth in `patience` iterations.
bool ch_fixed_point_next(ChFixedPoint* f, double error, const double* g, double* x);

#endif
