// successive: the slip on the right-hand side, a convex problem, the new slip, and again (LCP1 of
// Anitescu and Hart 2004).
//
//   solve   K contains r, K* contains W r + q + mu s n, orthogonal           for given s
//   then    s <- |u_T|,  u = W r + q          over polygons max_j d_j . u_T, the Lambda(v) of 000 (17)
//
// The first pass from s = 0 is the relaxed problem (LCP2); where nothing slips it is the answer. A fixed point is exact
// Coulomb. s is what Anderson acceleration extrapolates; it stays non-negative.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/fixed_point.h"
#include "solve/method.h"
#include "solve/qp/convex_view.h"

#define CH_OPTION_PREFIX "successive"
#define SUCCESSIVE_OPTIONS(X)                                                                          \
  X(int, anderson, 5, 0, 50, "earlier passes that Anderson acceleration uses; 0 = off")                \
  X(double, damping, 1.0, 0.01, 1.0, "share of the new slip in a plain pass")                          \
  X(int, patience, 200, 1, 1e9, "passes in which the error must fall by a tenth")                      \
  X(double, inner_share, 0.02, 1e-6, 1.0, "error of an inner solve, relative to the last outer error") \
  X(double, paper_rule, 0.0, 0.0, 1.0,                                                                 \
    "TOL of the paper's loop, which repeats exact passes until no slip changes by more; 0 = off")
CH_OPTIONS(SUCCESSIVE_OPTIONS)

#define FIRST_GUESS 0.01  // at the error of the first pass

typedef struct Successive {
  ChRun* run;
  const ChSystem* s;
  Options options;
  ChConvexView view;
  double *r, *u;
  double *slip, *slip_next;  // one per block
} Successive;

// In place: the view keeps addresses inside itself.
static void successive_init(Successive* x, ChRun* run) {
  const ChSystem* s = run->system;
  *x = (Successive){.run = run, .s = s, .options = read_options(run->options)};
  ch_convex_view_init(&x->view, run, s);
  x->r = CH_TAKE(run->arena, s->rows, double);
  x->u = CH_TAKE(run->arena, s->rows, double);
  x->slip = CH_TAKE(run->arena, s->n, double);
  x->slip_next = CH_TAKE(run->arena, s->n, double);
  memcpy(x->r, run->r, (size_t)s->rows * sizeof(double));
}

static void measure_slip(const Successive* x, double* slip) {
  for (int i = 0; i < x->s->n; ++i) slip[i] = x->s->relaxed ? 0.0 : ch_system_slip(x->s, i, x->u + x->s->row[i]);
}

// A warm start brings its slip with it; from r = 0 the first pass is the relaxed problem.
static void start_slip(Successive* x) {
  bool warm = false;
  for (int k = 0; k < x->s->rows; ++k) warm |= x->r[k] != 0.0;
  if (!warm) return;
  ch_system_velocity(x->s, x->r, x->u);
  measure_slip(x, x->slip);
}

static void shift_view(Successive* x) {
  const ChSystem* s = x->s;
  memcpy(x->view.given.q, s->q, (size_t)s->rows * sizeof(double));
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->slip) x->view.given.q[s->row[i]] += s->block[i].mu * x->slip[i];
}

// One pass: the convex problem, as exactly as the error that the slip leaves makes worth while. Where nothing slips
// that error follows the convex one down, and the pass is solved to the end.
static double solve_pass(Successive* x, double tolerance, double finest) {
  ChRun* run = x->run;
  for (;;) {
    double convex = ch_convex_view_solve(&x->view, tolerance, run->deadline, x->r);
    double error = ch_run_offer_reaction(run, x->r, x->u), worth = x->options.inner_share * error;
    bool missed = !(convex <= tolerance);
    if (missed || convex <= worth || tolerance <= finest || ch_run_finished(run)) return error;
    tolerance = fmax(finest, worth);
  }
}

static double largest_change(const Successive* x) {
  double largest = 0.0;
  for (int i = 0; i < x->s->n; ++i) largest = ch_max(fabs(x->slip_next[i] - x->slip[i]), largest);
  return largest;
}

// LCP1 to the letter (000, section 4.A, steps 4 to 8): from Lambda = 0, nothing damped, accelerated or given up, and
// the last velocity is the answer. Lambda is measured in scaled variables, in which |q| = 1.
static void solve_as_printed(Successive* x) {
  ChRun* run = x->run;
  long limit = run->max_iterations > 0 ? run->max_iterations : 10000;
  double tolerance = 0.5 * run->tolerance, change = INFINITY;
  for (long pass = 1; pass <= limit && !(change <= x->options.paper_rule) && !ch_run_late(run); ++pass) {
    shift_view(x);
    ch_convex_view_solve(&x->view, tolerance, run->deadline, x->r);
    ch_system_velocity(x->s, x->r, x->u);
    double error = ch_system_error(x->s, x->r, x->u);
    ++run->outer;
    ch_run_note(run, pass, error);
    measure_slip(x, x->slip_next);
    change = largest_change(x);
    memcpy(x->slip, x->slip_next, (size_t)x->s->n * sizeof *x->slip);
    if (isnan(error)) return;
    memcpy(run->r, x->r, (size_t)x->s->rows * sizeof *x->r);
    run->error = error;
    run->answered = true;
  }
}

static void solve(ChRun* run) {
  Successive x;
  successive_init(&x, run);
  if (x.options.paper_rule > 0.0) {
    solve_as_printed(&x);
    return;
  }
  ChFixedPoint outer =
      ch_fixed_point_create(run->arena, x.s->n, x.options.anderson, x.options.damping, x.options.patience);
  long limit = run->max_iterations > 0 ? run->max_iterations : 1000;
  double finest = 0.5 * run->tolerance, error = FIRST_GUESS;
  start_slip(&x);
  for (long pass = 1; pass <= limit; ++pass) {
    shift_view(&x);
    error = solve_pass(&x, fmax(finest, x.options.inner_share * error), finest);
    ++run->outer;
    ch_run_note(run, pass, error);
    if (ch_run_finished(run) || x.s->relaxed) return;
    measure_slip(&x, x.slip_next);
    if (!ch_fixed_point_next(&outer, error, x.slip_next, x.slip)) return;
    for (int i = 0; i < x.s->n; ++i) x.slip[i] = ch_positive_part(x.slip[i]);
  }
}

const ChMethod ch_method_successive = {
    .name = "successive",
    .summary = "successive convex relaxation: a fixed point of the slip around a convex solver",
    .document = "Anitescu and Hart 2004",
    .equation = "LCP1: (15)-(19), section 4.A",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED | CH_TAKES_UNFORMED |
             CH_TAKES_UNSYMMETRIC | CH_IS_OUTER | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
