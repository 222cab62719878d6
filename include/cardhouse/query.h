// Questions about places, asked between steps: rays, closest points, overlaps. A question changes nothing.
//
// A query tests every shape, beginning with its bounding ball. Distances are in metres, points and normals in the world
// frame. Gaps are signed: negative where solids overlap. Meshes are treated as in contacts (docs/collision.md): two
// meshes meet with their corners, edges and faces.
#ifndef CARDHOUSE_QUERY_H
#define CARDHOUSE_QUERY_H

#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

typedef struct ChRayHit {
  ChBodyId body;  // none if nothing was hit; then the rest is 0
  ChShapeId shape;
  double distance;  // distance from the start of the ray; 0 if the start is inside
  ChVec3 point;
  ChVec3 normal;  // unit, against the ray
} ChRayHit;

// Returns the first shape that a ray meets within `reach` (may be INFINITY). `direction` need not be unit. The ray
// meets deformable bodies as they are deformed. CH_ERR_RANGE if the ray is not finite, has no direction or a negative
// reach.
CH_API ChStatus ch_simulation_cast_ray(ChContext* context, const ChSimulation* simulation, ChVec3 from,
                                       ChVec3 direction, double reach, ChRayHit* hit);

typedef struct ChClosestPoints {
  bool found;  // false if the bodies are farther apart than `within`; then the rest is 0
  ChShapeId shape[2];
  double gap;
  ChVec3 point[2];  // on each
  ChVec3 normal;    // unit vector from the first to the second body
} ChClosestPoints;

// Returns the nearest points of two bodies that are at most `within` apart; if they overlap, those of the deepest
// contact. CH_ERR_UNSUPPORTED if one is deformable.
CH_API ChStatus ch_simulation_closest(ChContext* context, const ChSimulation* simulation, ChBodyId a, ChBodyId b,
                                      double within, ChClosestPoints* out);

// The solid of a query, of any type that its sizes describe: in space a ball, box, capsule, cylinder or ellipsoid, in
// the plane a disk, rectangle or ellipse.
typedef struct ChQueryProbe {
  ChShapeType type;
  ChFrame frame;               // in the world
  double radius, half_length;  // the sizes that the type reads (shape_types.h), m
  ChVec3 half;
} ChQueryProbe;
// Returns a ball; a disk is the same with type CH_SHAPE_DISK.
CH_API ChQueryProbe ch_query_ball(ChVec3 centre, double radius);

typedef struct ChNearby {
  ChBodyId body;
  ChShapeId shape;
  double gap;
  ChVec3 point;   // on the shape
  ChVec3 normal;  // unit, out of the shape
} ChNearby;

// Writes every shape of a rigid body that is nearer to the probe than `within` (0: that touches or overlaps it), in the
// order of the shapes' rows.
// `count` is how many there are; at most `room` of them are written to `out`, which may be NULL if room is 0.
CH_API ChStatus ch_simulation_overlap(ChContext* context, const ChSimulation* simulation, const ChQueryProbe* probe,
                                      double within, int room, ChNearby* out, int* count);

#ifdef __cplusplus
}
#endif
#endif
