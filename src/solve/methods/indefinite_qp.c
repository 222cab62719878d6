// indefinite-qp: a null-space active-set method, with inertia control, on the non-convex programme of friction_qp.h.
//
//   x_B = t + T x_N.  Of x_N some are superbasic (free to move), the rest stand at 0. With reduced gradient g and
//   Hessian H over the superbasic ones:  H positive definite: step -H^-1 g;  negative curvature v'Hv < 0: along v,
//   downhill, as far as it goes. What blocks the step leaves; at a stationary point of the face the variable with the
//   most negative gradient joins. None left: the first-order conditions hold.
//
// One variable joins at a time, so that H never has more than one negative eigenvalue for long: at a vertex it is
// empty. Phase 1 minimises the cover y0 of w = A y + b + d y0 by the same steps. Equal ratios would let it cycle: b is
// perturbed by distinct small amounts, and the last basis is solved with b itself.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "solve/lcp/tableau.h"
#include "solve/qp/friction_qp.h"

#define CH_OPTION_PREFIX "indefinite-qp"
#define INDEFINITE_OPTIONS(X)                                                                        \
  X(double, tol_pivot, 1e-9, 0.0, 1.0, "smallest pivot accepted, relative to its column")            \
  X(double, tol_gradient, 1e-9, 0.0, 1.0, "reduced gradient that counts as zero")                    \
  X(double, perturbation, 1e-9, 0.0, 1e-3, "perturbation of b against cycling, relative to |b|")     \
  X(int, superbasic, 600, 1, CH_FRICTION_QP_LARGEST, "largest number of variables off their bounds") \
  X(int, renew, 200, 1, 100000, "pivots after which the tableau is rebuilt from the problem")
CH_OPTIONS(INDEFINITE_OPTIONS)

static const double CURVATURE = 1e-10;  // relative to |H|: below, a direction counts as flat

typedef enum Move { MOVE_STATIONARY, MOVE_NEWTON, MOVE_FAR, MOVE_FAILED } Move;

typedef struct Search {
  ChRun* run;
  Options o;
  ChFrictionQp qp;
  ChTableau t;
  int n, most;            // most = superbasic variables at most
  bool feasible;          // phase 2
  double *b, *d;          // perturbed b, cover
  int count;              // superbasic variables
  int* member;            // their columns of T
  unsigned char* joined;  // n + 1: column is superbasic
  double *cost, *g;       // weight of every variable, reduced gradient
  double *H, *lambda;     // count x count, becomes its eigenvectors
  double *dy, *dw;        // n x count: change of y and w along each member
  double *step, *along;   // direction of members, of basic variables
} Search;

static int complement(const Search* s, int v) { return v < s->n ? v + s->n : v - s->n; }
static bool is_cover(const Search* s, int v) { return v == 2 * s->n; }
static bool is_free(const Search* s, int v) { return v >= s->n && !is_cover(s, v) && s->qp.lcp.free[v - s->n]; }
// The slack of an equation stands at 0; so does the cover once it has left.
static bool is_fixed(const Search* s, int v) { return v < s->n ? s->qp.lcp.free[v] : is_cover(s, v) && s->feasible; }

