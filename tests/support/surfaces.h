// Closed triangle surfaces for tests.
#ifndef CH_TESTS_SURFACES_H
#define CH_TESTS_SURFACES_H

#include <string.h>

#include "base/vector.h"
#include "cardhouse/world.h"

enum { CH_MOST_POINTS = 12000, CH_MOST_CORNERS = 72000 };

typedef struct ChTestSurface {
  int point_count, triangle_count;
  ChVec3 points[CH_MOST_POINTS];
  int triangles[CH_MOST_CORNERS];
} ChTestSurface;

static inline int ch_surface_point(ChTestSurface* s, ChVec3 x) {
  for (int k = 0; k < s->point_count; ++k)
    if (memcmp(&s->points[k], &x, sizeof x) == 0) return k;
  s->points[s->point_count] = x;
  return s->point_count++;
}

static inline void ch_surface_triangle(ChTestSurface* s, int a, int b, int c) {
  int* t = &s->triangles[3 * s->triangle_count++];
  t[0] = a, t[1] = b, t[2] = c;
}

// Cubes of edge `size` where the picture, rows of y from the top and x to the right, has a '#'; `layers` of them along
// z. The middle of the picture's box is the origin.
static inline void ch_surface_of_cubes(ChTestSurface* s, int columns, int rows, const char* picture, int layers,
                                       double size) {
  static const int around[6][4][3] = {
      // counter-clockwise from outside
      {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}}, {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}},
      {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
      {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}, {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}};
  static const int step[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
#define CH_FILLED(i, j, k)                                                            \
  ((i) >= 0 && (i) < columns && (j) >= 0 && (j) < rows && (k) >= 0 && (k) < layers && \
   picture[(rows - 1 - (j)) * columns + (i)] == '#')
  s->point_count = s->triangle_count = 0;
  for (int n = 0; n < columns * rows * layers; ++n) {
    int i = n % columns, j = n / columns % rows, k = n / columns / rows;
    if (!CH_FILLED(i, j, k)) continue;
    for (int f = 0; f < 6; ++f) {
      if (CH_FILLED(i + step[f][0], j + step[f][1], k + step[f][2])) continue;
      int corner[4];
      for (int c = 0; c < 4; ++c)
        corner[c] = ch_surface_point(
            s, ch_vec(size * (i + around[f][c][0] - 0.5 * columns), size * (j + around[f][c][1] - 0.5 * rows),
                      size * (k + around[f][c][2] - 0.5 * layers)));
      ch_surface_triangle(s, corner[0], corner[1], corner[2]);
      ch_surface_triangle(s, corner[0], corner[2], corner[3]);
    }
  }
#undef CH_FILLED
}

// An octahedron whose triangles were cut in four `cuts` times, on the unit sphere: 8 * 4^cuts triangles.
static inline void ch_surface_of_ball(ChTestSurface* s, int cuts) {
  s->point_count = s->triangle_count = 0;
  int n = 1 << cuts;
  for (int octant = 0; octant < 8; ++octant) {
    double sx = octant & 1 ? -1.0 : 1.0, sy = octant & 2 ? -1.0 : 1.0, sz = octant & 4 ? -1.0 : 1.0;
    bool turned = sx * sy * sz < 0.0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j)
        for (int half = 0; half < (i + j + 1 < n ? 2 : 1); ++half) {
          const int ij[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}}, {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
          int corner[3];
          for (int c = 0; c < 3; ++c) {
            int x = ij[half][c][0], y = ij[half][c][1], z = n - x - y;
            ChVec3 p = ch_unit(ch_vec(x ? sx * x : 0.0, y ? sy * y : 0.0, z ? sz * z : 0.0));
            corner[c] = ch_surface_point(s, p);
          }
          ch_surface_triangle(s, corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2]);
        }
  }
}

static inline ChShapeDef ch_surface_shape(const ChTestSurface* s) {
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_MESH;
  def.point_count = s->point_count, def.points = s->points;
  def.triangle_count = s->triangle_count, def.triangles = s->triangles;
  return def;
}

#endif
