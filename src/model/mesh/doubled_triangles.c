// Doubled triangles: see doubled_triangles.h. Each triangle is turned so that its lowest corner comes first, which
// keeps its sense; equal ones are then neighbours in sorted order.
#include "model/mesh/doubled_triangles.h"

#include <stdlib.h>

typedef struct Turned {
  ChVec3 corner[3];
  int triangle;
} Turned;

static int compare_points(const ChVec3* a, const ChVec3* b) {
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return (a->z > b->z) - (a->z < b->z);
}

static int compare_corners(const Turned* a, const Turned* b) {
  for (int k = 0; k < 3; ++k) {
    int order = compare_points(&a->corner[k], &b->corner[k]);
    if (order) return order;
  }
  return 0;
}

static int compare_turned(const void* a, const void* b) {
  const Turned *x = a, *y = b;
  int order = compare_corners(x, y);
  return order ? order : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static Turned turned(const ChVec3* vertices, const int* triangles, int t) {
  ChVec3 c[3] = {vertices[triangles[3 * t]], vertices[triangles[3 * t + 1]], vertices[triangles[3 * t + 2]]};
  int first = compare_points(&c[1], &c[0]) < 0 ? 1 : 0;
  if (compare_points(&c[2], &c[first]) < 0) first = 2;
  return (Turned){{c[first], c[(first + 1) % 3], c[(first + 2) % 3]}, t};
}

bool ch_doubled_triangle(ChArena* arena, const ChVec3* vertices, int triangle_count, const int* triangles,
                         int pair[2]) {
  ChArenaMark mark = ch_arena_mark(arena);
  Turned* all = CH_TAKE(arena, triangle_count, Turned);
  for (int t = 0; t < triangle_count; ++t) all[t] = turned(vertices, triangles, t);
  qsort(all, (size_t)triangle_count, sizeof *all, compare_turned);
  bool doubled = false;
  for (int k = 1; k < triangle_count && !doubled; ++k)
    if ((doubled = compare_corners(&all[k - 1], &all[k]) == 0)) {
      pair[0] = all[k - 1].triangle;
      pair[1] = all[k].triangle;
    }
  ch_arena_release(arena, mark);
  return doubled;
}
