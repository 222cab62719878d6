// disc: |r| <= mu with two rows, or the polygon in it. A cone's tangents with the normal reaction given, as in the
// tangential half of a staggered step; no block of a problem obeys it.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "problem/laws/corners.h"
#include "problem/laws/section.h"
#include "problem/polygon.h"

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  *lo = -b->mu;
  *hi = b->mu;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  (void)row;
  (void)r;
  return ch_clamp(x, -b->mu, b->mu);
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  if (b->sides > 0) {
    ch_project_polygon_disc(b->mu, b->sides, b->corners, x, y, NULL);
    return;
  }
  double radius = b->mu, t = sqrt(x[0] * x[0] + x[1] * x[1]);
  double shrink = t <= radius ? 1.0 : radius / t;
  y[0] = shrink * x[0];
  y[1] = shrink * x[1];
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  double y[2], e[2], radius = b->mu;
  if (b->sides > 0) {
    ch_project_polygon_disc(radius, b->sides, b->corners, x, y, D);
    return;
  }
  double t = sqrt(x[0] * x[0] + x[1] * x[1]);
  memset(D, 0, 4 * sizeof *D);
  if (t <= radius) {
    D[0] = D[3] = 1.0;
    return;
  }
  ch_section_direction(2, 0, x, t, e);
  ch_section_add_turning(2, 0, radius / t, e, D);
}

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  double none[2] = {0.0, 0.0}, S[4];
  ch_section_split(arena, W, b->dim, S, l);
  ch_section_prepare(S, 2, none, 0.0, l);
}

static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* given,
                        double* r) {
  double carried[2], unused;
  const double* q = ch_section_carry(l, 2, given, r, carried);
  (void)relaxed;
  (void)W;
  if (b->mu > 0.0)
    ch_section_solve(l, q[0], q[1], b->mu, 1.0, &l->root, &unused, r);
  else
    r[0] = r[1] = 0.0;
}

static bool curved(const ChScaledBlock* b) { return b->sides == 0; }

// --- polygons --------------------------------------------------------------------------------------------------------

static int rays(const ChScaledBlock* b) { return b->sides; }

static void fill(const ChScaledBlock* b, ChRayRows rows) {
  for (int j = 0; j < b->sides; ++j) memcpy(rows.G + CH_RAY_ROWS * j, b->corners + 2 * j, 2 * sizeof(double));
}

// A point in the sector of two neighbouring corners.
static void split(const ChScaledBlock* b, const double* base, const double* r, double* weight) {
  (void)base;
  for (int j = 0; j < b->sides; ++j) {
    int k = (j + 1) % b->sides;
    double first, second;
    ch_corners_split_pair(r, b->corners, j, k, &first, &second);
    if (!(first >= 0.0 && second >= 0.0)) continue;
    weight[j] += first;
    weight[k] += second;
    break;
  }
  ch_corners_sweep(b->sides, weight);
}

static const ChLawPolygon polygon = {.rays = rays, .fill = fill, .split = split};

const ChLawRow ch_law_disc = {.info = {.name = "disc",
                                       .plural = "discs",
                                       .statement = "|r| <= mu, -u in the normal cone at r",
                                       .dimension_lowest = 2,
                                       .dimension_highest = 2},
                              .together = true,
                              .capped = true,
                              .interval = interval,
                              .clamp = clamp,
                              .project = project,
                              .derivative = derivative,
                              .alart_curnier = project,
                              .alart_curnier_derivative = derivative,
                              .prepare_local = prepare_local,
                              .solve_local = solve_local,
                              .barrier = &ch_barrier_none,
                              .curved = curved,
                              .polygon = &polygon};
