// Signed distance to a closed surface on a grid: what contacts of moving meshes ask thousands of times a step.
//
//   d(x) = trilinear interpolation of the exact distances at the eight nodes around x,   n(x) = grad d / |grad d|
//
// For a smooth surface the error falls with the square of the grid's width. Where it does not (cells near the surface
// that hold sharp edges, in which the interpolation misses the true distance by more than a part of the width), the
// distance is taken from the triangles themselves, and so it is outside of the grid. One field serves all bodies of
// that shape.
#ifndef CH_MODEL_MESH_DISTANCE_FIELD_H
#define CH_MODEL_MESH_DISTANCE_FIELD_H

#include <stdint.h>

#include "model/mesh/mesh.h"

typedef struct ChDistanceField {
  const ChMesh* mesh;
  ChVec3 low;
  double width;      // of a cell
  int count[3];      // nodes
  double* value;     // at nodes, x runs fastest
  uint8_t* by_cell;  // 1: ask the triangles
} ChDistanceField;

typedef struct ChFieldPoint {
  double distance;
  ChVec3 normal;
} ChFieldPoint;

// `resolution`: cells along the longest side. Refuses a surface that crosses itself.
ChStatus ch_distance_field_create(ChContext* context, ChArena* arena, const ChMesh* mesh, int resolution,
                                  ChDistanceField** out);

// False when the distance is above `within`.
bool ch_distance_field_at(const ChDistanceField* field, ChVec3 point, double within, ChFieldPoint* out);

// The distance is not below this.
double ch_distance_field_least(const ChDistanceField* field, ChVec3 point);

#endif
