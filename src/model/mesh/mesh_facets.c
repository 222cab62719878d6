// See mesh_facets.h. Corners are equal when all bits of their coordinates are.
#include "model/mesh/mesh_facets.h"

#include <stdlib.h>
#include <string.h>

void ch_facets_add_vertex(ChArena* arena, ChFacets* s, ChVec3 v) {
  if (s->vertex_count == s->vertex_room) {
    s->vertex_room = s->vertex_room ? 2 * s->vertex_room : 256;
    ChVec3* larger = CH_TAKE(arena, s->vertex_room, ChVec3);
    if (s->vertex_count > 0) memcpy(larger, s->vertices, (size_t)s->vertex_count * sizeof *larger);
    s->vertices = larger;
  }
  s->vertices[s->vertex_count++] = v;
}

static void grow_places(ChArena* arena, ChFacets* s) {
  double* larger = CH_TAKE(arena, 6 * (size_t)s->triangle_room, double);
  if (s->uv && s->triangle_count > 0) memcpy(larger, s->uv, 6 * (size_t)s->triangle_count * sizeof *larger);
  s->uv = larger;
}

static void add_triangle(ChArena* arena, ChFacets* s, const int corner[3]) {
  if (s->triangle_count == s->triangle_room) {
    s->triangle_room = s->triangle_room ? 2 * s->triangle_room : 256;
    int* larger = CH_TAKE(arena, 3 * (size_t)s->triangle_room, int);
    if (s->triangle_count > 0) memcpy(larger, s->triangles, 3 * (size_t)s->triangle_count * sizeof *larger);
    s->triangles = larger;
    if (s->uv) grow_places(arena, s);
  }
  memcpy(s->triangles + 3 * s->triangle_count++, corner, 3 * sizeof *corner);
}

void ch_facets_add_triangle(ChArena* arena, ChFacets* s, int a, int b, int c) {
  s->unplaced = true;
  s->uv = NULL;
  add_triangle(arena, s, (int[3]){a, b, c});
}

void ch_facets_add_placed(ChArena* arena, ChFacets* s, const int corner[3], const double uv[6]) {
  add_triangle(arena, s, corner);
  if (s->unplaced) return;
  if (!s->uv) grow_places(arena, s);
  memcpy(s->uv + 6 * ((size_t)s->triangle_count - 1), uv, 6 * sizeof *uv);
}

typedef struct Corner {
  ChVec3 at;
  int place;
} Corner;

static int compare_corners(const void* a, const void* b) {
  const Corner *x = a, *y = b;
  if (x->at.x != y->at.x) return x->at.x < y->at.x ? -1 : 1;
  if (x->at.y != y->at.y) return x->at.y < y->at.y ? -1 : 1;
  if (x->at.z != y->at.z) return x->at.z < y->at.z ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool same_point(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

void ch_facets_merge(ChArena* arena, ChFacets* s) {
  int count = s->vertex_count, kept = 0;
  Corner* corners = CH_TAKE(arena, count, Corner);
  int *first = CH_TAKE(arena, count, int), *number = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k) corners[k] = (Corner){s->vertices[k], k};
  qsort(corners, (size_t)count, sizeof *corners, compare_corners);
  for (int k = 0; k < count; ++k)
    first[corners[k].place] =
        k > 0 && same_point(corners[k].at, corners[k - 1].at) ? first[corners[k - 1].place] : corners[k].place;
  for (int k = 0; k < count; ++k) {
    if (first[k] == k) {
      number[k] = kept;
      s->vertices[kept++] = s->vertices[k];
    } else {
      number[k] = number[first[k]];
    }
  }
  s->vertex_count = kept;
  int whole = 0;
  for (int t = 0; t < s->triangle_count; ++t) {
    int a = number[s->triangles[3 * t]], b = number[s->triangles[3 * t + 1]], c = number[s->triangles[3 * t + 2]];
    if (a == b || b == c || c == a) continue;
    int* to = s->triangles + 3 * whole;
    to[0] = a, to[1] = b, to[2] = c;
    if (s->uv && whole < t) memcpy(s->uv + 6 * (size_t)whole, s->uv + 6 * (size_t)t, 6 * sizeof *s->uv);
    ++whole;
  }
  s->triangle_count = whole;
}
