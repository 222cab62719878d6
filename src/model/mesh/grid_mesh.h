// A mesh of a grid of corners, put together without looking for anything: its neighbours are known, its tree halves the
// grid. For meshes that live for one pair of one step; it has no vertex normals.
#ifndef CH_MODEL_MESH_GRID_MESH_H
#define CH_MODEL_MESH_GRID_MESH_H

#include "model/mesh/mesh.h"

typedef struct ChGridCorners {
  int across, up;    // corners
  const ChVec3* at;  // vertices
  int vertex_count;
  const int* vertex;  // corner -> vertex, -1: there is none, and its four cells are not there
  const int* first;   // cell (row by row, across - 1 a row) -> its first triangle, the second follows; -1: not there
  int triangle_count;
  const int* triangles;  // vertices
} ChGridCorners;

// Cells have the triangles (0, 1, 2) and (0, 2, 3) of their corners, counter-clockwise. The arena has a landing.
ChMesh* ch_grid_mesh(ChArena* arena, const ChGridCorners* grid);

#endif
