// Signed distance of a point to the shapes that are no polytopes: sphere, capsule, cylinder, ellipsoid.
#ifndef CH_COLLIDE_ROUND_ROUND_DISTANCE_H
#define CH_COLLIDE_ROUND_ROUND_DISTANCE_H

#include "model/mesh/distance_field.h"
#include "model/world.h"

// Distance and outward normal at a point of the shape's frame. In a centre, where no direction stands out, the normal
// is a fixed one.
ChFieldPoint ch_round_distance(const ChShape* shape, ChVec3 x);

#endif
