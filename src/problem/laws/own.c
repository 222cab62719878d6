// Laws that a program registered: cardhouse/own_law.h. One row serves all of them; `own` of a row says which functions.
//
// A set K is known by its projection: r = P(r - u). In scaled variables, r = c r', the set is K / c and its projection
// P(c r') / c, with the same derivative. A section is a cone's, which needs no scale (cone_over.h). Solvers find the
// point of a cone by Newton's method on its height; the certificate, below, by halving, and asks no derivative.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "problem/laws/cone_over.h"
#include "problem/laws/local.h"
#include "problem/laws/own.h"

enum { HALVINGS = 1100 };  // from the largest number to the smallest
#define STEP 1e-6          // of differences, relative
#define STANDS 1e-13       // of W_ii, which is scaled to 1: a row that nothing moves

// --- what the certificate reads --------------------------------------------------------------------------------------

static const ChOwnLaw* given(const ChBlock* block) { return ch_law_row(block)->own; }

static double sum_of(int n, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k];
  return sum;
}

static void project_set(const ChBlock* block, ChPose pose, const double* x, double* y) {
  double near[CH_BLOCK_MAX];
  (void)pose;
  given(block)->project(block->more, x, near);
  memcpy(y, near, (size_t)block->dimension * sizeof *y);
}

// near = the point of n D nearest to x_T, and half the slope of the distance to (n, n D) in n.
static double slope_at(const ChBlock* block, const double* x, double n, double* near) {
  double t[CH_BLOCK_MAX] = {0.0}, slope = n - x[0];
  const int m = block->dimension - 1;
  for (int a = 0; a < m; ++a) t[a] = x[1 + a] / n;
  given(block)->project(block->more, t, near);
  for (int a = 0; a < m; ++a) {
    slope -= (x[1 + a] - n * near[a]) * near[a];
    near[a] *= n;
  }
  return slope;
}

static void project_cone(const ChBlock* block, ChPose pose, const double* x, double* y) {
  const int m = block->dimension - 1;
  const double sum = sum_of(m + 1, x);
  double back[CH_BLOCK_MAX], near[CH_BLOCK_MAX] = {0.0};
  for (int a = 0; a < m; ++a) back[a] = -x[1 + a];
  double low = ch_max(x[0], 0.0), high = x[0] + given(block)->support(block->more, back, NULL), n = low;
  if (isnan(sum) || pose == CH_POSE_FRICTIONLESS || !(high > 0.0)) {
    y[0] = isnan(sum) ? sum : pose == CH_POSE_FRICTIONLESS ? low : 0.0;
    for (int a = 0; a < m; ++a) y[1 + a] = isnan(sum) ? sum : 0.0;
    return;
  }
  for (int k = 0; k < HALVINGS && low < high; ++k) {
    n = low > 0.0 || k > 0 ? low + 0.5 * (high - low) : high;
    if (k > 0 && (n == low || n == high)) break;
    if (k == 0 && low > 0.0 && !(slope_at(block, x, low, near) < 0.0)) {
      n = high = low;
      break;
    }
    if (slope_at(block, x, n, near) > 0.0)
      high = n;
    else
      low = n;
  }
  slope_at(block, x, n, near);
  y[0] = n;
  memcpy(y + 1, near, (size_t)m * sizeof *y);
}

static double support(const ChBlock* block, ChPose pose, const double* u) {
  const double most = given(block)->support(block->more, u + 1, NULL);
  return pose == CH_POSE_FRICTIONLESS ? 0.0 * most : most;
}

static double residual(const ChBlock* block, double otherwise, const double* r, const double* u) {
  return given(block)->residual ? given(block)->residual(block->more, r, u) : otherwise;
}

static ChLawTerms terms_of_cone(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  double dissipated = support(block, pose, u) * r[0];
  for (int a = 1; a < block->dimension; ++a) dissipated += r[a] * u[a];
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0])),
                      .dissipation = residual(block, fabs(dissipated), r, u)};
}

