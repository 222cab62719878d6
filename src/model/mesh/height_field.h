// Ground as a grid of heights z(i c, j c), i and j from 0, solid below, two triangles a cell: (i, j), (i + 1, j),
// (i + 1, j + 1) and (i, j), (i + 1, j + 1), (i, j + 1).
//
// There is no list of triangles and no tree. Those below a box are made when they are asked for, as a mesh of their own
// whose back counts as inside, so that a million cells cost eight megabytes and a step does not depend on how many
// there are. Fields that lie side by side on what is fixed know each other: the mesh goes on into the neighbour by one
// cell, which tells what its last edge is (ridge, flat or valley), and is no rim.
#ifndef CH_MODEL_MESH_HEIGHT_FIELD_H
#define CH_MODEL_MESH_HEIGHT_FIELD_H

#include "model/mesh/mesh.h"
#include "model/shapes/shape_ray.h"

typedef enum ChFieldSide { CH_FIELD_WEST, CH_FIELD_EAST, CH_FIELD_SOUTH, CH_FIELD_NORTH, CH_FIELD_SIDES } ChFieldSide;

typedef struct ChHeightField {
  int columns, rows;      // of heights
  double cell;            // m
  const double* heights;  // row by row
  ChBox3 box;             // of the surface
  double deep;            // so far below it a body is still found, m: as wide as the field is
  const struct ChHeightField* beside[CH_FIELD_SIDES];  // NULL: a rim
  double rise[CH_FIELD_SIDES];                         // what the neighbour's heights count more here
} ChHeightField;

enum { CH_FIELD_MOST = 1 << 15 };  // columns or rows

// Copies the heights times `scale`.
ChStatus ch_height_field_create(ChContext* context, ChArena* arena, int columns, int rows, const double* heights,
                                double cell, double scale, ChHeightField** out);

// Makes neighbours of two fields where they lie side by side; `to`: the second's frame as the first sees it, whose axes
// are the same.
void ch_height_field_join(ChHeightField* a, ChHeightField* b, ChVec3 to);

// The triangles under a box, with one cell of neighbours all around, where they reach up to its lower side; NULL where
// none do. For routines that ask for neighbours and normals and for no more. The arena has a landing.
ChMesh* ch_height_field_ground(ChArena* arena, const ChHeightField* field, const ChBox3* under);

// The same as a mesh with all that meshes have: for other meshes, which have no edge where a neighbour goes on
// (`beside`), and for skins.
ChStatus ch_height_field_mesh(ChContext* context, ChArena* arena, const ChHeightField* field, const ChBox3* under,
                              bool beside, ChMesh** out);

ChShapeRayFn ch_shape_ray_field;

#endif
