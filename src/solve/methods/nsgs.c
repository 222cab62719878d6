// nsgs: non-smooth block Gauss-Seidel, each block solved exactly.
//
//   for every block i:  r_i <- solution of law i with  u_i = W_ii r_i + (q_i + sum_{j != i} W_ij r_j)
//
// Anderson acceleration (option) extrapolates over the last sweeps and is refused where the error doubles. With colours
// (option) blocks that share nothing are solved side by side; the order, and so the answer, does not depend on threads.
#include <math.h>
#include <string.h>

#include "linalg/anderson.h"
#include "solve/contact/local_contact.h"
#include "solve/contact/sweeper.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "nsgs"
#define NSGS_OPTIONS(X)                                                                                       \
  X(int, anderson, 0, 0, 50, "earlier sweeps that Anderson acceleration uses; 0 = off")                       \
  X(int, colors, 0, 0, 1, "1 = solve by colours, blocks of a colour in parallel")                             \
  X(int, check, 5, 1, 1000, "sweeps between checks of the error")                                             \
  X(double, omega, 1.0, 0.1, 1.9, "relaxation of a sweep")                                                    \
  X(int, hurry, 0, 0, 1, "1 = stop once the rate of progress says that the limit of sweeps will not suffice") \
  X(double, aim, 0.0, 0.0, 1.0, "error that hurry aims at; 0 = the tolerance")
CH_OPTIONS(NSGS_OPTIONS)

static void sweep_plain(ChRun* run, const Options* o, ChSweeper* sweeper, long limit) {
  const ChSystem* s = run->system;
  double* r = CH_TAKE(run->arena, s->rows, double);
  double* u = CH_TAKE(run->arena, s->rows, double);
  memcpy(r, run->r, (size_t)s->rows * sizeof *r);
  double before = run->error, aim = o->aim > 0.0 ? o->aim : run->tolerance;
  for (long sweep = 1; sweep <= limit; ++sweep) {
    ch_sweeper_sweep(sweeper, o->omega, r);
    ++run->outer;
    if (sweep % o->check != 0 && sweep != limit && !ch_limits_over()) {
      ch_run_note_between(run, sweep, r, u);
      continue;
    }
    double error = ch_run_offer_reaction(run, r, u);
    ch_run_note(run, sweep, error);
    if (ch_run_finished(run)) return;
    bool looks = o->hurry && sweep >= 2 * o->check;
    if (looks && !ch_run_promising(aim, before, error, o->check, limit - sweep)) return;
    before = error;
  }
}

static void sweep_accelerated(ChRun* run, const Options* o, ChSweeper* sweeper, long limit) {
  const ChSystem* s = run->system;
  double* x = CH_TAKE(run->arena, s->rows, double);
  double* g = CH_TAKE(run->arena, s->rows, double);
  double* u = CH_TAKE(run->arena, s->rows, double);
  ChAnderson* anderson = ch_anderson_create(run->arena, s->rows, o->anderson);
  memcpy(x, run->r, (size_t)s->rows * sizeof *x);
  for (long sweep = 1; sweep <= limit; ++sweep) {
    memcpy(g, x, (size_t)s->rows * sizeof *g);
    ch_sweeper_sweep(sweeper, o->omega, g);
    ++run->outer;
    double plain = ch_run_offer_reaction(run, g, u);
    ch_run_note(run, sweep, plain);
    if (ch_run_finished(run)) return;
    ch_anderson_step(anderson, x, g, x);
    ch_system_project(s, x, x);
    if (!(ch_run_offer_reaction(run, x, u) <= 2.0 * plain)) {
      memcpy(x, g, (size_t)s->rows * sizeof *x);
      ch_anderson_reset(anderson);
    }
  }
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  if (run->system->n == 1) o.check = 1;  // one block alone is solved by its first visit
  long limit = run->max_iterations > 0 ? run->max_iterations : 100000;
  ChSweeper* sweeper = ch_sweeper_create(run->arena, run->system, o.colors != 0, run->options->threads);
  if (o.anderson > 0 && run->depth == 0)
    sweep_accelerated(run, &o, sweeper, limit);
  else
    sweep_plain(run, &o, sweeper, limit);
}

const ChMethod ch_method_nsgs = {.name = "nsgs",
                                 .summary = "block Gauss-Seidel with exact local Coulomb solves",
                                 .document = "Anitescu's slides",
                                 .equation = "\"How does one solve the subproblem?\"",
                                 .literature = "Jourdan, Alart and Jean 1998",
                                 .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_RELAXED | CH_TAKES_UNFORMED |
                                          CH_TAKES_UNSYMMETRIC | CH_TAKES_DISC | CH_IS_INNER | CH_IS_EXACT,
                                 .options = option_rows,
                                 .option_count = CH_OPTION_COUNT,
                                 .solve = solve};
