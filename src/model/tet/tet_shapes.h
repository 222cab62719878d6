// Tetrahedral meshes of named shapes, centred in the origin: what a scene says as "shape" instead of a file, and what
// `cardhouse mesh` writes.
#ifndef CH_MODEL_TET_TET_SHAPES_H
#define CH_MODEL_TET_TET_SHAPES_H

#include "model/tet/tet_mesh.h"

enum { CH_TET_ANIMAL_CELLS = 16 };  // fewer along the longest side lose a leg

// A chair's legs, as a part of its width and depth; where its seat begins and how thick it is, as parts of its height.
#define CH_TET_CHAIR_LEG 0.1
#define CH_TET_CHAIR_SEAT 0.45
#define CH_TET_CHAIR_THICKNESS 0.05

// A shape by its name. The mesh passes ch_tet_mesh_check.
ChStatus ch_tet_shape_make(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out);

// A box with its sides along the axes.
ChStatus ch_tet_box(ChContext* context, ChArena* arena, ChVec3 size, const int cells[3], ChTetMesh* out);

#endif
