// See polytope_surface.h.
#include "model/mesh/polytope_surface.h"

const ChMesh* ch_polytope_surface(ChArena* arena, const ChPolytope* p) {
  int count = p->face_start[p->face_count] - 2 * p->face_count, filled = 0;
  int* cells = CH_TAKE(arena, 3 * count, int);
  for (int f = 0; f < p->face_count; ++f)
    for (int k = p->face_start[f] + 1; k + 1 < p->face_start[f + 1]; ++k) {
      cells[filled++] = p->face_vertex[p->face_start[f]];
      cells[filled++] = p->face_vertex[k];
      cells[filled++] = p->face_vertex[k + 1];
    }
  ChMesh* mesh = NULL;
  ChContext unheard = {0};
  return ch_mesh_create(&unheard, arena, p->vertex_count, p->vertices, count, cells, 3, &mesh) == CH_OK ? mesh : NULL;
}
