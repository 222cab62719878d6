// The skin of a deformable body: triangles of one tetrahedron only, the corners on them, neighbours across edges.
#include "model/mesh/half_edges.h"
#include "model/soft/soft_build.h"

// Of the sides of one edge, each that runs one way meets one that runs the other way. Where bodies touch themselves
// along an edge there are more than two; any pairing will do.
static void join(const ChHalfEdge* sides, int count, int* across) {
  int other = 0;
  for (int k = 0; k < count; ++k) {
    if (!sides[k].forward) continue;
    while (other < count && sides[other].forward) ++other;
    if (other == count) return;
    across[sides[k].place] = sides[other].place / 3;
    across[sides[other].place] = sides[k].place / 3;
    ++other;
  }
}

static void find_across(ChArena* arena, ChSoftSkin* skin) {
  ChArenaMark mark = ch_arena_mark(arena);
  int count = 3 * skin->triangle_count;
  const ChHalfEdge* sides = ch_half_edges(arena, skin->triangle_count, skin->triangles);
  for (int k = 0; k < count; ++k) skin->across[k] = -1;
  for (int from = 0, to; from < count; from = to) {
    to = ch_half_edges_next(sides, count, from);
    join(sides + from, to - from, skin->across);
  }
  ch_arena_release(arena, mark);
}

void ch_soft_skin_create(ChArena* arena, const ChTetMesh* mesh, ChSoftSkin* skin, int** vertices) {
  skin->triangle_count = ch_tet_mesh_skin(arena, mesh, &skin->triangles);
  int corners = 3 * skin->triangle_count, *place = CH_TAKE(arena, mesh->vertex_count, int);
  for (int k = 0; k < corners; ++k) place[skin->triangles[k]] = 1;
  for (int v = 0; v < mesh->vertex_count; ++v) place[v] = place[v] ? skin->vertex_count++ : -1;
  *vertices = CH_TAKE(arena, skin->vertex_count, int);
  skin->rest = CH_TAKE(arena, skin->vertex_count, ChVec3);
  skin->across = CH_TAKE(arena, corners, int);
  for (int v = 0; v < mesh->vertex_count; ++v)
    if (place[v] >= 0) (*vertices)[place[v]] = v;
  for (int k = 0; k < corners; ++k) skin->triangles[k] = place[skin->triangles[k]];
  find_across(arena, skin);
}
