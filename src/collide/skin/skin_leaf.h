// The triangles of one leaf of a deformed skin, side by side: from a point to all of them at once, in single precision.
//
// With a corner p, the edges e and f that begin there and a = x - p, the foot on the plane is p + u e + v f,
//
//   (u, v) = [ff -ef; -ef ee] (a.e, a.f) / |e x f|^2,
//
// and where it is outside of the triangle the nearest point is on an edge. Figures are good to about 1e-6 of the leaf's
// size and the point's distance from it (ch_skin_leaf_slack): they say which triangles are worth an exact look, and
// nothing else.
#ifndef CH_COLLIDE_SKIN_SKIN_LEAF_H
#define CH_COLLIDE_SKIN_SKIN_LEAF_H

#include "collide/skin/skin_tree.h"

enum { CH_LEAF_ROWS = 18 };  // p - middle, e, f, unit normal, the matrix above, 1 / ee, 1 / ff, 1 / gg

typedef struct ChSkinLeaf {
  ChVec3 middle;  // of the box that holds them
  double size;    // half the box's diagonal
  float lanes[CH_LEAF_ROWS][CH_SKIN_LEAF];
} ChSkinLeaf;

// `count` triangles by their corners, three a triangle, in a list of vertices; lanes beyond repeat the first. The box
// holds the vertices.
void ch_skin_leaf_fill(int count, const uint8_t* corners, const ChVec3* vertices, const ChBox3* box, ChSkinLeaf* leaf);

// Squares of the distances of x.
void ch_skin_leaf_distances(const ChSkinLeaf* leaf, ChVec3 x, float distance2[CH_SKIN_LEAF]);
// Cosines of the triangles' normals to a unit vector.
void ch_skin_leaf_facing(const ChSkinLeaf* leaf, ChVec3 outward, float cosine[CH_SKIN_LEAF]);

// No triangle is nearer than this, nor much farther all of them.
double ch_skin_leaf_nearest(const ChSkinLeaf* leaf, ChVec3 x);

// By how much a distance of about d may be off.
static inline double ch_skin_leaf_slack(const ChSkinLeaf* leaf, double d) { return 4e-6 * (d + 2.0 * leaf->size); }

#endif
