// Tetrahedra from a grid of cells, some of which may be left out, with its corners put anywhere.
//
// A cell is cut into the six tetrahedra around a diagonal that starts in its corner of even numbers, so that
// neighbours match and mirror each other (Todd's J1): a grid with even numbers of cells is its own mirror image, and
// nothing made of it bends to one side.
#ifndef CH_MODEL_TET_TET_GRID_H
#define CH_MODEL_TET_TET_GRID_H

#include "model/tet/tet_mesh.h"

typedef struct ChTetGrid {
  int cells[3];
  bool (*keep)(const void* state, const int cell[3]);       // NULL: every cell
  ChVec3 (*place)(const void* state, const int corner[3]);  // corners 0 .. cells; must keep orientation
  const void* state;
} ChTetGrid;

// Refuses more tetrahedra than CH_TETS_MAX; the result is not checked.
ChStatus ch_tet_grid(ChContext* context, ChArena* arena, const char* what, const ChTetGrid* grid, ChTetMesh* out);

#endif
