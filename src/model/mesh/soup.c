// See soup.h.
#include "model/mesh/soup.h"

#include <stdlib.h>
#include <string.h>

#include "model/mesh/half_edges.h"

typedef struct Placed {
  ChVec3 at;
  int vertex;
} Placed;

static int by_place(const void* a, const void* b) {
  const Placed *x = a, *y = b;
  if (x->at.x != y->at.x) return x->at.x < y->at.x ? -1 : 1;
  if (x->at.y != y->at.y) return x->at.y < y->at.y ? -1 : 1;
  if (x->at.z != y->at.z) return x->at.z < y->at.z ? -1 : 1;
  return x->vertex - y->vertex;
}

// The first vertex in the place of each.
static int* weld(ChArena* arena, int count, const ChVec3* vertices) {
  Placed* placed = CH_TAKE(arena, count, Placed);
  int* same = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k) placed[k] = (Placed){vertices[k], k};
  qsort(placed, (size_t)count, sizeof *placed, by_place);
  for (int k = 0, first = 0; k < count; ++k) {
    ChVec3 a = placed[first].at, b = placed[k].at;
    if (a.x != b.x || a.y != b.y || a.z != b.z) first = k;
    same[placed[k].vertex] = placed[first].vertex;
  }
  return same;
}

typedef struct Triangle {
  int corner[3];  // the smallest first, in the same sense
} Triangle;

static int by_corners(const void* a, const void* b) { return memcmp(a, b, sizeof(Triangle)); }

static bool has_area(const ChVec3* vertices, const int* c) {
  ChVec3 one = ch_sub(vertices[c[1]], vertices[c[0]]), two = ch_sub(vertices[c[2]], vertices[c[0]]);
  return ch_norm(ch_cross(one, two)) > 1e-14 * (ch_dot(one, one) + ch_dot(two, two));
}

// Those with an area, each once; returns how many.
static int keep_triangles(const ChVec3* vertices, const int* same, int count, const int* cells, Triangle* out) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    int c[3] = {same[cells[3 * k]], same[cells[3 * k + 1]], same[cells[3 * k + 2]]}, low = 0;
    if (!has_area(vertices, c)) continue;
    for (int j = 1; j < 3; ++j)
      if (c[j] < c[low]) low = j;
    out[kept++] = (Triangle){{c[low], c[(low + 1) % 3], c[(low + 2) % 3]}};
  }
  if (kept > 0) qsort(out, (size_t)kept, sizeof *out, by_corners);
  int once = 0;
  for (int k = 0; k < kept; ++k)
    if (k == 0 || by_corners(&out[k], &out[once - 1]) != 0) out[once++] = out[k];
  return once;
}

// Marks what has to be cut loose; returns how many.
static int find_misfits(ChArena* arena, int count, const Triangle* triangles, bool* loose) {
  const ChHalfEdge* halves = ch_half_edges(arena, count, &triangles[0].corner[0]);
  int misfits = 0;
  for (int k = 0, next; k < 3 * count; k = next) {
    next = ch_half_edges_next(halves, 3 * count, k);
    bool taken[2] = {false, false};
    for (int j = k; j < next; ++j) {
      bool* own = &loose[halves[j].place / 3];
      if (*own) continue;
      if (taken[halves[j].forward]) *own = true, ++misfits;
      taken[halves[j].forward] = true;
    }
  }
  return misfits;
}

static ChStatus check_indices(ChContext* context, int vertex_count, const ChVec3* vertices, int count,
                              const int* cells) {
  for (int k = 0; k < vertex_count; ++k)
    if (!ch_vec_finite(vertices[k])) return ch_fail(context, CH_ERR_RANGE, "mesh: vertex %d is not finite", k);
  for (int k = 0; k < 3 * count; ++k)
    if (cells[k] < 0 || cells[k] >= vertex_count)
      return ch_fail(context, CH_ERR_RANGE, "mesh: triangle %d names vertex %d, must be 0 to %d", k / 3, cells[k],
                     vertex_count - 1);
  return CH_OK;
}

ChStatus ch_soup_create(ChContext* context, ChArena* arena, int vertex_count, const ChVec3* vertices, int cell_count,
                        const int* cells, ChMesh** out) {
  ChStatus status = check_indices(context, vertex_count, vertices, cell_count, cells);
  if (status != CH_OK) return status;
  const int* same = weld(arena, vertex_count, vertices);
  Triangle* triangles = CH_TAKE(arena, cell_count, Triangle);
  int count = keep_triangles(vertices, same, cell_count, cells, triangles);
  if (count == 0) return ch_fail(context, CH_ERR_FORMAT, "mesh: no triangle of %d has an area", cell_count);
  bool* loose = CH_TAKE(arena, count, bool);
  int misfits = find_misfits(arena, count, triangles, loose), next = vertex_count;
  ChVec3* points = CH_TAKE(arena, (size_t)vertex_count + 3 * (size_t)misfits, ChVec3);
  memcpy(points, vertices, (size_t)vertex_count * sizeof *points);
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < 3 && loose[t]; ++k) {
      points[next] = points[triangles[t].corner[k]];
      triangles[t].corner[k] = next++;
    }
  status = ch_mesh_create(context, arena, next, points, count, &triangles[0].corner[0], 3, out);
  if (status == CH_OK) (*out)->soup = true;
  return status;
}
