// Narrow phase: one routine a pair of shape kinds.
//
// A routine gets both shapes with their frames in the world, lists points with gap <= margin, normal from a to b, and
// never looks at bodies. The table in pairs.c finds it; a routine written for (a, b) also serves (b, a), turned round.
#ifndef CH_COLLIDE_PAIRS_H
#define CH_COLLIDE_PAIRS_H

#include "collide/collide.h"
#include "model/shapes/shape_kind.h"

// Whether two shapes touched under this key a step before.
typedef bool ChTouchedFn(const void* past, const ChShape* a, const ChShape* b, uint64_t key);

// What points are wanted for: see collide.c.
typedef struct ChAhead {
  double margin, time;        // time: the look-ahead
  const ChBodyState* states;  // of bodies
  ChTouchedFn* history;       // NULL: nobody knows
  const void* past;
} ChAhead;

typedef struct ChPosed {
  const ChShape* shape;
  ChFrame frame;
  ChMat3 turn;                // the frame's orientation as a matrix
  const struct ChSkin* skin;  // of a deformable body, as it is at this moment; else NULL
  ChVec3 shift;               // how far from where its body is: it is met as an image
  const ChAhead* ahead;       // NULL: points within the margin are, however they move
} ChPosed;

// Points found by one routine; it grows.
typedef struct ChManifold {
  int count, room;
  ChGap* points;             // shape and body are filled in by the caller
  bool failed;               // out of memory
  ChArena* scratch;          // of routines that need some; NULL until one does
  struct ChLeafList* lists;  // of the pair at hand, one a side, to be kept for the next time; or NULL
} ChManifold;

void ch_manifold_add(ChManifold* manifold, ChVec3 point, ChVec3 normal, double gap, uint64_t key);

// Frees the list and what it holds.
void ch_manifold_free(ChManifold* manifold);

typedef void (*ChPairFn)(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);

// The routine for these two types and whether it wants them swapped; NULL when they never meet (two half-spaces, ...).
ChPairFn ch_pair_find(ChShapeType a, ChShapeType b, bool* swapped);

// All points of a pair, normal from a to b.
void ch_pair_collide(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);

// The routines, one file a family.
void ch_pair_sphere_sphere(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_sphere_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_sphere_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_sphere_capsule(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_capsule_capsule(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_capsule_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_capsule_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_polytope_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_polytope_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_smooth_halfspace(const ChPosed* a, const ChPosed* b, double margin,
                              ChManifold* out);  // cylinder, ellipsoid
void ch_pair_smooth_convex(const ChPosed* a, const ChPosed* b, double margin,
                           ChManifold* out);  // cylinder, ellipsoid with any convex
void ch_pair_convex_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
// The same where the mesh may be on a moving body.
void ch_pair_round_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_polytope_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_mesh_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
// A body of edges or points and any shape of space.
void ch_pair_net(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
// Any shape of space and a height field.
void ch_pair_field(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
// Whether both are triangle surfaces whose contacts come from their corners, edges and faces: meshes that are not
// sampled, and polytopes that have a surface.
bool ch_pair_is_exact(const ChPosed* a, const ChPosed* b);
void ch_exact_pair(const ChPosed* a, const struct ChMesh* first, const ChPosed* b, const struct ChMesh* second,
                   double margin, ChManifold* out);
void ch_pair_mesh_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_soft_rigid(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);  // any shape of space
void ch_pair_soft_soft(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_disk_disk(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_disk_polygon(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_polygon_polygon(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_convex_halfplane(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_ellipse_convex(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);
void ch_pair_plane_convex_chain(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out);

#endif
