// What the files of the polytope pair share. Coordinates: world axes, origin in the frame of shape a, so that
// a scene far from the origin of the world loses no digits.
//
// The signed gap of convex sets is the largest separation over all directions,
//
//   s(n) = min_B n . x - max_A n . x,      gap = max s(n) over |n| = 1,
//
// negative where they overlap (then -gap is the smallest translation that parts them).
#ifndef CH_COLLIDE_POLYTOPE_POLYTOPE_PAIR_H
#define CH_COLLIDE_POLYTOPE_POLYTOPE_PAIR_H

#include "collide/pairs.h"

typedef struct ChSolid {
  const ChPolytope* polytope;
  ChMat3 turn;
  ChVec3 at;
  ChVec3 half;  // box
  bool box;
} ChSolid;

typedef struct ChSolidPair {
  ChSolid a, b;
  ChVec3 origin;
  double size;   // of the smaller one: the unit of all tolerances
  double touch;  // features nearer than this count as touching
  double margin;
  bool plane;  // polygons: faces are sides, edges do not exist
} ChSolidPair;

// Where two features are nearer than this part of the size their common normal may not be unique: it is then the
// centre of all admissible ones. Far above rounding and the drift of a run, far below what can be seen.
#define CH_SOLID_TOUCH 1e-6

static inline ChVec3 ch_solid_vertex(const ChSolid* s, int v) {
  return ch_add(s->at, ch_mat_apply(&s->turn, s->polytope->vertices[v]));
}
static inline ChVec3 ch_solid_normal(const ChSolid* s, int f) {
  return ch_mat_apply(&s->turn, s->polytope->normals[f]);
}
static inline double ch_solid_offset(const ChSolid* s, int f, ChVec3 normal) {
  return s->polytope->offsets[f] + ch_dot(normal, s->at);
}
int ch_solid_support(const ChSolid* s, ChVec3 direction, int hint);
// max n . x over the solid.
double ch_solid_reach(const ChSolid* s, ChVec3 direction, int* hint);

typedef struct ChSeparatingAxis {
  ChVec3 normal;  // from a to b
  double gap;     // s(normal)
} ChSeparatingAxis;

// The best separating direction among face normals and products of edges: the signed gap itself where the solids
// overlap or touch, a lower bound of it where they are apart.
ChSeparatingAxis ch_solid_axis_boxes(const ChSolidPair* pair);
ChSeparatingAxis ch_solid_axis_hulls(const ChSolidPair* pair);
// The signed gap where the solids are apart; `start` is a direction to begin with.
ChSeparatingAxis ch_solid_axis_apart(const ChSolidPair* pair, ChVec3 start);

// Adds every corner of the overlap of the facing faces, seen along the normal, with its own gap if that is within the
// margin. Returns the smallest gap of a corner that is in both faces up to rounding, infinite without one.
double ch_solid_points(const ChSolidPair* pair, ChVec3 normal, ChManifold* out);

// Everything above in turn: what the pair routines of polyhedra and of polygons are.
void ch_solid_collide(const ChPosed* a, const ChPosed* b, bool plane, double margin, ChManifold* out);

// The centre of the normals that the solids' features admit at the points added since `first`; `axis` itself where
// those have only one.
ChVec3 ch_solid_centre_normal(const ChSolidPair* pair, ChSeparatingAxis axis, const ChManifold* points, int first);

#endif
