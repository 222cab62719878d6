// apgd: accelerated projected gradient with adaptive step and restart, matrix-free (Nesterov; Mazhar et al. 2015).
//
//   x+ = P(y - (W y + b) / L),  y+ = x+ + beta (x+ - x)             b = q + mu s n
//
// L doubles until d . W d <= L |d|^2, d = x+ - y, and shrinks by a tenth every iteration. Momentum is dropped when it
// points uphill. Pose coulomb: s = |u_T| is taken from every new x, so that fixed points are exact; pose relaxed: s =
// 0. W y follows from W x by linearity: one product with W per step tried. An unsymmetric W is taken as it is: nothing
// above needs a potential, and near-symmetric ones behave alike.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "apgd"
#define APGD_OPTIONS(X)                                                              \
  X(int, check, 5, 1, 1000, "iterations between checks of the error")                \
  X(double, start, 3.0, 1e-6, 1e6, "first L; diagonal blocks of W have mean size 1") \
  X(double, shrink, 0.9, 0.1, 1.0, "factor on L after every iteration")
CH_OPTIONS(APGD_OPTIONS)

#define LARGEST_L 1e8

typedef struct Apgd {
  const ChSystem* s;
  double *x, *Wx;  // current point
  double *next, *Wnext;
  double *y, *Wy;  // point with momentum
  double *b, *u;
  double L, theta;
} Apgd;

static Apgd apgd_create(ChRun* run, const Options* o) {
  const ChSystem* s = run->system;
  Apgd a = {.s = s, .L = o->start, .theta = 1.0};
  double** vectors[] = {&a.x, &a.Wx, &a.next, &a.Wnext, &a.y, &a.Wy, &a.b, &a.u};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  memcpy(a.x, run->r, (size_t)s->rows * sizeof(double));
  memcpy(a.y, run->r, (size_t)s->rows * sizeof(double));
  ch_system_apply(s, a.x, a.Wx);
  memcpy(a.Wy, a.Wx, (size_t)s->rows * sizeof(double));
  return a;
}

// u at x, and b with the slip found there
static void update_slip(Apgd* a) {
  const ChSystem* s = a->s;
  for (int k = 0; k < s->rows; ++k) {
    a->u[k] = a->Wx[k] + s->q[k];
    a->b[k] = s->q[k];
  }
  if (s->relaxed) return;
  for (int i = 0; i < s->n; ++i) a->b[s->row[i]] += s->block[i].mu * ch_system_slip(s, i, a->u + s->row[i]);
}

// next = P(y - (W y + b) / L) with an L that bounds the curvature along the step
static void descend(Apgd* a) {
  for (;; a->L *= 2.0) {
    for (int k = 0; k < a->s->rows; ++k) a->next[k] = a->y[k] - (a->Wy[k] + a->b[k]) / a->L;
    ch_system_project(a->s, a->next, a->next);
    ch_system_apply(a->s, a->next, a->Wnext);
    double curvature = 0.0, length = 0.0;
    for (int k = 0; k < a->s->rows; ++k) {
      double d = a->next[k] - a->y[k];
      curvature += d * (a->Wnext[k] - a->Wy[k]);
      length += d * d;
    }
    if (curvature <= a->L * length * (1.0 + 1e-12) + 1e-300 || !(a->L < LARGEST_L)) return;
  }
}

// Momentum for the next step, none where the step went uphill: (y - next) . (next - x) > 0.
static void gain_momentum(Apgd* a) {
  double uphill = 0.0;
  for (int k = 0; k < a->s->rows; ++k) uphill += (a->y[k] - a->next[k]) * (a->next[k] - a->x[k]);
  double t = a->theta * a->theta, following = 0.5 * (-t + a->theta * sqrt(t + 4.0));
  double beta = uphill > 0.0 ? 0.0 : a->theta * (1.0 - a->theta) / (t + following);
  a->theta = uphill > 0.0 ? 1.0 : following;
  for (int k = 0; k < a->s->rows; ++k) {
    a->y[k] = a->next[k] + beta * (a->next[k] - a->x[k]);
    a->Wy[k] = a->Wnext[k] + beta * (a->Wnext[k] - a->Wx[k]);
    a->x[k] = a->next[k];
    a->Wx[k] = a->Wnext[k];
  }
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  Apgd a = apgd_create(run, &o);
  long limit = run->max_iterations > 0 ? run->max_iterations : 200000;
  update_slip(&a);
  for (long iteration = 1; iteration <= limit; ++iteration) {
    descend(&a);
    gain_momentum(&a);
    update_slip(&a);
    a.L *= o.shrink;
    ++run->outer;
    if (iteration % o.check != 0 && iteration != limit && !ch_limits_over()) {
      if (run->options->history_every) ch_run_note(run, iteration, ch_system_error(run->system, a.x, a.u));
      continue;
    }
    double error = ch_run_offer(run, a.x, a.u);
    ch_run_note(run, iteration, error);
    if (ch_run_finished(run) || !isfinite(error)) return;
  }
}

const ChMethod ch_method_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient with adaptive step and restart, matrix-free",
    .document = "Negrut and Serban 2016",
    .equation = "(14), (15); Anitescu's slides, \"In Progress\"",
    .literature = "Nesterov 1983; Mazhar, Heyn, Negrut and Tasora 2015",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED | CH_TAKES_UNFORMED |
             CH_TAKES_UNSYMMETRIC | CH_TAKES_DISC | CH_IS_INNER | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
