// admm: operator splitting with one factorisation per penalty.
//
//   r = (W + rho)^-1 (rho (z - w) - q - mu s n)      s_i = rho |w_T,i|: the slip is read off the dual
//   z = P(r^ + w),  w += r^ - z                      r^ = alpha r + (1 - alpha) z, over-relaxed
//
// Taking s from W z + q instead diverges. Pose relaxed has s = 0. Small rho suits what rests, larger rho what slides;
// where one stalls the next is tried, from nothing: an old dual misleads.
#include <math.h>
#include <string.h>

#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "admm"
#define ADMM_OPTIONS(X)                                                                                                \
  X(double, rho, 0.0, 0.0, 1e3, "penalty; 0 = several penalties in turn, a new one whenever progress stalls")          \
  X(double, alpha, 1.6, 1.0, 1.95, "over-relaxation")                                                                  \
  X(int, check, 5, 1, 1000, "iterations between checks of the error")                                                  \
  X(int, patience, 200, 10, 1000000,                                                                                   \
    "iterations in which the error must fall by a fifth; otherwise the next penalty begins")                           \
  X(int, hurry, 0, 0, 2,                                                                                               \
    "1 = stop once the rate of progress says that the limit of iterations will not suffice; 2 = do so only until the " \
    "aim is met")                                                                                                      \
  X(double, aim, 0.0, 0.0, 1.0, "error that hurry aims at; 0 = the tolerance")                                         \
  X(double, beyond, 0.0, 0.0, 1.0,                                                                                     \
    "error below the tolerance to aim at while the rate of progress says that the limit of iterations will suffice")   \
  X(int, space, 0, 0, 2, "unknowns of the linear system: 0 = the cheaper of both, 1 = reactions, 2 = velocities")
CH_OPTIONS(ADMM_OPTIONS)

static const double ladder[] = {0.01, 0.2, 0.05, 0.5, 0.1, 0.3, 1.0, 0.02};
enum { RUNGS = sizeof ladder / sizeof ladder[0], HURRY = 20 };

typedef struct Admm {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChLinearSystem* linear;
  double *z, *w, *r, *h, *u;
} Admm;

// Of block i, whose velocity is -rho w: a section need not be the same forwards and backwards.
static double slip_of(const ChSystem* s, int i, const double* w) {
  if (!ch_law_is_unusual(s->block[i].law)) return ch_system_slip(s, i, w);
  double back[CH_BLOCK_MAX];
  for (int k = 0; k < s->dim[i]; ++k) back[k] = -w[k];
  return ch_system_slip(s, i, back);
}

static void iterate(Admm* a, double rho) {
  const ChSystem* s = a->s;
  for (int k = 0; k < s->rows; ++k) a->h[k] = rho * (a->z[k] - a->w[k]) - s->q[k];
  if (!s->relaxed)
    for (int i = 0; i < s->n; ++i) a->h[s->row[i]] -= s->block[i].mu * rho * slip_of(s, i, a->w + s->row[i]);
  ch_linear_solve_fast(a->linear, a->h, a->r, NULL);
  for (int k = 0; k < s->rows; ++k) {
    a->r[k] = a->o.alpha * a->r[k] + (1.0 - a->o.alpha) * a->z[k];
    a->h[k] = a->r[k] + a->w[k];
  }
  ch_system_project(s, a->h, a->z);
  for (int k = 0; k < s->rows; ++k) a->w[k] += a->r[k] - a->z[k];
}

// Below the tolerance, and on the way to what is asked for beyond it.
static bool goes_beyond(const Admm* a, double before, double error, long left) {
  return error > a->o.beyond && a->o.beyond > 0.0 && !ch_run_late(a->run) &&
         ch_run_promising(a->o.beyond, before, error, a->o.check, left);
}

// Iterates with one penalty, whose factors are there, until the tolerance, the limit, or a stall.
static void run_penalty(Admm* a, double rho, long limit) {
  ChRun* run = a->run;
  double best = INFINITY, before = INFINITY, aim = a->o.aim > 0.0 ? a->o.aim : run->tolerance;
  long best_at = 0;
  for (long k = 1; k <= limit; ++k) {
    iterate(a, rho);
    ++run->inner;
    if (k % a->o.check != 0 && k != limit && !ch_limits_over()) {
      ch_run_note_between(run, run->inner, a->z, a->u);
      continue;
    }
    double error = ch_run_offer_reaction(run, a->z, a->u);
    ch_run_note(run, run->inner, error);
    if (!isfinite(error) || (ch_run_finished(run) && !goes_beyond(a, before, error, limit - k))) return;
    if (error < 0.8 * best) {
      best = error;
      best_at = k;
    }
    if (k - best_at > a->o.patience) return;
    if (error <= aim && a->o.hurry == 1) aim = run->tolerance;
    if (a->o.hurry && error > run->tolerance && k >= HURRY &&
        !ch_run_promising(aim, before, error, a->o.check, limit - k))
      return;
    before = error;
  }
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  Admm a = {.run = run, .s = s, .o = read_options(run->options)};
  double** vectors[] = {&a.z, &a.w, &a.r, &a.h, &a.u};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  a.linear = ch_run_linear(run, a.o.space, true);
  long limit = run->max_iterations > 0 ? run->max_iterations : 20000;
  memcpy(a.z, run->r, (size_t)s->rows * sizeof(double));
  int refused = 0;  // penalties in a row without factors: the limits may have no room for any
  for (int rung = 0; !ch_run_finished(run) && run->inner < limit && refused < RUNGS; ++rung) {
    const double rho = a.o.rho > 0.0 ? a.o.rho : ladder[rung % RUNGS];
    ++run->outer;
    ++run->factorizations;
    refused = ch_linear_factor_shifted(a.linear, rho) ? 0 : refused + 1;
    if (refused == 0) run_penalty(&a, rho, limit - run->inner);
    if (a.o.rho > 0.0) return;
    memset(a.z, 0, (size_t)s->rows * sizeof(double));
    memset(a.w, 0, (size_t)s->rows * sizeof(double));
    if (a.o.patience < limit) a.o.patience += a.o.patience / 4;
  }
}

const ChMethod ch_method_admm = {.name = "admm",
                                 .summary = "alternating directions, slip from the dual, one factorisation per penalty",
                                 .document = "Negrut and Serban 2016",
                                 .equation = "(14), (15): the conic programme, no method prescribed",
                                 .literature = "Boyd et al. 2011; Tasora et al. 2021",
                                 .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED |
                                          CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_TAKES_DISC | CH_IS_INNER |
                                          CH_IS_EXACT,
                                 .options = option_rows,
                                 .option_count = CH_OPTION_COUNT,
                                 .solve = solve};
