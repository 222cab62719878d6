// Convex polytopes: box, rectangle, polygon, and what follows from the loops of faces alone.
#include "model/shapes/polytope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/shapes/polytope_build.h"

// ------------------------------------------------------------------------------------------------- topology from loops

// One direction of an edge, as a face's loop runs through it.
typedef struct Half {
  int low, high, face;
  bool forward;  // from low to high
} Half;

static int compare_halves(const void* a, const void* b) {
  const Half *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (int)y->forward - (int)x->forward;
}

// Twins must come in pairs of opposite directions: the surface is then closed and oriented.
static bool make_edges(ChArena* arena, ChPolytope* p) {
  int count = p->face_start[p->face_count];
  Half* halves = CH_TAKE(arena, count, Half);
  for (int f = 0; f < p->face_count; ++f) {
    int first = p->face_start[f], size = p->face_start[f + 1] - first;
    for (int k = 0; k < size; ++k) {
      int from = p->face_vertex[first + k], to = p->face_vertex[first + (k + 1) % size];
      halves[first + k] = (Half){from < to ? from : to, from < to ? to : from, f, from < to};
    }
  }
  qsort(halves, (size_t)count, sizeof *halves, compare_halves);
  if (count % 2 != 0) return false;
  p->edge_count = count / 2;
  p->edges = CH_TAKE(arena, p->edge_count, ChEdge);
  for (int e = 0; e < p->edge_count; ++e) {
    const Half *a = &halves[2 * e], *b = a + 1;
    bool twins = a->low == b->low && a->high == b->high && a->forward && !b->forward;
    if (!twins || (e > 0 && a->low == a[-1].low && a->high == a[-1].high)) return false;
    p->edges[e] = (ChEdge){.vertex = {a->low, a->high}, .face = {a->face, b->face}};
  }
  return p->vertex_count - p->edge_count + p->face_count == 2;
}

static void make_neighbours(ChArena* arena, ChPolytope* p) {
  p->neighbour_start = CH_TAKE(arena, p->vertex_count + 2, int);
  p->neighbour = CH_TAKE(arena, 2 * p->edge_count, int);
  for (int e = 0; e < p->edge_count; ++e)
    for (int k = 0; k < 2; ++k) ++p->neighbour_start[p->edges[e].vertex[k] + 2];
  for (int v = 0; v < p->vertex_count; ++v) p->neighbour_start[v + 2] += p->neighbour_start[v + 1];
  for (int e = 0; e < p->edge_count; ++e)
    for (int k = 0; k < 2; ++k)
      p->neighbour[p->neighbour_start[p->edges[e].vertex[k] + 1]++] = p->edges[e].vertex[1 - k];
}

// Newell's normal about the first corner; the offset lies midway between the corners that lie lowest and highest.
static void make_plane(ChPolytope* p, int face) {
  const int *loop = p->face_vertex + p->face_start[face], size = p->face_start[face + 1] - p->face_start[face];
  ChVec3 first = p->vertices[loop[0]], area = {0, 0, 0};
  for (int k = 1; k + 1 < size; ++k)
    area = ch_add(area, ch_cross(ch_sub(p->vertices[loop[k]], first), ch_sub(p->vertices[loop[k + 1]], first)));
  ChVec3 n = ch_unit(area);
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < size; ++k) {
    double height = ch_dot(n, p->vertices[loop[k]]);
    low = fmin(low, height), high = fmax(high, height);
  }
  p->normals[face] = n;
  p->offsets[face] = low == high ? low : 0.5 * (low + high);
}

static void make_radius(ChPolytope* p) {
  for (int v = 0; v < p->vertex_count; ++v) p->radius = fmax(p->radius, ch_norm(p->vertices[v]));
}

bool ch_polytope_finish(ChArena* arena, ChPolytope* p) {
  p->normals = CH_TAKE(arena, p->face_count, ChVec3);
  p->offsets = CH_TAKE(arena, p->face_count, double);
  for (int f = 0; f < p->face_count; ++f) make_plane(p, f);
  make_radius(p);
  if (!make_edges(arena, p)) return false;
  make_neighbours(arena, p);
  return true;
}

// --------------------------------------------------------------------------------------------------------------- space

