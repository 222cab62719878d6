// A skin against itself: every vertex and the nearest triangle of the same skin that looks at it.
//
//   m . n < - FACING           m: way out at the vertex, n: normal of the triangle
//   h = n . (y - p)            height of the vertex over the triangle
//   h >= 0                     it is before the triangle: a gap
//   h < 0, |y - foot| <= d/2   it is behind it: an overlap;  d: how thick the body is there at rest
//
// Nearly everything that is near a vertex is its own neighbourhood, which faces as it does, and the far side of its own
// body, which looks away from it by m . n < 0, too, but is d behind. What lies behind by less than half of that has
// come from outside.
#ifndef CH_COLLIDE_SKIN_SELF_TOUCH_H
#define CH_COLLIDE_SKIN_SELF_TOUCH_H

#include "collide/pairs.h"
#include "collide/skin/skin.h"

// Of each vertex: how deep something may be behind a triangle that it looks at and still come from outside.
double* ch_self_depths(ChArena* arena, const ChSkinTree* tree);

// Lists the points of a skin that are nearer to itself than the margin, as a pair of the shape with itself.
void ch_pair_soft_self(const ChPosed* shape, const double* depths, double margin, ChManifold* out);

#endif