static void create(Search* s) {
  ChArena* arena = s->run->arena;
  const int n = s->n = s->qp.n;
  s->most = s->o.superbasic < n ? s->o.superbasic : n;
  const size_t most = (size_t)s->most;
  s->b = CH_TAKE(arena, n, double);
  s->d = CH_TAKE(arena, n, double);
  s->member = CH_TAKE(arena, most, int);
  s->joined = CH_TAKE(arena, n + 1, unsigned char);
  s->cost = CH_TAKE(arena, 2 * n + 1, double);
  s->g = CH_TAKE(arena, n + 1, double);
  s->H = CH_TAKE(arena, most * most, double);
  s->lambda = CH_TAKE(arena, most, double);
  s->dy = CH_TAKE(arena, most * (size_t)n, double);
  s->dw = CH_TAKE(arena, most * (size_t)n, double);
  s->step = CH_TAKE(arena, most, double);
  s->along = CH_TAKE(arena, n, double);
  double size = 0.0;
  for (int i = 0; i < n; ++i) size = fmax(size, fabs(s->qp.lcp.b[i]));
  unsigned long seed = 1;
  for (int i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    const double draw = 1.0 + (double)(seed >> 33) / 2147483648.0;
    s->d[i] = s->qp.lcp.free[i] ? 0.0 : 1.0;
    s->b[i] = s->qp.lcp.b[i] + (s->qp.lcp.free[i] ? 0.0 : s->o.perturbation * size * draw);
  }
  s->t = ch_tableau(arena, &s->qp.lcp.A, s->b, s->d);
}

// Joints carry what they must: their variables become basic, as far as the equations are independent.
static bool settle_joints(Search* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->qp.lcp.free[i] && fabs(s->t.T[(size_t)i * (size_t)s->n + (size_t)i]) > 1e-8) {
      ch_tableau_exchange(&s->t, i, i);
      s->t.x[i] = 0.0;
    }
  return s->t.exchanges == 0 || ch_tableau_renew(&s->t);
}

// y0 takes the place of the most negative slack and lifts the others.
static void cover(Search* s) {
  int worst = -1;
  for (int i = 0; i < s->n; ++i) {
    const int v = s->t.basic[i];
    if (v < s->n && !is_fixed(s, v) && s->t.x[v] < 0.0 && (worst < 0 || s->t.x[v] < s->t.x[s->t.basic[worst]]))
      worst = i;
  }
  s->feasible = worst < 0;
  if (s->feasible) return;
  const double lift = -s->t.x[s->t.basic[worst]];
  for (int i = 0; i < s->n; ++i) s->t.x[s->t.basic[i]] += lift * s->t.T[(size_t)s->n * (size_t)s->n + (size_t)i];
  s->t.x[s->t.basic[worst]] = 0.0;
  s->t.x[2 * s->n] = lift;
  ch_tableau_exchange(&s->t, worst, s->n);
}

// g = gradient of y'w (phase 1: of y0) in the variables that are not basic
static void fill_gradient(Search* s) {
  const int n = s->n;
  for (int v = 0; v < 2 * n; ++v) s->cost[v] = s->feasible && !s->qp.lcp.free[v % n] ? s->t.x[complement(s, v)] : 0.0;
  s->cost[2 * n] = s->feasible ? 0.0 : 1.0;
  for (int j = 0; j <= n; ++j) s->g[j] = s->cost[s->t.other[j]];
  for (int i = 0; i < n; ++i) s->along[i] = s->cost[s->t.basic[i]];
  cblas_dgemv(CblasColMajor, CblasTrans, n, n + 1, 1.0, s->t.T, n, s->along, 1, 1.0, s->g, 1);
}

static void fill_change(Search* s, int k) {
  const size_t n = (size_t)s->n;
  double *dy = s->dy + (size_t)k * n, *dw = s->dw + (size_t)k * n;
  const double* column = s->t.T + (size_t)s->member[k] * n;
  memset(dy, 0, n * sizeof *dy);
  memset(dw, 0, n * sizeof *dw);
  for (int i = 0; i <= s->n; ++i) {
    const int v = i < s->n ? s->t.basic[i] : s->t.other[s->member[k]];
    if (is_cover(s, v) || s->qp.lcp.free[v % s->n]) continue;
    *(v < s->n ? dw + v : dy + v - s->n) = i < s->n ? column[i] : 1.0;
  }
}

