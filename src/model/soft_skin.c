// The skin of a deformable body: triangles of one tetrahedron only, the corners on them, neighbours across edges.
#include <stdlib.h>

#include "model/soft_build.h"

typedef struct Side {
  int low, high;
  int at;  // 3 triangle + corner
  bool forward;
} Side;

static int compare_sides(const void* a, const void* b) {
  const Side *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->at - y->at;
}

// Of the sides of one edge, each that runs one way meets one that runs the other way. Where bodies touch themselves
// along an edge there are more than two; any pairing will do.
static void join(const Side* sides, int count, int* across) {
  int other = 0;
  for (int k = 0; k < count; ++k) {
    if (!sides[k].forward) continue;
    while (other < count && sides[other].forward) ++other;
    if (other == count) return;
    across[sides[k].at] = sides[other].at / 3;
    across[sides[other].at] = sides[k].at / 3;
    ++other;
  }
}

static void find_across(ChArena* arena, ChSoftSkin* skin) {
  ChArenaMark mark = ch_arena_mark(arena);
  int count = 3 * skin->triangle_count;
  Side* sides = CH_TAKE(arena, count, Side);
  for (int k = 0; k < count; ++k) {
    int a = skin->triangles[k], b = skin->triangles[k % 3 == 2 ? k - 2 : k + 1];
    sides[k] = (Side){a < b ? a : b, a < b ? b : a, k, a < b};
    skin->across[k] = -1;
  }
  qsort(sides, (size_t)count, sizeof *sides, compare_sides);
  for (int from = 0, to = 0; from < count; from = to) {
    while (to < count && sides[to].low == sides[from].low && sides[to].high == sides[from].high) ++to;
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
