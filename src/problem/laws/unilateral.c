// unilateral: Signorini's law of one row, 0 <= r _|_ u >= 0. What a contact without friction is.
#include "base/check.h"
#include "problem/cones.h"
#include "problem/laws/local.h"

// --- what the certificate reads --------------------------------------------------------------------------------------

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  (void)block;
  (void)pose;
  y[0] = ch_project_interval(0.0, INFINITY, x[0]);
}

static ChLawTerms terms(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  (void)block;
  (void)pose;
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0]))};
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  kept->rows[0] = block->row;
  kept->g[0] = facts->d;
  kept->block.dim = 1;
}

// --- what solvers use ------------------------------------------------------------------------------------------------

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = 0.0;
  *hi = INFINITY;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  (void)b;
  (void)row;
  (void)r;
  return ch_positive_part(x);
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  (void)b;
  y[0] = x[0] <= 0.0 ? 0.0 : x[0];
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  (void)b;
  D[0] = x[0] > 0.0;
}

static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  (void)b;
  (void)relaxed;
  (void)W;
  r[0] = q[0] >= 0.0 ? 0.0 : -q[0] * l->normal_inverse;
}

// --- polygons: one variable and one ray ------------------------------------------------------------------------------

static int one(const ChScaledBlock* b) {
  (void)b;
  return 1;
}

static void list(const ChScaledBlock* b, const ChLcpPlace* place) {
  (void)b;
  ch_entry_list_add(place->G, place->row, place->at, 1.0);
}

static void bounds(const ChScaledBlock* b, unsigned char* free, double* base, double* bias) {
  (void)b;
  (void)free;
  (void)base;
  (void)bias;
}

static void point(const ChScaledBlock* b, const double* r, const double* u, double* y) {
  (void)b;
  (void)u;
  y[0] = r[0];
}

static void fill(const ChScaledBlock* b, ChRayRows rows) {
  (void)b;
  rows.G[0] = 1.0;
  rows.free[0] = 0;
}

static void split(const ChScaledBlock* b, const double* base, const double* r, double* weight) {
  (void)b;
  weight[0] = 1.0 * (r[0] - base[0]);
}

static const ChLawPolygon polygon = {
    .variables = one, .list = list, .bounds = bounds, .point = point, .rays = one, .fill = fill, .split = split};

const ChLawRow ch_law_unilateral = {.info = {.name = "unilateral",
                                             .plural = "unilaterals",
                                             .statement = "0 <= r _|_ u >= 0",
                                             .dimension_lowest = 1,
                                             .dimension_highest = 1,
                                             .opens = true},
                                    .grade = {.project = project_given, .terms = terms},
                                    .keep = keep,
                                    .interval = interval,
                                    .clamp = clamp,
                                    .project = project,
                                    .derivative = derivative,
                                    .alart_curnier = project,
                                    .alart_curnier_derivative = derivative,
                                    .prepare_local = ch_local_prepare_row,
                                    .solve_local = solve_local,
                                    .barrier = &ch_barrier_lorentz,
                                    .polygon = &polygon};
