// One leaf of a skin against another shape: what of it touches.
//
// Against a rigid shape the places of the skin are listed at which its distance d to that shape can be least:
//
//   every vertex with d <= margin;
//   the lowest point inside an edge of the skin, where d falls at one end and rises at the other;
//   of a round shape the lowest point inside a triangle: the one farthest along - n that lies over the triangle.
//
// Two skins meet with the vertices of each, and the lowest points inside the sharp edges of one, against the triangles
// of the other.
#ifndef CH_COLLIDE_SKIN_SKIN_TOUCH_H
#define CH_COLLIDE_SKIN_SKIN_TOUCH_H

#include "collide/closing_speed.h"
#include "collide/mesh/sampling.h"
#include "collide/skin/skin_front.h"
#include "collide/smooth/smooth_pair.h"

// Feet of vertices: leaves share vertices, and ask again.
enum { CH_SKIN_SEEN = 128 };
typedef struct ChSkinSeen {
  int vertex[CH_SKIN_SEEN];  // plus one
  ChProbeFoot foot[CH_SKIN_SEEN];
} ChSkinSeen;

typedef struct ChSkinWalk {
  ChSampling sampling;  // its margin is that of the leaf at hand
  ChClosing closing;
  ChSkinFront* front;  // where the other one is a skin
  ChSkinPart part;     // that the leaf at hand may touch
  ChSkinSeen* seen;    // where the other one is convex, or a skin
  double swing;        // of this leaf
  bool inside;         // this leaf is inside of the other, and far from all of it
  const ChSkin* skin;
  bool faces;             // the probe wants to know where samples face
  bool edges;             // inner points of all edges count too
  bool sharp;             // inner points of sharp ones do
  const ChSmooth* round;  // what the skin meets, in the skin's frame; NULL where it has corners or is a skin
  double pierced;         // a triangle of this leaf that one thin and round sticks through is so far from it at most
} ChSkinWalk;

// Lists what of a leaf touches within the margin.
void ch_skin_touch_leaf(ChSkinWalk* walk, const ChSkinNode* leaf);

// Whether anything of a leaf is nearer than the margin, or inside of the other skin: then the part of that skin is what
// is near, and the walk knows whether it is inside.
bool ch_skin_leaf_is_near(ChSkinWalk* walk, const ChSkinNode* leaf);

#endif
