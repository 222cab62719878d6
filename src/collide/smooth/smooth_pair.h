// What the files of the smooth pairs share: convex shapes in space by their support, and the direction of their gap.
//
// Coordinates: world axes, origin in the frame of shape a.
#ifndef CH_COLLIDE_SMOOTH_SMOOTH_PAIR_H
#define CH_COLLIDE_SMOOTH_SMOOTH_PAIR_H

#include "collide/pairs.h"

ChSmooth ch_smooth_of(const ChPosed* posed, ChVec3 origin);

// The point farthest along a unit direction.
ChVec3 ch_smooth_support(const ChSmooth* s, ChVec3 direction);

// Separation s(n) = n . (p_B(-n) - p_A(n)) along a unit vector from a to b.
double ch_smooth_separation(const ChSmooth* a, const ChSmooth* b, ChVec3 n);

// The direction of the largest separation: the signed gap is the separation along it. Anything above `enough` may
// stand for "more than enough".
typedef struct ChSmoothAxis {
  ChVec3 normal;
  double gap;
} ChSmoothAxis;
ChSmoothAxis ch_smooth_axis(const ChSmooth* a, const ChSmooth* b, double enough);

// The best of a direction and the normals of flat parts near it.
ChSmoothAxis ch_smooth_flatten(const ChSmooth* a, const ChSmooth* b, ChVec3 start);

// Climbs from a direction near a maximum of the separation to the maximum itself.
ChSmoothAxis ch_smooth_sharpen(const ChSmooth* a, const ChSmooth* b, ChVec3 start);

#endif
