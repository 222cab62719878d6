// What the files of the plane pairs share.
#ifndef CH_COLLIDE_PLANE_PLANE_PAIRS_H
#define CH_COLLIDE_PLANE_PLANE_PAIRS_H

#include "collide/pairs.h"

// Signed distance of a point to a polygon, in the polygon's frame, with the outward normal at the closest place: on a
// side (or inside of the polygon), or at a corner.
typedef struct ChPlaneFoot {
  double distance;
  ChVec3 normal;
  int side, vertex;  // one of them is -1
} ChPlaneFoot;
ChPlaneFoot ch_plane_foot(const ChPolytope* polygon, ChVec3 point);

// The point of a disk, ellipse or polygon farthest along a unit direction of the world.
ChVec3 ch_plane_support(const ChPosed* shape, ChVec3 direction);

// The direction from a to b of the largest separation of two convex shapes of which a is smooth, among directions at
// angles within [low, high] (radian, world).
typedef struct ChPlaneAxis {
  ChVec3 normal;
  double gap;
} ChPlaneAxis;
ChPlaneAxis ch_plane_axis(const ChPosed* a, const ChPosed* b, double low, double high);

#endif
