// A world seen from outside: shapes, materials, pairs, and where bodies start.
//
// Bodies, shapes and materials are numbered by rows (id.h). In a sealed world the shapes are in the order of their
// bodies. For a row that does not exist, functions return zeros.
#ifndef CARDHOUSE_SHAPE_H
#define CARDHOUSE_SHAPE_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ends construction: mass properties, centres of mass, every check that needs the whole world. ch_simulation_create
// calls it; a program that only looks at a world calls it first. Calling it twice is harmless.
CH_API ChStatus ch_world_seal(ChContext* context, ChWorld* world);
// Returns the row of the body that made the last ch_world_seal fail; -1 if it did not fail, or if no body is to blame.
CH_API int ch_world_refused_body(const ChWorld* world);

// --- shapes ----------------------------------------------------------------------------------------------------------

// Arrays belong to the world, which never writes to them.
typedef struct ChShapeView {
  ChShapeType type;
  ChShapeId id;
  int body, material;  // rows
  ChFrame local;       // place in the body's frame as it moves, with its origin at the centre of mass
  double radius, half_length;
  ChVec3 half;
  ChVec3 normal;  // half-space, half-plane: in the shape's frame
  double offset;
  double bound;  // radius of a ball about local.at that contains the shape, metres; infinite for half-spaces
  double reach;  // radius of such a ball about the body's centre of mass, in a sealed world
  // Box, hull, rectangle, polygon: corners. Mesh, chain: vertices. Deformable: none, soft.h has the skin.
  int point_count;
  const ChVec3* points;
  int cell_count, cell_size;  // mesh: triangles, 3; chain: segments, 2
  const int* cells;           // indices of points
} ChShapeView;

// Return how many shapes there are, and a view of one.
CH_API int ch_world_shape_count(const ChWorld* world);
CH_API ChShapeView ch_world_shape(const ChWorld* world, int shape);
// Returns how many shapes a body of a sealed world has; `first` (may be NULL) is the row of its first.
CH_API int ch_world_body_shapes(const ChWorld* world, int body, int* first);
// Returns the volume, m^3 (plane: m^2); 0 for open meshes, half-spaces and other shapes without a volume.
CH_API double ch_world_shape_volume(const ChWorld* world, int shape);

// Returns the first shape of the world with the same mesh, chain or skin as `shape`. This may be `shape` itself, and
// always is if it has none of these.
CH_API int ch_world_shape_like(const ChWorld* world, int shape);

// A surface: polygons, or polylines if `line` is set.
typedef struct ChPatches {
  int point_count, cell_count, corner_count;
  ChVec3* points;        // in the shape's frame, metres
  int *sizes, *corners;  // number of corners of each cell; the points of the corners, cell after cell
  bool line;             // cells are polylines
  double* uv;            // 2 a corner: its coordinates on a texture, v upwards; NULL: none
} ChPatches;

// `about` and `reach` give a ball around the finite shapes of the world, in the shape's frame; a half-space shows its
// patch under that ball. `facets` is the number of facets around a round shape, 8 to 120.
typedef struct ChSurfaceView {
  ChVec3 about;
  double reach;
  int facets;
} ChSurfaceView;

// Returns the radius of a ball about *centre that contains all finite shapes of a sealed world at the start, metres;
// half a metre about the origin if there are none.
CH_API double ch_world_ball(const ChWorld* world, ChVec3* centre);

// Makes the surface of a shape, for pictures: exact for polytopes, meshes and skins at rest, faceted for round shapes,
// and a patch for half-spaces. The caller frees *out with ch_patches_free; it is empty on failure.
CH_API ChStatus ch_world_shape_surface(ChContext* context, const ChWorld* world, int shape, const ChSurfaceView* view,
                                       ChPatches* out);
// Frees the arrays and empties the struct; an empty one is legal.
CH_API void ch_patches_free(ChPatches* patches);

// --- materials -------------------------------------------------------------------------------------------------------

// Return how many materials there are, and one of them; its name belongs to the world.
CH_API int ch_world_material_count(const ChWorld* world);
CH_API ChMaterialDef ch_world_material(const ChWorld* world, int material);
// Return how many pairs of materials have their own numbers, and one of them.
CH_API int ch_world_pair_count(const ChWorld* world);
CH_API ChPairDef ch_world_pair(const ChWorld* world, int pair);
// Says whether some surfaces have different friction along and across.
CH_API bool ch_world_is_elliptic(const ChWorld* world);

// --- the start -------------------------------------------------------------------------------------------------------

// Returns where a body of a sealed world starts: its centre of mass and orientation. Writes the velocity of the centre
// of mass to `velocity`, which may be NULL.
CH_API ChFrame ch_world_body_start(const ChWorld* world, int body, ChVec3* velocity);
// Returns gravity in m/s^2, at this time in seconds.
CH_API ChVec3 ch_world_gravity_at(const ChWorld* world, double time);

// Two bodies that overlap at the start.
typedef struct ChOverlap {
  int body[2];  // rows
  ChVec3 point;
  double depth;  // metres
} ChOverlap;

// Returns all overlaps of a sealed world at the start, in an array that the caller frees with free(); NULL with *count
// = 0 if there are none or on failure.
CH_API ChStatus ch_world_overlaps(ChContext* context, const ChWorld* world, ChOverlap** out, int* count);

// Two bodies that are near each other at the start and do not overlap.
typedef struct ChClearance {
  int body[2];  // rows
  double gap;   // the smallest, metres
  double play;  // if one body fits into the other, the smallest sum of gaps on opposite sides; otherwise infinite
} ChClearance;

// Returns all such pairs with gaps up to `within`, the nearest first. Array and failure are as for ch_world_overlaps.
CH_API ChStatus ch_world_clearances(ChContext* context, const ChWorld* world, double within, ChClearance** out,
                                    int* count);
// Returns the least thickness of a shape of a sealed world, metres. It is exact for convex shapes. For meshes it is
// measured inwards from a few hundred triangles. It is infinite for half-spaces and open surfaces.
CH_API double ch_world_shape_thickness(const ChWorld* world, int shape);
// Returns the edge of a cell of the distance field by which a moving mesh finds its contacts, metres; 0 if it has none.
CH_API double ch_world_shape_cell(const ChWorld* world, int shape);
// Writes the box along the world's axes that contains a shape at the start. Returns false if the shape is endless.
CH_API bool ch_world_shape_box(const ChWorld* world, int shape, ChVec3* low, ChVec3* high);

#ifdef __cplusplus
}
#endif
#endif