static ChLawTerms terms_of_set(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  (void)pose, (void)diagonal;
  return (ChLawTerms){.dissipation = residual(block, 0.0, r, u)};
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  const bool section = kept->block.law->own->section, smooth = section && facts->pose == CH_POSE_FRICTIONLESS;
  kept->block.dim = smooth ? 1 : block->dimension;
  kept->block.mu = section && !smooth ? 1.0 : 0.0;  // slips are measured in sigma itself
  kept->block.hi = 1.0;
  memcpy(kept->block.more, block->more, sizeof kept->block.more);
  if (smooth) kept->block.law = &ch_law_unilateral;
  for (int a = 0; a < kept->block.dim; ++a) kept->rows[a] = block->row + a, kept->g[a] = facts->d;
}

// `hi` is the unit of r.
static void set_bounds(const ChBlock* block, double unit, ChScaledBlock* out) {
  (void)block;
  out->hi = unit;
}

// --- what solvers use: sets ------------------------------------------------------------------------------------------

// J of n rows at x by central differences.
static void differentiate(const ChOwnLaw* law, const double* parameter, int n, const double* x, double* J) {
  double size = 1.0;
  for (int k = 0; k < n; ++k) size = ch_max(size, fabs(x[k]));
  for (int c = 0; c < n; ++c) {
    double at[CH_BLOCK_MAX], ahead[CH_BLOCK_MAX], behind[CH_BLOCK_MAX];
    memcpy(at, x, (size_t)n * sizeof *at);
    at[c] = x[c] + STEP * size;
    law->project(parameter, at, ahead);
    at[c] = x[c] - STEP * size;
    law->project(parameter, at, behind);
    for (int a = 0; a < n; ++a) J[a * n + c] = (ahead[a] - behind[a]) / (2.0 * STEP * size);
  }
}

static void differentiate_given(const ChOwnLaw* law, const double* parameter, int n, const double* x, double* J) {
  if (law->derivative)
    law->derivative(parameter, x, J);
  else
    differentiate(law, parameter, n, x, J);
}

static void in_units(const ChScaledBlock* b, const double* x, double* out) {
  for (int a = 0; a < b->dim; ++a) out[a] = b->hi * x[a];
}

static void set_project(const ChScaledBlock* b, const double* x, double* y) {
  double at[CH_BLOCK_MAX], near[CH_BLOCK_MAX];
  in_units(b, x, at);
  b->law->own->project(b->more, at, near);
  for (int a = 0; a < b->dim; ++a) y[a] = near[a] / b->hi;
}

static void set_derivative(const ChScaledBlock* b, const double* x, double* D) {
  double at[CH_BLOCK_MAX];
  in_units(b, x, at);
  differentiate_given(b->law->own, b->more, b->dim, at, D);
}

static void set_interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = -INFINITY, *hi = INFINITY;
}

static double set_clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  double at[CH_BLOCK_MAX];
  memcpy(at, r, (size_t)b->dim * sizeof *at);
  at[row] = x;
  set_project(b, at, at);
  return at[row];
}

// --- what solvers use: sections --------------------------------------------------------------------------------------

static void section_project(const void* data, const double* t, double* p) {
  const ChScaledBlock* b = data;
  b->law->own->project(b->more, t, p);
}

static void section_derivative(const void* data, const double* t, double* J) {
  const ChScaledBlock* b = data;
  differentiate_given(b->law->own, b->more, b->dim - 1, t, J);
}

static double section_support(const void* data, const double* u, double* gradient) {
  const ChScaledBlock* b = data;
  return b->law->own->support(b->more, u, gradient);
}

static ChConeSection map_of(const ChScaledBlock* b) {
  return (ChConeSection){b->dim - 1, b, section_project, section_derivative, section_support};
}

static void cone_interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = 0.0, *hi = INFINITY;
}

static double cone_clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  const ChConeSection map = map_of(b);
  return ch_cone_over_clamp(&map, row, x, r);
}

static void cone_project(const ChScaledBlock* b, const double* x, double* y) {
  const ChConeSection map = map_of(b);
  ch_cone_over_project(&map, x, y);
}

static void cone_derivative(const ChScaledBlock* b, const double* x, double* D) {
  const ChConeSection map = map_of(b);
  ch_cone_over_derivative(&map, x, D);
}

static void cone_alart_curnier(const ChScaledBlock* b, const double* x, double* y) {
  const ChConeSection map = map_of(b);
  ch_cone_over_alart_curnier(&map, x, y);
}

