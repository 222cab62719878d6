// auto: a portfolio with fall-back that always ends with the best certified iterate.
//
//   1 a few sweeps settle what is easy
//   2 static pre-test: the convex problem with s = 0. Where it has no slip at loaded contacts its solution is an exact
//     one, and it is the one in which the structure stands: it is accepted first
//   3 proximal Newton, briefly; the interior point where that stalls; then rounds of Newton from the best point and of
//     splitting with ever other penalties from nothing, each refined by Newton
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "solve/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "auto"
#define AUTO_OPTIONS(X)                                                                               \
  X(int, sweeps, 20, 0, 100000, "Gauss-Seidel sweeps at the start")                                   \
  X(int, rest, 1, 0, 2, "static pre-test: 0 = never, 1 = where sweeps do not settle it, 2 = always first")
CH_OPTIONS(AUTO_OPTIONS)

extern const ChMethod ch_method_nsgs, ch_method_newton, ch_method_admm, ch_method_ipm;
static double now(void);
#include "base/clock.h"
static double now(void) { return ch_clock_seconds(); }
static int verbose;
static void say(ChRun* run, const char* what, double e) { if (verbose) fprintf(stderr, "  %8.4f %-22s e=%.2e best=%.2e nf=%ld\n", now() - run->started, what, e, run->error, run->factorizations); }

static const double penalties[] = {0.2, 0.05, 0.5, 0.1, 0.3, 1.0, 0.02, 0.2};
enum { ROUNDS = sizeof penalties / sizeof penalties[0] };

static bool try(ChRun* run, ChNested n, double* found) {
  double e = ch_run_nested(run, &n, found);
  say(run, n.method->name, e);
  return ch_run_finished(run);
}

static bool static_test(ChRun* run) {
  ChSystem relaxed = *run->system;
  relaxed.relaxed = true;
  double* r = CH_TAKE(run->arena, relaxed.rows, double);
  double* u = CH_TAKE(run->arena, relaxed.rows, double);
  ChNested n = {.method = &ch_method_admm, .system = &relaxed, .tolerance = run->tolerance, .max_iterations = 40, .setting = {{"admm.rho", 0.01}}};
  double e = ch_run_nested(run, &n, r);
  double ec = ch_run_offer_reaction(run, r, u);
  say(run, "static relaxed", e); say(run, "static coulomb", ec);
  return ch_run_finished(run);
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  verbose = getenv("CHV") != NULL;
  say(run, "start", run->error);
  if (o.sweeps > 0 && try(run, (ChNested){.method = &ch_method_nsgs, .max_iterations = o.sweeps}, NULL)) return;
  ChLinearSystem* linear[2] = {ch_linear_create(run->arena, run->system, CH_SPACE_AUTO, false), NULL};
  if (run->system->symmetric) linear[1] = ch_linear_create(run->arena, run->system, CH_SPACE_AUTO, true);
  run->linear = linear;
  if (o.rest && run->error > 1e-4 && static_test(run)) return;
  double* zero = CH_TAKE(run->arena, run->system->rows, double);
  double* found = CH_TAKE(run->arena, run->system->rows, double);
  if (run->error > 1e-4 && try(run, (ChNested){.method = &ch_method_admm, .start = zero, .tolerance = fmax(1e-6, run->tolerance), .max_iterations = 400, .setting = {{"admm.rho", 0.2}}}, NULL)) return;
  if (try(run, (ChNested){.method = &ch_method_newton, .max_iterations = 40, .setting = {{"newton.forms", 2}, {"newton.inner", 12}}}, NULL)) return;
  if (run->error > 1e-7 && try(run, (ChNested){.method = &ch_method_ipm, .start = zero, .tolerance = fmax(1e-6, run->tolerance), .max_iterations = 40}, NULL)) return;
  for (int k = 0; k < ROUNDS; ++k) {
    if (try(run, (ChNested){.method = &ch_method_newton, .max_iterations = 100 + 200 * k}, NULL)) return;
    double before = run->error;
    if (try(run, (ChNested){.method = &ch_method_admm, .start = zero, .tolerance = fmax(1e-8, run->tolerance), .max_iterations = 1000 * (k + 1), .setting = {{"admm.rho", penalties[k]}, {"admm.patience", 1e6}}}, found)) return;
    if (run->error < before) continue;
    if (try(run, (ChNested){.method = &ch_method_newton, .start = found, .max_iterations = 80}, NULL)) return;
  }
}

const ChMethod ch_method_auto = {
    .name = "auto",
    .summary = "portfolio with fall-back; always ends with the best certified iterate",
    .source = "ours",
    .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
