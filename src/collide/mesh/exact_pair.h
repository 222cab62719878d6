// Two triangle surfaces from their primitives: corners with faces, edges and corners, edges with edges.
//
// All is worked out in the frame of the second surface. n leads from one surface to the other, s to o:
//
//   corner x of s on a face (a, m) of o      n = -m                    gap = m . (x - a)
//   edges d, e                               n = +- d x e / |d x e|    gap = n . (point on o - point on s)
//   corner with edge, corner with corner     n along what parts them   gap = n . (foot - x)
//
// A pair of features counts only where n is a normal that both have: all edges at a corner, both faces at an edge lead
// away from the other surface, up to `tilt`, which is as far as bodies could turn within the step. So a box that is
// tilted by a hair has all of its corners, and nothing catches on an edge inside a smooth surface.
//
// A linearised contact must not be in the way of what passes by. So a region is not asked for where the corner is, but
// for where it will be when it comes closest, t* in [0, 1] of the look-ahead, both bodies going on as they do: the
// corner that passes a rim has the normal with which it passes. Any n of the regions named is safe: both surfaces lie
// behind their planes there.
//
// See docs/theory/mesh_contact.md.
#ifndef CH_COLLIDE_MESH_EXACT_PAIR_H
#define CH_COLLIDE_MESH_EXACT_PAIR_H

#include "collide/closing_speed.h"
#include "model/mesh/mesh.h"
#include "model/mesh/mesh_features.h"

typedef struct ChExactSide {
  const ChMesh* mesh;
  const ChMeshFeatures* features;
  bool placed;  // false: its frame is the common one
  ChMat3 turn;
  ChVec3 shift;
} ChExactSide;

typedef struct ChExact {
  ChExactSide side[2];
  const ChPosed* frame;  // the second, whose frame is the common one
  const ChPosed* first;
  bool sheets;        // both are open and have two sides: what side they are on, the last step knows
  ChClosing closing;  // of the first, seen from the second
  double margin, deepest, slack;
  double blunt;   // features that end nearer than this to each other are not told apart
  double hollow;  // the same where they go on inside of the surface
  double tilt;
  // The most by which an edge of a triangle that was met goes through another, well away from its border.
  double pierced;
  ChVec3 pierced_at, pierced_normal;  // normal: from the first surface to the second
  uint64_t pierced_key;
  ChManifold* out;
} ChExact;

// Kinds of contacts, for keys; CORNER + s: the corner is of side s.
// The last two: the other side of a sheet.
enum {
  CH_EXACT_FACE = 0,
  CH_EXACT_EDGES = 2,
  CH_EXACT_CORNER_EDGE = 3,
  CH_EXACT_CORNERS = 5,
  CH_EXACT_PIERCED = 6,
  CH_EXACT_EDGES_BACK = 7,
  CH_EXACT_PIERCED_BACK = 8
};
static inline uint64_t ch_exact_key(int kind, int first, int second) {
  return (uint64_t)kind << 60 | (uint64_t)first << 30 | (uint64_t)second;
}

static inline ChVec3 ch_exact_place(const ChExactSide* side, ChVec3 local) {
  return side->placed ? ch_add(side->shift, ch_mat_apply(&side->turn, local)) : local;
}
static inline ChVec3 ch_exact_local(const ChExactSide* side, ChVec3 common) {
  return side->placed ? ch_mat_apply_transposed(&side->turn, ch_sub(common, side->shift)) : common;
}
static inline ChVec3 ch_exact_turned(const ChExactSide* side, ChVec3 local) {
  return side->placed ? ch_mat_apply(&side->turn, local) : local;
}
static inline ChVec3 ch_exact_turned_back(const ChExactSide* side, ChVec3 common) {
  return side->placed ? ch_mat_apply_transposed(&side->turn, common) : common;
}

static inline ChVec3 ch_mesh_at(const ChMesh* mesh, int place) { return mesh->vertices[mesh->cells[place]]; }
static inline int ch_mesh_next(int place) { return place % 3 == 2 ? place - 2 : place + 1; }

// How far the first surface moves against the second at a point, in the look-ahead.
static inline ChVec3 ch_exact_motion(const ChExact* x, int s, ChVec3 at) {
  ChVec3 v = ch_add(x->closing.step, ch_cross(x->closing.turn, at));
  return s == 0 ? v : ch_neg(v);
}

// A point of side s, the one of the other, the unit normal from s to the other; all in the common frame.
void ch_exact_add(const ChExact* x, int s, ChVec3 own, ChVec3 other, ChVec3 normal, double gap, uint64_t key);

// Whether `outward` of a surface (its frame; away from it) belongs to the corner: no edge rises along it by more than
// the sine `tilt`.
bool ch_exact_corner_owns(const ChMesh* mesh, const ChMeshCorner* corner, ChVec3 outward, double tilt);

// Whether the last step listed the pair under this key; false where nobody knows.
bool ch_exact_was(const ChExact* x, uint64_t key);

// The corners of side s that triangle `own` owns, with triangle `cell` of the other side and its edges and corners.
void ch_exact_corners(const ChExact* x, int s, int own, int cell);
// Edges that these triangles own.
void ch_exact_edges(const ChExact* x, int first, int second);

// Both feet of an overlap, in the common frame, and who meets there: a corner of s, or with corner = NULL edges of
// both.
typedef struct ChExactOverlap {
  int s;
  ChVec3 own, other;  // points of s and of the other side
  double depth;
  const ChMeshCorner* corner;
  int patch;  // corner: of the face
  const ChMeshEdge* edge[2];
} ChExactOverlap;
// Whether it is these features that overlap there, and no other that is less deep or in between.
bool ch_exact_overlap_is_real(const ChExact* x, const ChExactOverlap* overlap);

#endif
