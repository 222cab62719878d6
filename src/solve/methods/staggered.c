// staggered: the contact problem with friction frozen, the friction problem with normal reactions frozen, and again
// (Kaufman 2009; numbers in brackets are its sections and equations).
//
//   contact    r_N <- argmin 1/2 r_N W_NN r_N + r_N (q_N + W_NT f)   over half lines
//   friction   f   <- argmin 1/2 f W_TT f + f (q_T + W_TN r_N)       over discs |f_i| <= mu_i r_N,i, or the polygons
//                                                                    in them (plane: intervals)
//
// Bilateral, unilateral and limit rows belong to the contact problem. A fixed point is exact Coulomb. f is what is warm
// started (5.4.1) and what Anderson acceleration extrapolates. The pair with the smallest error of the natural map is
// kept, and a run that ends early closes with a contact projection (5.4.2).
//
// Algorithm 1 to the letter is an option: no acceleration, both problems solved to the end, friction over loaded
// contacts only, stopping by the change of friction (5.21) alone, the friction with the smallest sum |r_N u_N| (5.22)
// kept, a closing contact projection always.
#include <math.h>
#include <string.h>

#include "solve/fixed_point.h"
#include "solve/methods/staggered.h"
#include "solve/staggered/staggered_terms.h"

#define CH_OPTION_PREFIX "staggered"
#define STAGGERED_OPTIONS(X)                                                                                           \
  X(int, anderson, 5, 0, 50, "earlier iterations that Anderson acceleration uses; 0 = off")                            \
  X(double, damping, 1.0, 0.01, 1.0, "share of the new friction in a plain iteration")                                 \
  X(double, rel_err, 0.0, 0.0, 1.0, "also stop when friction changes by less than this, relative to its kinetic norm") \
  X(int, squared, 0, 0, 1, "1 = rel_err bounds the square of that change, as (5.21) is printed")                       \
  X(int, patience, 600, 1, 1e9, "iterations in which the error must fall by a tenth")                                  \
  X(int, settle, 1, 0, 1, "1 = a run that ends early ends with a contact projection")                                  \
  X(double, inner_share, 0.01, 1e-6, 1.0, "error of an inner solve, relative to the last outer error")                 \
  X(double, inner_tol, 0.0, 0.0, 1e-2, "error of every inner solve, |q| = 1; 0 = as inner_share says")                 \
  X(int, loaded, 0, 0, 1, "1 = the friction problem contains only loaded contacts")                                    \
  X(int, form, 0, 0, 2, "contact problem: 0 = cheaper, 1 = dual, in contacts, 2 = primal, in velocities")              \
  X(int, apart, 0, 0, 1, "1 = both problems are split into sets connected by loaded contacts (7.9)")                   \
  X(int, parallel, 0, 0, 1, "1 = both problems start from the last iterate (6.9): twice the work, for analysis")       \
  X(int, algorithm1, 0, 0, 1, "1 = algorithm 1 to the letter, which stops at rel_err (default 1e-7)")
CH_OPTIONS(STAGGERED_OPTIONS)

#define LOOSEST_INNER 1e-4
#define EXACT_INNER 1e-12   // for algorithm 1
#define PRINTED_EPS 1e-7    // of section 6.7.1
#define STANDS_STILL 1e-26  // square of a change of friction that is only round-off, |q| = 1

// What one iteration adds to the rules of stopping and keeping.
typedef struct Progress {
  double rel_err;           // (5.21), squared
  double residual, lowest;  // (5.22), and the smallest so far
  int best;                 // its iteration
  int still;                // iterations in a row that met the rule of stopping
  double* f;                // its friction
} Progress;

static Options settle_options(const ChSolveOptions* given) {
  Options o = read_options(given);
  if (o.parallel || o.algorithm1) {
    o.anderson = 0;
    o.damping = 1.0;
  }
  if (!o.algorithm1) return o;
  if (o.rel_err == 0.0) o.rel_err = PRINTED_EPS;
  if (o.inner_tol == 0.0) o.inner_tol = EXACT_INNER;
  o.loaded = (int)ch_option_value(given, CH_OPTION_PREFIX ".loaded", 1);
  o.squared = (int)ch_option_value(given, CH_OPTION_PREFIX ".squared", 1);
  return o;
}

static double offer_pair(ChStaggered* g) {
  ch_staggered_join(g, g->r_n, g->f);
  return ch_run_offer_reaction(g->run, g->r, g->u);
}

// (5.21): |f - x|^2 / |x|^2 in the norm of W_TT, which is that of M^-1 on impulses. 0/0 is no change, x/0 is one.
static double relative_change(ChStaggered* g) {
  const ChSystem* t = &g->tangential.system;
  double moved = 0.0, size = 0.0;
  for (int k = 0; k < t->rows; ++k) g->change[k] = g->f[k] - g->x[k];
  ch_system_apply(t, g->change, g->Wf);
  for (int k = 0; k < t->rows; ++k) moved += g->change[k] * g->Wf[k];
  ch_system_apply(t, g->x, g->Wf);
  for (int k = 0; k < t->rows; ++k) size += g->x[k] * g->Wf[k];
  return moved <= STANDS_STILL ? 0.0 : moved / size;
}

