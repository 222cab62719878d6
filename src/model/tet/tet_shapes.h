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

typedef struct ChTetShapeDef {
  const char* shape;  // one of the names below
  ChVec3 size;        // measures in metres; 0 each: the shape's own, or in its proportions
  int cells[3];       // how fine; 0 each: the shape's own
  // strand: its middle line is z = amplitude sin(2 pi x / period + phase); 0: its thickness, half its length. Its edges
  // are thinner than its middle by the share `round`, 0 to 0.9, as a parabola has it; 0: as thick.
  double amplitude, period, phase, round;
} ChTetShapeDef;

// What a shape is called, and what it is by default.
typedef struct ChTetShape {
  const char* name;
  const char* summary;
  ChVec3 size;
  int cells[3];
  const char* size_text;   // what the measures mean
  const char* cells_text;  // and the numbers of cells
  bool proportional;       // measures that are not given follow the first that is
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
