// Surfaces of shapes as polygons, for pictures: exact for polytopes and meshes, faceted for round shapes, a patch for
// half-spaces.
#ifndef CH_RECORD_SURFACE_H
#define CH_RECORD_SURFACE_H

#include "model/world.h"

// In the shape's frame. Polygons, or one polyline where `line` is set.

typedef struct ChPatches {
  int point_count, cell_count, corner_count;
  ChVec3* points;
  int *sizes, *corners;  // corners per cell; their points, cell after cell
  bool line;             // cells are polylines
} ChPatches;

// `about` and `reach`: the ball that the finite shapes of the world fill, in the shape's frame: a half-space shows the
// patch that lies under it. `facets`: around a round shape.
ChPatches ch_shape_patches(ChArena* arena, const ChShape* shape, bool plane, ChVec3 about, double reach, int facets);

#endif
