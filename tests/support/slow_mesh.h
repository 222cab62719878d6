// The distance of two triangle surfaces by all pairs of triangles, each by minimising a convex function: slow, and
// nothing in common with the engine. Golden sections, nested: a point of one triangle by two coordinates, its distance
// to the other by two more would be four deep, so a pair of triangles is left to its edges and corners, of which one is
// always nearest while they are apart: edge with edge by two sections, corner with triangle by two.
#ifndef CH_TESTS_SLOW_MESH_H
#define CH_TESTS_SLOW_MESH_H

#include "model/mesh/mesh.h"

enum { CH_SLOW_SECTIONS = 70 };

typedef double (*ChSlowFn)(const void* of, double t);

static inline double ch_slow_least(ChSlowFn f, const void* of, double low, double high) {
  const double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low), fa = f(of, a), fb = f(of, b);
  for (int k = 0; k < CH_SLOW_SECTIONS; ++k) {
    if (fa <= fb) {
      high = b, b = a, fb = fa, a = high - golden * (high - low), fa = f(of, a);
    } else {
      low = a, a = b, fa = fb, b = low + golden * (high - low), fb = f(of, b);
    }
  }
  return f(of, 0.5 * (low + high));
}

// A point p[0] + s (p[1] - p[0]), and its distance to q[0] + t (q[1] - q[0]) (+ s of a triangle's third corner).
typedef struct ChSlowPair {
  ChVec3 p[2], q[3];
  double s;
  bool triangle;
} ChSlowPair;

static inline double ch_slow_inner(const void* of, double t) {
  const ChSlowPair* pair = of;
  if (pair->triangle) {
    ChVec3 x = ch_along(pair->q[0], pair->s, ch_sub(pair->q[1], pair->q[0]));
    return ch_norm(ch_sub(pair->p[0], ch_along(x, t * (1.0 - pair->s), ch_sub(pair->q[2], pair->q[0]))));
  }
  ChVec3 x = ch_along(pair->p[0], pair->s, ch_sub(pair->p[1], pair->p[0]));
  return ch_norm(ch_sub(x, ch_along(pair->q[0], t, ch_sub(pair->q[1], pair->q[0]))));
}

static inline double ch_slow_outer(const void* of, double s) {
  ChSlowPair pair = *(const ChSlowPair*)of;
  pair.s = s;
  return ch_slow_least(ch_slow_inner, &pair, 0.0, 1.0);
}

static inline double ch_slow_triangles(const ChVec3 a[3], const ChVec3 b[3]) {
  double least = INFINITY;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      ChSlowPair edges = {.p = {a[i], a[(i + 1) % 3]}, .q = {b[j], b[(j + 1) % 3]}};
      least = fmin(least, ch_slow_least(ch_slow_outer, &edges, 0.0, 1.0));
    }
  for (int i = 0; i < 3; ++i) {
    ChSlowPair first = {.p = {a[i]}, .q = {b[0], b[1], b[2]}, .triangle = true};
    ChSlowPair second = {.p = {b[i]}, .q = {a[0], a[1], a[2]}, .triangle = true};
    least = fmin(least, ch_slow_least(ch_slow_outer, &first, 0.0, 1.0));
    least = fmin(least, ch_slow_least(ch_slow_outer, &second, 0.0, 1.0));
  }
  return least;
}

static inline void ch_slow_corners(const ChMesh* mesh, int cell, ChFrame frame, ChVec3 out[3], ChBox3* box) {
  *box = (ChBox3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < 3; ++k) {
    out[k] = ch_frame_point(frame, mesh->vertices[mesh->cells[3 * cell + k]]);
    box->low = ch_vec(fmin(box->low.x, out[k].x), fmin(box->low.y, out[k].y), fmin(box->low.z, out[k].z));
    box->high = ch_vec(fmax(box->high.x, out[k].x), fmax(box->high.y, out[k].y), fmax(box->high.z, out[k].z));
  }
}

// Of surfaces that do not meet; `within` is given back where none are nearer. Triangles whose boxes are farther apart
// than the least so far are not looked at.
static inline double ch_slow_surfaces(const ChMesh* a, ChFrame at, const ChMesh* b, ChFrame to, double within) {
  double least = within;
  for (int i = 0; i < a->cell_count; ++i) {
    ChVec3 p[3], q[3];
    ChBox3 first, second;
    ch_slow_corners(a, i, at, p, &first);
    for (int j = 0; j < b->cell_count; ++j) {
      ch_slow_corners(b, j, to, q, &second);
      double dx = fmax(fmax(second.low.x - first.high.x, first.low.x - second.high.x), 0.0);
      double dy = fmax(fmax(second.low.y - first.high.y, first.low.y - second.high.y), 0.0);
      double dz = fmax(fmax(second.low.z - first.high.z, first.low.z - second.high.z), 0.0);
      if (sqrt(dx * dx + dy * dy + dz * dz) < least) least = fmin(least, ch_slow_triangles(p, q));
    }
  }
  return least;
}

// Whether an edge of one surface goes through a triangle of the other: by signs of volumes.
static inline double ch_slow_volume(ChVec3 a, ChVec3 b, ChVec3 c, ChVec3 d) {
  return ch_dot(ch_cross(ch_sub(b, a), ch_sub(c, a)), ch_sub(d, a));
}
static inline bool ch_slow_pierces(const ChVec3 p[3], const ChVec3 q[3]) {
  for (int k = 0; k < 3; ++k) {
    ChVec3 from = p[k], to = p[(k + 1) % 3];
    if (ch_slow_volume(q[0], q[1], q[2], from) * ch_slow_volume(q[0], q[1], q[2], to) >= 0.0) continue;
    double a = ch_slow_volume(from, to, q[0], q[1]), b = ch_slow_volume(from, to, q[1], q[2]);
    double c = ch_slow_volume(from, to, q[2], q[0]);
    if ((a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0)) return true;
  }
  return false;
}
static inline bool ch_slow_surfaces_meet(const ChMesh* a, ChFrame at, const ChMesh* b, ChFrame to) {
  for (int i = 0; i < a->cell_count; ++i)
    for (int j = 0; j < b->cell_count; ++j) {
      ChVec3 p[3], q[3];
      ChBox3 box;
      ch_slow_corners(a, i, at, p, &box);
      ch_slow_corners(b, j, to, q, &box);
      if (ch_slow_pierces(p, q) || ch_slow_pierces(q, p)) return true;
    }
  return false;
}

#endif