// (5.22) at the pair whose velocity u holds
static double signorini_residual(const ChStaggered* g) {
  double sum = 0.0;
  for (int i = 0; i < g->s->n; ++i) {
    int row = g->s->row[i];
    if (g->s->block[i].law->info.opens) sum += fabs(g->r[row] * g->u[row]);
  }
  return sum;
}

// Lines 7 to 12 of algorithm 1; r and u hold the pair.
static void watch(ChStaggered* g, Progress* p, int iteration) {
  p->rel_err = relative_change(g);
  p->residual = signorini_residual(g);
  if (p->best > 0 && !(p->residual < p->lowest)) return;
  p->lowest = p->residual;
  p->best = iteration;
  memcpy(p->f, g->f, (size_t)g->tangential.system.rows * sizeof(double));
}

// Two sequences are interlaced in a parallel iteration: both must stand still.
static bool stands_still(const Options* o, Progress* p) {
  bool still = (o->squared ? p->rel_err : sqrt(p->rel_err)) <= o->rel_err;
  p->still = still ? p->still + 1 : 0;
  return o->rel_err > 0.0 && p->still > o->parallel;
}

// Whether any normal row feels any friction row. Where none does the first pair is the answer (5.5.2).
static bool coupled(const ChStaggered* g) {
  const ChBlockCsr* W = &g->s->W;
  for (int i = 0; i < W->n; ++i)
    for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
      int j = W->column[e], rows = g->s->block[i].law->cone ? 1 : g->s->dim[i];
      if (!g->s->block[j].law->cone) continue;
      for (int a = 0; a < rows; ++a)
        for (int b = 1; b < g->s->dim[j]; ++b)
          if (W->value[W->offset[e] + a * g->s->dim[j] + b] != 0.0) return true;
    }
  return false;
}

// The first pair may be the last, without coupling or from the friction of a solution (5.3.7): then it is solved to the
// end.
static double first_tolerance(const ChStaggered* g, double finest) {
  bool warm = false;
  for (int k = 0; k < g->tangential.system.rows; ++k) warm |= g->x[k] != 0.0;
  return warm || !coupled(g) ? finest : fmax(finest, LOOSEST_INNER);
}

// One contact and one friction problem, in turn or both from what the last iteration left.
static void project_both(ChStaggered* g, bool parallel, double tolerance) {
  size_t bytes = (size_t)g->normal.system.rows * sizeof(double);
  if (parallel) memcpy(g->a, g->r_n, bytes);
  ch_staggered_contact(g, g->x, tolerance, g->run->deadline);
  if (!parallel) memcpy(g->a, g->r_n, bytes);
  ch_staggered_friction(g, g->a, g->x, tolerance);
  ++g->run->outer;
}

static void iterate(ChStaggered* g, const Options* o, Progress* p) {
  ChRun* run = g->run;
  ChFixedPoint outer =
      ch_fixed_point_create(run->arena, g->tangential.system.rows, o->anderson, o->damping, o->patience);
  ChStaggeredTerms* terms = ch_staggered_terms_create(g);
  long limit = run->max_iterations > 0 ? run->max_iterations : 2000;
  double finest = 0.1 * run->tolerance, tolerance = o->inner_tol > 0.0 ? o->inner_tol : first_tolerance(g, finest);
  for (long i = 1; i <= limit; ++i) {
    project_both(g, o->parallel, tolerance);
    double error = offer_pair(g);
    watch(g, p, (int)i);
    ch_run_note(run, i, error);
    ch_staggered_terms_tell(terms, (int)i, p->best, p->rel_err, p->residual);
    if (stands_still(o, p) || (o->algorithm1 ? ch_run_late(run) : ch_run_finished(run))) return;
    if (!ch_fixed_point_next(&outer, error, g->f, g->x) && !o->algorithm1) return;
    if (o->inner_tol == 0.0) tolerance = fmax(finest, fmin(LOOSEST_INNER, o->inner_share * error));
  }
}

static void solve(ChRun* run) {
  ChStaggered g;
  Options o = settle_options(run->options);
  ch_staggered_init(&g, run, o.loaded, o.form);
  g.apart = o.apart;
  Progress p = {.lowest = INFINITY, .f = CH_TAKE(run->arena, g.tangential.system.rows, double)};
  iterate(&g, &o, &p);
  if (o.algorithm1) {
    if (!o.parallel) memcpy(g.f, p.f, (size_t)g.tangential.system.rows * sizeof(double));
    ch_staggered_close(&g, o.inner_tol);
  } else if (o.settle && !(run->error <= run->tolerance)) {
    ch_staggered_settle(&g);
  }
}

const ChMethod ch_method_staggered = {
    .name = "staggered",
    .summary = "staggered projections: contact and friction problems in turn, over discs or polygons",
    .document = "Kaufman 2009",
    .equation = "algorithm 1, (5.12)-(5.22), (6.1), (6.2)",
    .takes = CH_TAKES_COULOMB | CH_TAKES_POLYGON | CH_TAKES_UNSYMMETRIC | CH_IS_OUTER | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
