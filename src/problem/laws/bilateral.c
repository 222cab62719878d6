// bilateral: a joint's rows. r is free and u = 0; rows may differ in unit.
// elastic: one row with u + c r in place of u. A spring and a damper at the end of a step, see assemble/rows.c.
#include <string.h>

#include "linalg/small.h"
#include "problem/laws/law.h"

// --- what the certificate reads --------------------------------------------------------------------------------------

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  (void)pose;
  for (int k = 0; k < block->dimension; ++k) y[k] = x[k];
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

// Each row has its own scale; one that no reaction moves drops out.
static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  for (int a = 0; a < block->dimension; ++a) {
    if (!(facts->diagonal[a] > 0.0)) continue;
    kept->rows[kept->block.dim] = block->row + a;
    kept->g[kept->block.dim++] = 1.0 / sqrt(facts->diagonal[a]);
  }
}

// On the scale of W + c.
static void keep_elastic(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  kept->rows[0] = block->row;
  kept->g[0] = facts->d;
  kept->block.dim = 1;
}

// --- what solvers use ------------------------------------------------------------------------------------------------

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = -INFINITY;
  *hi = INFINITY;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  (void)b;
  (void)row;
  (void)r;
  return x;
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  for (int a = 0; a < b->dim; ++a) y[a] = x[a];
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  (void)x;
  ch_small_identity(b->dim, 1.0, D);
}

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  double shifted[CH_BLOCK_MAX * CH_BLOCK_MAX];
  int d = b->dim;
  for (int k = 0; k < d * d; ++k) shifted[k] = W[k];
  for (int k = 0; k < d; ++k) shifted[k * d + k] += 1e-12;  // W_ii is scaled to 1; redundant rows stay solvable
  l->inverse = CH_TAKE(arena, d * d, double);
  if (!ch_small_invert(d, shifted, l->inverse)) ch_small_identity(d, 1.0, l->inverse);
}

static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  (void)relaxed;
  (void)W;
  ch_small_multiply(b->dim, l->inverse, q, r);
  for (int k = 0; k < b->dim; ++k) r[k] = -r[k];
}

// --- polygons: variables and rays without sign -----------------------------------------------------------------------

static int rows_of(const ChScaledBlock* b) { return b->dim; }

static void list(const ChScaledBlock* b, const ChLcpPlace* place) {
  for (int a = 0; a < b->dim; ++a) ch_entry_list_add(place->G, place->row + a, place->at + a, 1.0);
}

static void bounds(const ChScaledBlock* b, unsigned char* free, double* base, double* bias) {
  (void)base;
  (void)bias;
  memset(free, 1, (size_t)b->dim);
}

static void point(const ChScaledBlock* b, const double* r, const double* u, double* y) {
  (void)u;
  memcpy(y, r, (size_t)b->dim * sizeof *y);
}

static void fill(const ChScaledBlock* b, ChRayRows rows) {
  for (int a = 0; a < b->dim; ++a) {
    rows.G[CH_RAY_ROWS * a] = 1.0;
    rows.free[a] = 1;
  }
}

static void split(const ChScaledBlock* b, const double* base, const double* r, double* weight) {
  for (int a = 0; a < b->dim; ++a) weight[a] = 1.0 * (r[a] - base[a]);
}

static const ChLawPolygon polygon = {.variables = rows_of,
                                     .list = list,
                                     .bounds = bounds,
                                     .point = point,
                                     .rays = rows_of,
                                     .fill = fill,
                                     .split = split};

#define LARGEST_COMPLIANCE 1e100
#define FREE                                                                                                   \
  .grade = {.free = true, .project = project_given}, .interval = interval, .clamp = clamp, .project = project, \
  .derivative = derivative, .alart_curnier = project, .alart_curnier_derivative = derivative,                  \
  .prepare_local = prepare_local, .solve_local = solve_local, .barrier = &ch_barrier_none, .polygon = &polygon

const ChLawRow ch_law_elastic = {
    .info = {.name = "elastic",
             .plural = "springs",
             .statement = "u + c r = 0",
             .dimension_lowest = 1,
             .dimension_highest = 1,
             .compliance = offsetof(ChBlock, compliance),
             .parameter_count = 1,
             .parameter = {{"compliance", "compliance", offsetof(ChBlock, compliance), 0.0, LARGEST_COMPLIANCE}}},
    .keep = keep_elastic,
    FREE};

const ChLawRow ch_law_bilateral = {.info = {.name = "bilateral",
                                            .plural = "bilaterals",
                                            .statement = "u = 0",
                                            .dimension_lowest = 1,
                                            .dimension_highest = CH_BLOCK_MAX,
                                            .equation = true},
                                   .keep = keep,
                                   FREE};
