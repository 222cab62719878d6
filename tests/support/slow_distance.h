// The signed gap of two convex shapes, slowly and independently of src/collide/.
//
// With the support h_X(n) = max over X of n . x, two convex sets are separated along the unit vector n by
//
//   s(n) = - h_A(n) - h_B(-n),        gap = max over |n| = 1 of s(n):
//
// the distance when they are apart, minus the length of the shortest translation that parts them when they overlap. The
// difference B - A is approximated from inside by the hull (qhull) of support points, which are added until the bounds
// meet. Spheres and capsules are cores with a radius, which is exact.
#ifndef CH_TESTS_SLOW_DISTANCE_H
#define CH_TESTS_SLOW_DISTANCE_H

#include "collide/pairs.h"

typedef struct ChSlowGap {
  double gap;     // upper bound, met up to `slack`
  double slack;   // upper minus lower bound
  ChVec3 normal;  // from a to b, unit: s(normal) is the lower bound
} ChSlowGap;

// A shape with its frame, ready for a pair routine or for the functions below.
ChPosed ch_posed(const ChShape* shape, ChFrame frame);

// max of direction . x over the shape (direction need not be unit); any convex shape of space or plane, no half-space.
double ch_slow_support(const ChPosed* shape, ChVec3 direction);

// s(n) along a unit vector from a to b; a half-space has its own normal only (elsewhere - infinity).
double ch_slow_separation(const ChPosed* a, const ChPosed* b, ChVec3 n);

// Either may be a half-space, not both.
ChSlowGap ch_slow_gap(const ChPosed* a, const ChPosed* b);

#endif
