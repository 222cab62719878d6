// Tetrahedral meshes of named shapes, centred in the origin: what a scene says as "shape" instead of a file, and what
// `cardhouse mesh` writes.
#ifndef CH_MODEL_TET_SHAPES_H
#define CH_MODEL_TET_SHAPES_H

#include "model/tet_mesh.h"

typedef struct ChTetShapeDef {
  const char* shape;  // one of the names below
  ChVec3 size;        // outer measures in metres; 0 each: the shape's own
  int cells[3];       // how fine; 0 each: the shape's own
} ChTetShapeDef;

// What a shape is called, and what it is by default.
typedef struct ChTetShape {
  const char* name;
  const char* summary;
  ChVec3 size;
  int cells[3];
  const char* cells_text;  // what the numbers of cells mean
  ChStatus (*make)(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out);
} ChTetShape;

int ch_tet_shape_count(void);
const ChTetShape* ch_tet_shape_at(int k);
const ChTetShape* ch_tet_shape_find(const char* name);  // NULL when there is none

// A shape by its name. The mesh passes ch_tet_mesh_check.
ChStatus ch_tet_shape_make(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out);

// A box with its sides along the axes.
ChStatus ch_tet_box(ChContext* context, ChArena* arena, ChVec3 size, const int cells[3], ChTetMesh* out);

#endif
