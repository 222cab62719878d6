// staggered: the contact problem with friction frozen, the friction problem with normal reactions frozen, and again
// (algorithm 1 of Kaufman 2009; numbers in brackets are its sections and equations).
//
//   contact    r_N <- argmin 1/2 r_N W_NN r_N + r_N (q_N + W_NT f)   over half lines
//   friction   f   <- argmin 1/2 f W_TT f + f (q_T + W_TN r_N)       over discs |f_i| <= mu_i r_N,i (plane: intervals)
//
// Bilateral, unilateral and limit rows belong to the contact problem. A fixed point is exact Coulomb. f is what is warm
// started (5.4.1) and what Anderson acceleration extrapolates; the best pair is kept (5.4.4).
//
// A run that ends early closes with a contact projection, so that Signorini's law holds even then (5.4.2), and so that
// friction stays in its discs: first with the ratio f_i / r_N,i of the best pair frozen instead of f itself, which near
// a solution changes little; where that has no solution, with f frozen and clipped until it fits.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "solve/convex_view.h"
#include "solve/fixed_point.h"
#include "solve/half_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "staggered"
#define STAGGERED_OPTIONS(X)                                                                                  \
  X(int, anderson, 5, 0, 50, "iterations that Anderson acceleration looks back on; 0 = off")                  \
  X(double, damping, 1.0, 0.01, 1.0, "share of the new friction in a plain iteration")                        \
  X(double, rel_err, 0.0, 0.0, 1.0, "also stop when friction changes by less, relative, in the kinetic norm") \
  X(int, patience, 600, 1, 1e9, "iterations without a tenth of progress before giving up")                    \
  X(int, settle, 1, 0, 1, "1 = a run that ends early closes with a contact projection")                       \
  X(double, inner_share, 0.01, 1e-6, 1.0, "error of an inner solve relative to the last error seen outside")
CH_OPTIONS(STAGGERED_OPTIONS)

enum { RATIO_STEPS = 100, MOST_CLIPS = 60 };
#define LOOSEST_INNER 1e-4
#define CLIP_TOLERANCE 0.01  // of the run's

typedef struct Staggered {
  ChRun* run;
  const ChSystem* s;
  Options options;
  ChHalfSystem normal, tangential;
  ChConvexView contact, friction;
  double *r_n, *f;      // the two answers
  double* x;            // friction that the contact problem is given
  double *r, *u;        // the whole
  double *change, *Wf;  // of the friction, for the stopping rule
} Staggered;

static void staggered_init(Staggered* g, ChRun* run) {
  const ChSystem* s = run->system;
  *g = (Staggered){.run = run, .s = s, .options = read_options(run->options)};
  ch_half_normal(run->arena, s, &g->normal);
  ch_half_tangential(run->arena, s, &g->tangential);
  ch_convex_view_init(&g->contact, run, &g->normal.system);
  ch_convex_view_init(&g->friction, run, &g->tangential.system);
  double** vectors[] = {&g->r_n, &g->f, &g->x, &g->r, &g->u, &g->change, &g->Wf};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  ch_half_gather(&g->normal, run->r, g->r_n);
  ch_half_gather(&g->tangential, run->r, g->x);
}

// Velocity that the reactions of one half alone leave, at the rows of the other.
static void velocity_across(Staggered* g, const ChHalfSystem* from, const double* part, const ChHalfSystem* to,
                            double* q) {
  memset(g->r, 0, (size_t)g->s->rows * sizeof(double));
  ch_half_scatter(from, part, g->r);
  ch_system_velocity(g->s, g->r, g->u);
  ch_half_gather(to, g->u, q);
}

static double contact_projection(Staggered* g, const double* friction, double tolerance, double deadline) {
  velocity_across(g, &g->tangential, friction, &g->normal, g->contact.given.q);
  return ch_convex_view_solve(&g->contact, tolerance, deadline, g->r_n);
}

// |f_i| <= mu_i r_N,i, as discs or intervals
static void set_radii(Staggered* g) {
  ChSystem* t = &g->tangential.system;
  ch_half_scatter(&g->normal, g->r_n, g->r);
  for (int k = 0; k < t->n; ++k) {
    int i = g->tangential.block[k];
    double radius = g->s->mu[i] * ch_positive_part(g->r[g->s->row[i]]);
    if (t->set[k] == CH_SET_DISC) t->mu[k] = radius;
    t->lo[k] = -radius;
    t->hi[k] = radius;
  }
}