static void cone_alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D) {
  const ChConeSection map = map_of(b);
  ch_cone_over_alart_curnier_derivative(&map, x, D);
}

static double cone_slip(const ChScaledBlock* b, const double* u, double* gradient) {
  if (gradient) gradient[0] = 0.0;
  return b->law->own->support(b->more, u + 1, gradient ? gradient + 1 : NULL);
}

// --- one block -------------------------------------------------------------------------------------------------------

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  (void)arena, (void)b, (void)W, (void)l;
}

// What the law's own solution found, where it has one: r in its unit, u = W r + unit q.
static bool solve_given(const ChScaledBlock* b, const double* W, const double* q, double* r) {
  const ChOwnLaw* law = b->law->own;
  double at[CH_BLOCK_MAX], drive[CH_BLOCK_MAX];
  if (!law->solve) return false;
  in_units(b, r, at);
  in_units(b, q, drive);
  if (!law->solve(b->more, W, drive, at)) return false;
  for (int a = 0; a < b->dim; ++a) r[a] = at[a] / b->hi;
  return true;
}

static void solve_slowly(const ChScaledBlock* b, const double* W, const double* q, double* r) {
  const ChConeSection map = map_of(b);
  ch_cone_over_solve_bracketed(&map, W, q, r);
}

static void cone_solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                             double* r) {
  double S[CH_BLOCK_MAX * CH_BLOCK_MAX];
  (void)l;
  memcpy(S, W, (size_t)(b->dim * b->dim) * sizeof *S);
  for (int a = 1; a < b->dim; ++a) S[a * (b->dim + 1)] = ch_max(S[a * (b->dim + 1)], STANDS);
  if (!relaxed && q[0] < 0.0 && solve_given(b, S, q, r)) return;
  ch_local_solve_cone(b, relaxed, S, q, solve_slowly, r);
}

static void set_solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                            double* r) {
  (void)relaxed, (void)l;
  if (solve_given(b, W, q, r)) return;
  if (!ch_local_newton(b, true, W, q, r)) {
    ch_local_minimize(b, W, q, r);
    ch_local_newton(b, true, W, q, r);
  }
  set_project(b, r, r);
}

// --- the rows --------------------------------------------------------------------------------------------------------

static const ChLawRow section_row = {.info = {.opens = true},
                                     .grade = {.project = project_cone, .support = support, .terms = terms_of_cone},
                                     .keep = keep,
                                     .set_bounds = set_bounds,
                                     .together = true,
                                     .interval = cone_interval,
                                     .clamp = cone_clamp,
                                     .project = cone_project,
                                     .derivative = cone_derivative,
                                     .alart_curnier = cone_alart_curnier,
                                     .alart_curnier_derivative = cone_alart_curnier_derivative,
                                     .slip = cone_slip,
                                     .prepare_local = prepare_local,
                                     .solve_local = cone_solve_local};

static const ChLawRow set_row = {.grade = {.project = project_set, .terms = terms_of_set},
                                 .keep = keep,
                                 .set_bounds = set_bounds,
                                 .leaves_zero_out = true,
                                 .together = true,
                                 .interval = set_interval,
                                 .clamp = set_clamp,
                                 .project = set_project,
                                 .derivative = set_derivative,
                                 .alart_curnier = set_project,
                                 .alart_curnier_derivative = set_derivative,
                                 .prepare_local = prepare_local,
                                 .solve_local = set_solve_local};

ChLawRow ch_own_row(const ChOwnLaw* law) {
  ChLawRow row = law->section ? section_row : set_row;
  ChLawInfo* info = &row.info;
  row.own = law;
  info->name = law->name;
  info->plural = law->plural;
  info->statement = law->statement;
  info->dimension_lowest = info->dimension_highest = law->dimension;
  info->parameter_count = law->parameter_count;
  for (int k = 0; k < law->parameter_count; ++k)
    info->parameter[k] = (ChLawParameter){law->parameter[k].name, law->parameter[k].name,
                                          offsetof(ChBlock, more) + (size_t)k * sizeof(double),
                                          law->parameter[k].lowest, law->parameter[k].highest};
  return row;
}
