// limit: a motor or friction in a joint. lo <= r <= hi; u = 0 inside, u >= 0 at lo, u <= 0 at hi.
#include <math.h>

#include "base/check.h"
#include "problem/cones.h"
#include "problem/laws/local.h"

static ChStatus check(ChContext* context, const ChBlock* block, int i) {
  if (block->lo <= block->hi && block->lo < INFINITY && block->hi > -INFINITY) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "limit %d: bounds are [%g, %g], must be lo <= hi", i, block->lo, block->hi);
}

// --- what the certificate reads --------------------------------------------------------------------------------------

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  (void)pose;
  y[0] = ch_project_interval(block->lo, block->hi, x[0]);
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  kept->rows[0] = block->row;
  kept->g[0] = facts->d;
  kept->block.dim = 1;
}

static void set_bounds(const ChBlock* block, double unit, ChScaledBlock* out) {
  out->lo = block->lo / unit;
  out->hi = block->hi / unit;
}

// --- what solvers use ------------------------------------------------------------------------------------------------

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  *lo = b->lo;
  *hi = b->hi;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  (void)row;
  (void)r;
  return ch_clamp(x, b->lo, b->hi);
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  y[0] = ch_project_interval(b->lo, b->hi, x[0]);
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) { D[0] = x[0] > b->lo && x[0] < b->hi; }

static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  (void)relaxed;
  (void)W;
  r[0] = ch_project_interval(b->lo, b->hi, -q[0] * l->normal_inverse);
}

// --- polygons: a variable and a ray from a finite bound, and a multiplier of the other -------------------------------

static bool is_low(const ChScaledBlock* b) { return isfinite(b->lo); }
static bool is_high(const ChScaledBlock* b) { return isfinite(b->hi); }
static double sign_of(const ChScaledBlock* b) { return is_low(b) || !is_high(b) ? 1.0 : -1.0; }
static double base_of(const ChScaledBlock* b) { return is_low(b) ? b->lo : is_high(b) ? b->hi : 0.0; }

static int variables(const ChScaledBlock* b) { return is_low(b) && is_high(b) ? 2 : 1; }

static void list(const ChScaledBlock* b, const ChLcpPlace* place) {
  ch_entry_list_add(place->G, place->row, place->at, sign_of(b));
  if (variables(b) == 1) return;
  ch_entry_list_add(place->C, place->at, place->at + 1, 1.0);
  ch_entry_list_add(place->C, place->at + 1, place->at, -1.0);
}

static void bounds(const ChScaledBlock* b, unsigned char* free, double* base, double* bias) {
  free[0] = !is_low(b) && !is_high(b);
  base[0] = base_of(b);
  if (variables(b) == 2) bias[1] = b->hi - b->lo;
}

static void point(const ChScaledBlock* b, const double* r, const double* u, double* y) {
  y[0] = is_low(b) ? r[0] - b->lo : is_high(b) ? b->hi - r[0] : r[0];
  if (variables(b) == 2) y[1] = fmax(-u[0], 0.0);
}

static int one(const ChScaledBlock* b) {
  (void)b;
  return 1;
}

static void fill(const ChScaledBlock* b, ChRayRows rows) {
  rows.G[0] = sign_of(b);
  rows.base[0] = base_of(b);
  rows.free[0] = !is_low(b) && !is_high(b);
  if (is_low(b) && is_high(b)) rows.bound[0] = b->hi - b->lo;
}

static void split(const ChScaledBlock* b, const double* base, const double* r, double* weight) {
  weight[0] = sign_of(b) * (r[0] - base[0]);
}

static const ChLawPolygon polygon = {
    .variables = variables, .list = list, .bounds = bounds, .point = point, .rays = one, .fill = fill, .split = split};

const ChLawRow ch_law_limit = {
    .info = {.name = "limit",
             .plural = "limits",
             .statement = "lo <= r <= hi, u = 0 inside, u >= 0 at lo, u <= 0 at hi",
             .dimension_lowest = 1,
             .dimension_highest = 1,
             .parameter_count = 2,
             .parameter = {{"lo", "lower bound lo", offsetof(ChBlock, lo), -INFINITY, INFINITY},
                           {"hi", "upper bound hi", offsetof(ChBlock, hi), -INFINITY, INFINITY}}},
    .check = check,
    .leaves_zero_out = true,
    .grade = {.project = project_given},
    .keep = keep,
    .set_bounds = set_bounds,
    .interval = interval,
    .clamp = clamp,
    .project = project,
    .derivative = derivative,
    .alart_curnier = project,
    .alart_curnier_derivative = derivative,
    .prepare_local = ch_local_prepare_row,
    .solve_local = solve_local,
    .barrier = &ch_barrier_bounds,
    .polygon = &polygon};