static double friction_projection(Staggered* g, double tolerance) {
  set_radii(g);
  velocity_across(g, &g->normal, g->r_n, &g->tangential, g->friction.given.q);
  ch_system_project(&g->tangential.system, g->x, g->f);
  return ch_convex_view_solve(&g->friction, tolerance, g->run->deadline, g->f);
}

static double offer_pair(Staggered* g) {
  ch_half_scatter(&g->normal, g->r_n, g->r);
  ch_half_scatter(&g->tangential, g->f, g->r);
  return ch_run_offer_reaction(g->run, g->r, g->u);
}

// Root of (5.21): |f - x| / |x| in the norm of W_TT, which is that of M^-1 on impulses.
static double relative_change(Staggered* g) {
  const ChSystem* t = &g->tangential.system;
  double moved = 0.0, size = 0.0;
  for (int k = 0; k < t->rows; ++k) g->change[k] = g->f[k] - g->x[k];
  ch_system_apply(t, g->change, g->Wf);
  for (int k = 0; k < t->rows; ++k) moved += g->change[k] * g->Wf[k];
  ch_system_apply(t, g->x, g->Wf);
  for (int k = 0; k < t->rows; ++k) size += g->x[k] * g->Wf[k];
  return moved <= 0.0 ? 0.0 : sqrt(moved / size);
}

// Whether any normal row feels any friction row. Where none does the first pair is the answer (5.5.2).
static bool coupled(const Staggered* g) {
  const ChBlockCsr* W = &g->s->W;
  for (int i = 0; i < W->n; ++i)
    for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
      int j = W->column[e], rows = g->s->set[i] == CH_SET_CONE ? 1 : g->s->dim[i];
      if (g->s->set[j] != CH_SET_CONE) continue;
      for (int a = 0; a < rows; ++a)
        for (int b = 1; b < g->s->dim[j]; ++b)
          if (W->value[W->offset[e] + a * g->s->dim[j] + b] != 0.0) return true;
    }
  return false;
}

// W_NN + W_NT K, K = diag(f_i / r_N,i): the contact problem when friction follows the normal reactions.
static ChHalfSystem contact_with_ratios(const Staggered* g, const double* r) {
  const ChSystem* s = g->s;
  ChHalfSystem half;
  ch_half_normal(g->run->arena, s, &half);
  ChBlockCsr* W = &half.system.W;  // every block has a place in this half: blocks and entries agree with those of s
  for (int i = 0; i < s->n; ++i)
    for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
      int j = W->column[e];
      const double* normal = r + s->row[j];
      if (s->set[j] != CH_SET_CONE || !(normal[0] > 0.0)) continue;
      for (int a = 0; a < W->dim[i]; ++a)
        for (int b = 1; b < s->dim[j]; ++b)
          W->value[W->offset[e] + a] += s->W.value[s->W.offset[e] + a * s->dim[j] + b] * normal[b] / normal[0];
    }
  for (int i = 0; i < s->n; ++i)
    for (int a = 0; a < W->dim[i] * W->dim[i]; ++a)
      half.system.diagonal[half.system.diagonal_at[i] + a] = W->value[W->offset[W->diagonal[i]] + a];
  half.system.symmetric = false;
  half.system.bodies = NULL;  // they stand for W_NN alone
  return half;
}

// r <- reactions that obey Signorini's law with the friction ratios of r; false when none were found.
static bool settle_ratios(Staggered* g, double deadline) {
  const ChSystem* s = g->s;
  ChHalfSystem half = contact_with_ratios(g, g->run->r);
  const ChMethod* asked = g->run->inner_method;
  ChConvexView view;
  ch_half_gather(&half, s->q, half.system.q);
  g->run->inner_method = NULL;  // far from symmetric: not a problem for every inner solver
  ch_convex_view_init(&view, g->run, &half.system);
  g->run->inner_method = asked;
  view.relief = NULL;
  view.limit = RATIO_STEPS;  // without a solution it would go on for long
  ch_half_gather(&half, g->run->r, g->r_n);
  if (!(ch_convex_view_solve(&view, 0.1 * g->run->tolerance, deadline, g->r_n) <= g->run->tolerance)) return false;
  ch_half_scatter(&half, g->r_n, g->r);
  for (int i = 0; i < s->n; ++i) {
    const double* best = g->run->r + s->row[i];
    double* r = g->r + s->row[i];
    if (s->set[i] == CH_SET_CONE)
      for (int b = 1; b < s->dim[i]; ++b) r[b] = best[0] > 0.0 ? best[b] / best[0] * r[0] : 0.0;
  }
  return true;
}