// H = dy'dw + dw'dy, and its eigenvectors
static bool fill_curvature(Search* s) {
  const int n = s->n, m = s->count;
  memset(s->H, 0, (size_t)m * (size_t)m * sizeof(double));
  if (s->feasible) {
    for (int k = 0; k < m; ++k) fill_change(s, k);
    cblas_dsyr2k(CblasColMajor, CblasUpper, CblasTrans, m, n, 1.0, s->dy, n, s->dw, n, 0.0, s->H, m);
  }
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', m, s->H, m, s->lambda) == 0;
}

// step = - sum over the chosen eigenvectors of (v'g) / divisor v. Returns the largest |v'g|.
static double add_along(Search* s, int first, int last, bool newton) {
  double largest = 0.0;
  for (int k = first; k < last; ++k) {
    const double* v = s->H + (size_t)k * (size_t)s->count;
    double slope = 0.0;
    for (int j = 0; j < s->count; ++j) slope += v[j] * s->g[s->member[j]];
    largest = fmax(largest, fabs(slope));
    for (int j = 0; j < s->count; ++j) s->step[j] -= slope / (newton ? s->lambda[k] : 1.0) * v[j];
  }
  return largest;
}

static Move choose_step(Search* s, double tolerance) {
  const int m = s->count;
  if (m == 0) return MOVE_STATIONARY;
  if (!fill_curvature(s)) return MOVE_FAILED;
  const double flat = CURVATURE * fmax(1.0, fabs(s->lambda[m - 1]));
  memset(s->step, 0, (size_t)m * sizeof *s->step);
  if (s->lambda[0] < -flat) {
    double slope = 0.0;
    for (int j = 0; j < m; ++j) slope += s->H[j] * s->g[s->member[j]];
    for (int j = 0; j < m; ++j) s->step[j] = slope > 0.0 ? -s->H[j] : s->H[j];
    return MOVE_FAR;
  }
  int curved = 0;
  while (curved < m && s->lambda[curved] <= flat) ++curved;
  if (add_along(s, 0, curved, false) > tolerance) return MOVE_FAR;
  memset(s->step, 0, (size_t)m * sizeof *s->step);
  return add_along(s, curved, m, true) > tolerance ? MOVE_NEWTON : MOVE_STATIONARY;
}

// The variable at a bound whose release lowers the value fastest; -1: none.
static int price(const Search* s, double tolerance) {
  int best = -1;
  double most = tolerance;
  for (int j = 0; j <= s->n; ++j) {
    if (s->joined[j] || is_fixed(s, s->t.other[j])) continue;
    const double gain = is_free(s, s->t.other[j]) ? fabs(s->g[j]) : -s->g[j];
    if (gain > most) most = gain, best = j;
  }
  return best;
}

static void leave(Search* s, int k) {
  s->joined[s->member[k]] = 0;
  s->member[k] = s->member[--s->count];
}

typedef struct Block {
  double length;
  int row, member;  // of the variable that is met; -1
} Block;

// How far the step may go, and what is met: a basic variable or a superbasic one. The cover leaves whenever it can.
static Block find_block(const Search* s) {
  Block block = {INFINITY, -1, -1};
  double largest = 0.0;
  for (int i = 0; i < s->n; ++i) largest = fmax(largest, fabs(s->along[i]));
  for (int i = 0; i < s->n; ++i) {
    const int v = s->t.basic[i];
    if (!(s->along[i] < -s->o.tol_pivot * largest) || is_free(s, v) || is_fixed(s, v)) continue;
    const double length = fmax(s->t.x[v], 0.0) / -s->along[i];
    if (length < block.length || (is_cover(s, v) && length <= block.length * (1.0 + 1e-12)))
      block = (Block){length, i, -1};
  }
  for (int k = 0; k < s->count; ++k) {
    const int v = s->t.other[s->member[k]];
    if (!(s->step[k] < 0.0) || is_free(s, v)) continue;
    const double length = fmax(s->t.x[v], 0.0) / -s->step[k];
    if (length < block.length) block = (Block){length, -1, k};
  }
  return block;
}

