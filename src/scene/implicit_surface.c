// See implicit_surface.h.
#include "scene/implicit_surface.h"

#include <math.h>
#include <stdlib.h>

enum { MOVES = 4 };

typedef struct Net {
  ChImplicitFn f;
  ChVec3 low;
  double cell;
  int count[3];  // nodes
  double* value;
  int* corner;  // of a cell, named by its lowest node; -1: none
  ChSurfaceMesh* out;
} Net;

static int node_of(const Net* n, int i, int j, int k) { return (k * n->count[1] + j) * n->count[0] + i; }

static ChVec3 place_of(const Net* n, double i, double j, double k) {
  return ch_add(n->low, ch_scale(n->cell, ch_vec(i, j, k)));
}

static bool is_inside(const Net* n, int node) { return n->value[node] < 0.0; }

// A few steps of Newton's method along the slope, of at most half a cell in all.
static ChVec3 pull(const Net* n, ChVec3 x) {
  ChVec3 start = x;
  double d = 1e-4 * n->cell;
  for (int move = 0; move < MOVES; ++move) {
    double f = n->f(x);
    ChVec3 slope = ch_scale(0.5 / d, ch_vec(n->f(ch_vec(x.x + d, x.y, x.z)) - n->f(ch_vec(x.x - d, x.y, x.z)),
                                            n->f(ch_vec(x.x, x.y + d, x.z)) - n->f(ch_vec(x.x, x.y - d, x.z)),
                                            n->f(ch_vec(x.x, x.y, x.z + d)) - n->f(ch_vec(x.x, x.y, x.z - d))));
    double size = ch_dot(slope, slope);
    ChVec3 next = size > 0.0 ? ch_along(x, -f / size, slope) : x;
    if (!(ch_norm(ch_sub(next, start)) <= 0.5 * n->cell)) break;
    x = next;
  }
  return x;
}

// The middle of the crossings of a cell's twelve edges; false when there are none.
static bool middle_of(const Net* n, int i, int j, int k, ChVec3* out) {
  ChVec3 sum = {0, 0, 0};
  int crossings = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 4; ++side) {
      int at[3] = {i, j, k};
      at[(axis + 1) % 3] += side & 1;
      at[(axis + 2) % 3] += side >> 1;
      int a = node_of(n, at[0], at[1], at[2]), b;
      double from[3] = {at[0], at[1], at[2]};
      ++at[axis];
      b = node_of(n, at[0], at[1], at[2]);
      if (is_inside(n, a) == is_inside(n, b)) continue;
      from[axis] += n->value[a] / (n->value[a] - n->value[b]);
      sum = ch_add(sum, place_of(n, from[0], from[1], from[2]));
      ++crossings;
    }
  if (crossings > 0) *out = ch_scale(1.0 / crossings, sum);
  return crossings > 0;
}

static void add_points(Net* n) {
  for (int k = 0; k + 1 < n->count[2]; ++k)
    for (int j = 0; j + 1 < n->count[1]; ++j)
      for (int i = 0; i + 1 < n->count[0]; ++i) {
        ChVec3 x;
        n->corner[node_of(n, i, j, k)] = -1;
        if (!middle_of(n, i, j, k, &x)) continue;
        n->corner[node_of(n, i, j, k)] = n->out->point_count;
        n->out->points[n->out->point_count++] = pull(n, x);
      }
}

// The four cells around the edge from a node along an axis, counter-clockwise as seen from where f > 0.
static void add_square(Net* n, const int at[3], int axis, bool leads_out) {
  const int around[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
  int corner[4];
  for (int c = 0; c < 4; ++c) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[(axis + 1) % 3] += around[leads_out ? c : 3 - c][0];
    cell[(axis + 2) % 3] += around[leads_out ? c : 3 - c][1];
    corner[c] = n->corner[node_of(n, cell[0], cell[1], cell[2])];
  }
  // Along the shorter diagonal.
  const ChVec3* p = n->out->points;
  int turn = ch_norm(ch_sub(p[corner[0]], p[corner[2]])) <= ch_norm(ch_sub(p[corner[1]], p[corner[3]])) ? 0 : 1;
  for (int half = 0; half < 2; ++half) {
    int* t = &n->out->triangles[3 * n->out->triangle_count++];
    for (int c = 0; c < 3; ++c) t[c] = corner[(turn + (half && c > 0 ? c + 1 : c)) % 4];
  }
}

static void add_triangles(Net* n) {
  for (int k = 1; k + 1 < n->count[2]; ++k)
    for (int j = 1; j + 1 < n->count[1]; ++j)
      for (int i = 1; i + 1 < n->count[0]; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const int at[3] = {i, j, k};
          int a = node_of(n, i, j, k), b = node_of(n, i + (axis == 0), j + (axis == 1), k + (axis == 2));
          if (is_inside(n, a) != is_inside(n, b)) add_square(n, at, axis, is_inside(n, a));
        }
}

bool ch_implicit_surface(ChImplicitFn f, ChVec3 low, ChVec3 high, double cell, ChSurfaceMesh* out) {
  *out = (ChSurfaceMesh){0};
  Net n = {.f = f, .low = low, .cell = cell, .out = out};
  size_t nodes = 1;
  for (int a = 0; a < 3; ++a) {
    n.count[a] = (int)ceil((ch_component(high, a) - ch_component(low, a)) / cell) + 1;
    nodes *= (size_t)n.count[a];
  }
  n.value = malloc(nodes * sizeof *n.value);
  n.corner = malloc(nodes * sizeof *n.corner);
  out->points = malloc(nodes * sizeof *out->points);
  out->triangles = malloc(18 * nodes * sizeof *out->triangles);
  bool good = n.value && n.corner && out->points && out->triangles;
  for (int k = 0, at = 0; good && k < n.count[2]; ++k)
    for (int j = 0; j < n.count[1]; ++j)
      for (int i = 0; i < n.count[0]; ++i, ++at) n.value[at] = f(place_of(&n, i, j, k));
  if (good) {
    add_points(&n);
    add_triangles(&n);
  }
  free(n.value);
  free(n.corner);
  return good;
}

void ch_surface_mesh_free(ChSurfaceMesh* mesh) {
  free(mesh->points);
  free(mesh->triangles);
  *mesh = (ChSurfaceMesh){0};
}