// Friction outside its disc is pulled back to the rim, later well inside, at last to nothing; returns the largest
// change.
static double clip_friction(Staggered* g, int round) {
  const ChSystem* t = &g->tangential.system;
  double shrink = round < 10 ? 1.0 : round < 30 ? 0.9 : 0.0, largest = 0.0;
  for (int k = 0; k < t->n; ++k) {
    const double* x = g->x + t->row[k];
    double *f = g->f + t->row[k], change = 0.0;
    ch_system_project_block(t, k, x, f);
    for (int a = 0; a < t->dim[k]; ++a) change = ch_max(change, fabs(f[a] - x[a]));
    for (int a = 0; a < t->dim[k] && change > CLIP_TOLERANCE * g->run->tolerance; ++a) f[a] *= shrink;
    largest = ch_max(largest, change);
  }
  return largest;
}

// The same with the friction of the best pair, clipped as often as it takes; ends because friction only shrinks.
static void settle_friction(Staggered* g, double deadline) {
  size_t bytes = (size_t)g->tangential.system.rows * sizeof(double);
  ch_half_gather(&g->normal, g->run->r, g->r_n);
  ch_half_gather(&g->tangential, g->run->r, g->f);
  for (int round = 0; round < MOST_CLIPS; ++round) {
    memcpy(g->x, g->f, bytes);
    contact_projection(g, g->x, 0.1 * g->run->tolerance, deadline);
    set_radii(g);
    if (!(clip_friction(g, round) > CLIP_TOLERANCE * g->run->tolerance) || ch_clock_seconds() > deadline) break;
  }
  ch_half_scatter(&g->normal, g->r_n, g->r);
  ch_half_scatter(&g->tangential, g->f, g->r);
}

static void settle(Staggered* g) {
  ChRun* run = g->run;
  double now = ch_clock_seconds();
  double deadline = fmax(run->deadline, now + 0.01 + 0.1 * (now - run->started));
  if (!settle_ratios(g, deadline)) settle_friction(g, deadline);
  double error = ch_run_offer_reaction(run, g->r, g->u);
  if (run->depth > 0 || !isfinite(error)) return;  // a method that calls this one keeps its best
  memcpy(run->r, g->r, (size_t)g->s->rows * sizeof(double));
  run->error = error;
}

// The first pair may be the last, without coupling or from the friction of a solution (5.3.7): then it is solved to the
// end.
static double first_tolerance(const Staggered* g, double finest) {
  bool warm = false;
  for (int k = 0; k < g->tangential.system.rows; ++k) warm |= g->x[k] != 0.0;
  return warm || !coupled(g) ? finest : fmax(finest, LOOSEST_INNER);
}

static void iterate(Staggered* g) {
  ChRun* run = g->run;
  ChFixedPoint outer = ch_fixed_point_create(run->arena, g->tangential.system.rows, g->options.anderson,
                                             g->options.damping, g->options.patience);
  long limit = run->max_iterations > 0 ? run->max_iterations : 2000;
  double finest = 0.1 * run->tolerance, tolerance = first_tolerance(g, finest);
  for (long i = 1; i <= limit; ++i) {
    contact_projection(g, g->x, tolerance, run->deadline);
    friction_projection(g, tolerance);
    ++run->outer;
    double error = offer_pair(g);
    ch_run_note(run, i, error);
    if (ch_run_finished(run) || (g->options.rel_err > 0.0 && relative_change(g) <= g->options.rel_err)) return;
    if (!ch_fixed_point_next(&outer, error, g->f, g->x)) return;
    tolerance = fmax(finest, fmin(LOOSEST_INNER, g->options.inner_share * error));
  }
}

static void solve(ChRun* run) {
  Staggered g;
  staggered_init(&g, run);
  iterate(&g);
  if (g.options.settle && !(run->error <= run->tolerance)) settle(&g);
}

const ChMethod ch_method_staggered = {
    .name = "staggered",
    .summary = "staggered projections: contact and friction problems in turn, over discs or polygons",
    .source = "Kaufman 2009, algorithm 1",
    .takes = CH_TAKES_COULOMB | CH_TAKES_POLYGON | CH_TAKES_UNSYMMETRIC | CH_IS_OUTER | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
