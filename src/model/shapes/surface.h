// Surfaces of shapes as polygons, for pictures: exact for polytopes and meshes, faceted for round shapes, a patch for
// half-spaces.
#ifndef CH_MODEL_SHAPES_SURFACE_H
#define CH_MODEL_SHAPES_SURFACE_H

#include "cardhouse/shape.h"
#include "model/world.h"

// A shape's in an arena; ch_world_shape_surface gives callers a copy.
ChPatches ch_shape_patches(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);

// --- what surfaces are made of ---------------------------------------------------------------------------------------

// Turns the profile (radius, height), from the lowest point up, about z. Its ends are closed: by a point where the
// radius is zero, by a flat polygon otherwise.
ChPatches ch_patches_revolve(ChArena* arena, int count, const double (*profile)[2], int facets);
// A ball of this radius, pulled apart to the length of a capsule.
ChPatches ch_patches_ball(ChArena* arena, double radius, double half_length, int facets);
ChPatches ch_patches_ellipse(ChArena* arena, double half_x, double half_y, int facets);
// Of shapes that have a polytope, a mesh, a normal and offset.
ChPatches ch_patches_polytope(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);
ChPatches ch_patches_mesh(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);
ChPatches ch_patches_halfspace(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);
ChPatches ch_patches_triangles(ChArena* arena, int point_count, const ChVec3* points, int count, const int* corners);

#endif