// The blocking basic variable changes places with the superbasic one that moves it most, and stands at 0.
static bool drop_row(Search* s, int row) {
  int best = 0;
  for (int k = 1; k < s->count; ++k)
    if (fabs(s->t.T[(size_t)s->member[k] * (size_t)s->n + (size_t)row]) >
        fabs(s->t.T[(size_t)s->member[best] * (size_t)s->n + (size_t)row]))
      best = k;
  s->t.x[s->t.basic[row]] = 0.0;
  const bool covered = is_cover(s, s->t.basic[row]);
  ch_tableau_exchange(&s->t, row, s->member[best]);
  leave(s, best);
  if (covered) s->feasible = true;
  return s->t.exchanges < s->o.renew || ch_tableau_renew(&s->t);
}

// One step; false when nothing more can be done.
static bool advance(Search* s, Move move) {
  memset(s->along, 0, (size_t)s->n * sizeof *s->along);
  for (int k = 0; k < s->count; ++k)
    cblas_daxpy(s->n, s->step[k], s->t.T + (size_t)s->member[k] * (size_t)s->n, 1, s->along, 1);
  const Block block = find_block(s);
  const bool blocked = move == MOVE_FAR || block.length < 1.0;
  const double length = blocked ? block.length : 1.0;
  if (!isfinite(length)) return false;
  for (int i = 0; i < s->n; ++i) s->t.x[s->t.basic[i]] += length * s->along[i];
  for (int k = 0; k < s->count; ++k) s->t.x[s->t.other[s->member[k]]] += length * s->step[k];
  if (!blocked) return true;
  if (block.row >= 0) return drop_row(s, block.row);
  s->t.x[s->t.other[s->member[block.member]]] = 0.0;
  leave(s, block.member);
  return true;
}

static void offer(Search* s, long iteration) {
  ch_run_note(s->run, iteration, ch_friction_qp_offer(&s->qp, s->run, s->t.x + s->n));
}

// True at a point that meets the first-order conditions.
static bool descend(Search* s, long limit) {
  for (long k = 1; k <= limit && !ch_run_late(s->run); ++k) {
    fill_gradient(s);
    double size = 1.0;
    for (int v = 0; v <= 2 * s->n; ++v) size = fmax(size, s->cost[v]);
    Move move = choose_step(s, s->o.tol_gradient * size);
    if (move == MOVE_STATIONARY) {
      const int j = price(s, s->o.tol_gradient * size);
      if (j < 0) return true;
      if (s->count == s->most) return false;
      s->joined[j] = 1;
      s->member[s->count++] = j;
      move = choose_step(s, 0.0);
    }
    if (move == MOVE_FAILED || move == MOVE_STATIONARY || !advance(s, move)) return false;
    ++s->run->inner;
    if (k % 100 == 0) offer(s, k);
  }
  return false;
}

static void solve(ChRun* run) {
  Search s = {.run = run, .o = read_options(run->options), .qp = ch_friction_qp(run->arena, run->system)};
  create(&s);
  ++run->outer;
  if (!settle_joints(&s)) return;
  cover(&s);
  const long limit = run->max_iterations > 0 ? run->max_iterations : 1000000;
  const bool stationary = descend(&s, limit);
  if (!ch_tableau_values(&s.t, s.qp.lcp.b)) return;
  ++run->factorizations;
  offer(&s, run->inner);
  ch_friction_qp_end(&s.qp, run, s.t.x + s.n, s.t.x, stationary);
}

const ChMethod ch_method_indefinite_qp = {
    .name = "indefinite-qp",
    .summary = "active-set method with inertia control on the non-convex QP: may end in points that are not solutions",
    .document = "Kaufman 2009",
    .equation = "(5.31), (5.32), section 5.6.3",
    .literature = "Gill, Murray, Saunders and Wright 1991",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNSYMMETRIC | CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT | CH_IS_LOCAL,
    .largest = CH_FRICTION_QP_LARGEST,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
