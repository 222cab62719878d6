// leap: proximal Newton with full steps only, for many contacts on few freedoms.
//
//   outer   solve the problem with u replaced by u + eps (r - c), recentre c <- r, let eps fall
//   inner   F = y(x) - r,  x = r - rho (u + eps (r - c)),  y Alart and Curnier's map, D = dy/dx:
//           [ I - (1 - rho eps) D + rho D W ] dr = F,     r <- r + dr,   u <- u + W dr
//
// The maps of newton.c, without its line search. Samples of one face are nearly one and the same: from step to step
// load moves from some to their neighbours, over kinks at which a search only creeps. A leap lands on the other side of
// many kinks at once, and most often a few of them end it; where they do not, that shows soon, and a larger eps, which
// keeps r nearer to c, mends it. W dr is carried along: in the space of velocities it comes with dr, so that an
// iteration is one factorisation and one pass over the Jacobians.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/contact/contact_map.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "leap"
#define LEAP_OPTIONS(X)                                                                                              \
  X(double, eps_max, 0.1, 1e-9, 1.0, "largest proximal weight at the start")                                         \
  X(int, steps, 8, 1, 100, "leaps per proximal step")                                                                \
  X(int, look, 4, 1, 100, "leaps after which their progress is judged")                                              \
  X(double, hope, 100.0, 1.0, 1e12, "leaps continue if |F| has been below this multiple of the error at the centre") \
  X(int, patience, 5, 0, 1000, "proximal steps in a row that may fail")                                              \
  X(int, idle, 32, 1, 100000, "leaps in which the error must fall by a tenth")
CH_OPTIONS(LEAP_OPTIONS)

#define LEAST_EPS 1e-9
#define START_EPS 1e-6  // smallest at the start
#define MOST_EPS 1.0
#define FALL 0.1       // of eps after a quick proximal step,
#define SLOW_FALL 0.3  // after a slow one,
#define RISE 4.0       // and its rise after one that failed
#define SHARE 0.1      // of the centre's error that a proximal step need not bring down
#define SPREAD 0.7     // after a failure rho_i varies by up to exp(SPREAD)
#define FELL 0.9       // share of the least error that counts as less
enum { QUICK = 3, MOST_STEPS = 300 };

typedef struct Leap {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChLinearSystem* linear;
  double eps;
  double* rho;          // per block
  unsigned char* open;  // per block: open at the last leap, so that B and E are set
  unsigned long seed;
  double *centre, *u_centre;
  double *r, *u, *x, *F, *step, *change;  // change = W step
  double *B, *E;
} Leap;

static Leap leap_create(ChRun* run) {
  const ChSystem* s = run->system;
  Leap l = {.run = run, .s = s, .o = read_options(run->options)};
  double** vectors[] = {&l.centre, &l.u_centre, &l.r, &l.u, &l.x, &l.F, &l.step, &l.change};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  l.rho = CH_TAKE(run->arena, s->n, double);
  l.open = CH_TAKE(run->arena, s->n, unsigned char);
  l.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  l.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  l.linear = ch_run_linear(run, CH_SPACE_AUTO, false);
  return l;
}

static inline double target(const Leap* l, int i, int a) {
  return l->r[a] - l->rho[i] * (l->u[a] + l->eps * (l->r[a] - l->centre[a]));
}

// Most contacts are: y = 0 and D = 0
static inline bool is_open(const ChSystem* s, int i, const double* x) { return s->block[i].law->cone && x[0] <= 0.0; }

// x and F at (r, u); returns |F|. Of an open contact only x_n is looked at.
static double evaluate(Leap* l) {
  const ChSystem* s = l->s;
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) {
    double y[CH_BLOCK_MAX] = {0.0};
    int row = s->row[i];
    l->x[row] = target(l, i, row);
    if (!is_open(s, i, l->x + row)) {
      for (int a = row + 1; a < row + s->dim[i]; ++a) l->x[a] = target(l, i, a);
      ch_map_value(s, CH_MAP_ALART_CURNIER, i, l->x + row, y);
    }
    for (int a = 0; a < s->dim[i]; ++a) {
      l->F[row + a] = y[a] - l->r[row + a];
      sum += l->F[row + a] * l->F[row + a];
    }
  }
  return sqrt(sum);
}