ChPolytope* ch_polytope_box(ChArena* arena, ChVec3 half) {
  static const int loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  ChPolytope* p = CH_TAKE(arena, 1, ChPolytope);
  p->vertex_count = 8, p->face_count = 6;
  p->vertices = CH_TAKE(arena, 8, ChVec3);
  for (int v = 0; v < 8; ++v)  // bits of the index: x, y, z positive
    p->vertices[v] = ch_vec(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
  p->face_start = CH_TAKE(arena, 7, int);
  p->face_vertex = CH_TAKE(arena, 24, int);
  for (int f = 0; f <= 6; ++f) p->face_start[f] = 4 * f;
  memcpy(p->face_vertex, loops, sizeof loops);
  ch_polytope_finish(arena, p);  // faces -x, +x, -y, +y, -z, +z
  return p;
}

// --------------------------------------------------------------------------------------------------------------- plane

// Sides k from vertex k to k + 1.
static ChPolytope* make_polygon(ChArena* arena, int count, const ChVec3* points) {
  ChPolytope* p = CH_TAKE(arena, 1, ChPolytope);
  p->vertex_count = p->face_count = count;
  p->vertices = CH_TAKE(arena, count, ChVec3);
  p->normals = CH_TAKE(arena, count, ChVec3);
  p->offsets = CH_TAKE(arena, count, double);
  p->face_start = CH_TAKE(arena, count + 1, int);
  p->face_vertex = CH_TAKE(arena, 2 * count, int);
  p->neighbour_start = CH_TAKE(arena, count + 1, int);
  p->neighbour = CH_TAKE(arena, 2 * count, int);
  for (int k = 0; k < count; ++k) {
    int next = (k + 1) % count;
    ChVec3 side = ch_sub(points[next], points[k]);
    p->vertices[k] = points[k];
    p->normals[k] = ch_unit(ch_vec(side.y, -side.x, 0.0));
    p->offsets[k] = 0.5 * (ch_dot(p->normals[k], points[k]) + ch_dot(p->normals[k], points[next]));
    p->face_start[k] = p->neighbour_start[k] = 2 * k;
    p->face_vertex[2 * k] = k, p->face_vertex[2 * k + 1] = next;
    p->neighbour[2 * k] = (k + count - 1) % count, p->neighbour[2 * k + 1] = next;
  }
  p->face_start[count] = p->neighbour_start[count] = 2 * count;
  make_radius(p);
  return p;
}

ChPolytope* ch_polytope_rectangle(ChArena* arena, double half_x, double half_y) {
  const ChVec3 corners[4] = {{-half_x, -half_y, 0}, {half_x, -half_y, 0}, {half_x, half_y, 0}, {-half_x, half_y, 0}};
  return make_polygon(arena, 4, corners);
}

ChStatus ch_polytope_polygon(ChContext* context, ChArena* arena, int count, const ChVec3* points, ChPolytope** out) {
  if (count < 3) return ch_fail(context, CH_ERR_SIZE, "polygon: has %d points, must have 3 or more", count);
  double turned = 0.0;
  for (int k = 0; k < count; ++k) {
    ChVec3 in = ch_sub(points[(k + 1) % count], points[k]);
    ChVec3 next = ch_sub(points[(k + 2) % count], points[(k + 1) % count]);
    double sine = ch_cross(in, next).z, scale = ch_norm(in) * ch_norm(next);
    if (!(sine > 1e-12 * scale)) {
      const ChVec3 at = points[(k + 1) % count];
      return ch_fail(context, CH_ERR_RANGE,
                     "polygon: does not turn left at point %d (%g, %g); it must be convex and run counter-clockwise",
                     (k + 1) % count, at.x, at.y);
    }
    turned += atan2(sine, ch_dot(in, next));
  }
  if (!(turned < 9.0)) return ch_fail(context, CH_ERR_RANGE, "polygon: winds round more than once");
  *out = make_polygon(arena, count, points);
  return CH_OK;
}

// ------------------------------------------------------------------------------------------------------------- support

int ch_polytope_support(const ChPolytope* p, ChVec3 direction, int hint) {
  int best = hint >= 0 && hint < p->vertex_count ? hint : 0;
  double most = ch_dot(direction, p->vertices[best]);
  for (bool climbs = true; climbs;) {
    climbs = false;
    int from = best;  // a local maximum of a linear function on a convex polytope is a global one
    for (int k = p->neighbour_start[from]; k < p->neighbour_start[from + 1]; ++k) {
      double height = ch_dot(direction, p->vertices[p->neighbour[k]]);
      if (!(height > most)) continue;
      most = height, best = p->neighbour[k], climbs = true;
    }
  }
  return best;
}
