// Distance of two disjoint convex sets known by their support points alone.
//
//   d = min |b - a| over a in A, b in B = the distance of the origin from B - A
//
// (Gilbert, Johnson, Keerthi 1988): a simplex of at most four points of B - A walks towards the origin; its nearest
// point is found by trying every face, which is slow per step and never wrong.
#ifndef CH_COLLIDE_CONVEX_DISTANCE_H
#define CH_COLLIDE_CONVEX_DISTANCE_H

#include <stdbool.h>

#include "base/vector.h"

// The point of a set farthest along `direction` (world axes). `hint` is the caller's to keep between calls.
typedef ChVec3 (*ChSupportFn)(const void* set, ChVec3 direction, int* hint);

typedef struct ChConvexSet {
  const void* set;
  ChSupportFn support;
} ChConvexSet;

typedef struct ChClosest {
  bool apart;       // false: the sets meet, within rounding of `size`
  double distance;  // a lower bound that the walk proved, within `tolerance` of the upper one
  ChVec3 normal;    // from a to b
  ChVec3 a, b;
} ChClosest;

// `start`: a direction from A to B, as good as it is known. Stops once the distance is known to be above `enough`.
// `size`: of the smaller set; rounding and `tolerance` are measured by it.
ChClosest ch_convex_distance(ChConvexSet a, ChConvexSet b, ChVec3 start, double enough, double size, double tolerance);

#endif