// B = I - (1 - rho eps) D, E = rho D
static void linearize(Leap* l) {
  const ChSystem* s = l->s;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i];
    double *B = l->B + s->diagonal_at[i], *E = l->E + s->diagonal_at[i], rho = l->rho[i];
    bool open = is_open(s, i, l->x + s->row[i]);
    if (open && l->open[i]) continue;
    l->open[i] = open;
    ch_map_derivative(s, CH_MAP_ALART_CURNIER, i, l->x + s->row[i], E);
    for (int a = 0; a < d * d; ++a) {
      B[a] = (a % (d + 1) == 0) - (1.0 - rho * l->eps) * E[a];
      E[a] *= rho;
    }
  }
}

static bool leap_once(Leap* l) {
  linearize(l);
  ++l->run->factorizations;
  ++l->run->inner;
  if (!ch_linear_factor_loaded(l->linear, l->B, l->E, l->open)) return false;
  ch_linear_solve_fast(l->linear, l->F, l->step, l->change);
  for (int a = 0; a < l->s->rows; ++a) {
    l->r[a] += l->step[a];
    l->u[a] += l->change[a];
  }
  return true;
}

// Leaps on one proximal problem, from its centre; true when |F| fell to a share of the centre's error.
static bool solve_proximal(Leap* l, double error, long most, int* steps) {
  size_t bytes = (size_t)l->s->rows * sizeof(double);
  memcpy(l->r, l->centre, bytes);
  memcpy(l->u, l->u_centre, bytes);
  double f = evaluate(l), least = INFINITY, target = fmax(1e-15, fmin(SHARE * error, 0.1 * f));
  for (*steps = 0; !(f <= target);) {
    if (*steps >= most || ch_run_late(l->run) || !leap_once(l)) return false;
    f = evaluate(l);
    least = fmin(least, f);
    if (!isfinite(f) || (++*steps >= l->o.look && least > l->o.hope * error)) return false;
  }
  return true;
}

// After a failure another draw each time: contacts that sit on a kink of the map with one rho sit elsewhere with
// another. The sequence is always the same.
static void choose_rho(Leap* l, bool vary) {
  for (int i = 0; i < l->s->n; ++i) l->rho[i] = vary ? ch_run_vary(&l->seed, SPREAD) : 1.0;
}

// Leaps since the least error last fell: proximal steps may succeed one after the other and lead nowhere.
static long count_idle(const ChRun* run, long idle, int steps, double* least) {
  if (!(run->error < FELL * *least)) return idle + steps;
  *least = run->error;
  return 0;
}

static void recentre(Leap* l) {
  double *r = l->centre, *u = l->u_centre;
  l->centre = l->r, l->u_centre = l->u;
  l->r = r, l->u = u;
}

static void solve(ChRun* run) {
  Leap l = leap_create(run);
  memcpy(l.centre, run->r, (size_t)l.s->rows * sizeof(double));
  ch_system_velocity(l.s, l.centre, l.u_centre);
  double error = run->error, least = error;
  bool failed = false;
  long idle = 0, limit = run->max_iterations > 0 ? run->max_iterations : MOST_STEPS;
  l.eps = ch_clamp(error, START_EPS, l.o.eps_max);
  for (int failures = 0; failures <= l.o.patience && idle < l.o.idle && run->factorizations < limit;) {
    if (ch_run_finished(run)) break;
    int steps;
    choose_rho(&l, failed);
    long left = limit - run->factorizations;
    bool converged = solve_proximal(&l, error, left < l.o.steps ? left : l.o.steps, &steps);
    ch_system_project(l.s, l.r, l.r);
    double found = ch_run_offer_reaction(run, l.r, l.u);
    ch_run_note(run, ++run->outer, found);
    bool good = converged && found < 2.0 * error, better = found < 0.7 * error;
    if (good || better) {
      recentre(&l);
      error = found;
    }
    failures = good || better ? 0 : failures + 1;
    idle = count_idle(run, idle, steps, &least);
    failed |= !good;
    l.eps = ch_clamp(l.eps * (!good ? RISE : steps <= QUICK ? FALL : SLOW_FALL), LEAST_EPS, MOST_EPS);
  }
}

const ChMethod ch_method_leap = {
    .name = "leap",
    .summary =
        "proximal Newton method with full steps that also updates the velocities: for many contacts on few freedoms",
    .document = "Alart and Curnier 1991",
    .equation = "their map as F = y - r = 0 in docs/theory/leap.md",
    .literature = "Acary et al. 2018",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT | CH_REPEATS,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
