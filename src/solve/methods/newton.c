// newton: proximal semismooth Newton.
//
// Outer loop, proximal point: solve the problem with u replaced by u + eps (r - x_k), recentre x_k <- r, let eps fall.
// W may be singular; the proximal term makes every inner problem regular without moving the solution.
// Inner loop, Newton on F = y(x) - r with x = r - rho (u + eps (r - x_k)):
//   [ I - (1 - rho eps) D + rho D T W ] dr = F,    T = I (Alart-Curnier) or I + mu n t^T (De Saxce), t = u_T / |u_T|
// A formulation that stalls is exchanged for the next; sweeping would throw away what has been won.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "solve/contact/contact_map.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "newton"
#define NEWTON_OPTIONS(X)                                                                                         \
  X(int, space, 0, 0, 2, "unknowns of the linear system: 0 = the cheaper of both, 1 = reactions, 2 = velocities") \
  X(double, eps_max, 1e-2, 1e-9, 1.0, "largest proximal weight at the start")                                     \
  X(double, eps_min, 1e-9, 1e-14, 1e-2, "smallest proximal weight")                                               \
  X(int, inner, 30, 1, 60, "Newton steps per proximal step")                                                      \
  X(int, forms, 0, 0, 5, "formulations in rotation; 0 = all")                                                     \
  X(double, spread, 0.7, 0.0, 3.0, "after a failure, rho_i varies from block to block by up to exp(spread)")      \
  X(int, leaps, 1, 0, 100, "number of full steps per proximal step that may raise the merit")
CH_OPTIONS(NEWTON_OPTIONS)

typedef struct Form {
  ChMap map;
  double rho;    // 0: 1 / eps
  bool kinetic;  // merit |F| in the norm of W instead of the Euclidean one
} Form;

static const Form coulomb_forms[] = {{CH_MAP_ALART_CURNIER, 1.0, false},
                                     {CH_MAP_ALART_CURNIER, 10.0, false},
                                     {CH_MAP_DE_SAXCE, 1.0, false},
                                     {CH_MAP_ALART_CURNIER, 0.0, true},
                                     {CH_MAP_ALART_CURNIER, 0.1, false}};
static const Form saxce_forms[] = {{CH_MAP_DE_SAXCE, 1.0, false},
                                   {CH_MAP_DE_SAXCE, 10.0, false},
                                   {CH_MAP_DE_SAXCE, 0.0, true},
                                   {CH_MAP_DE_SAXCE, 0.1, false}};

enum { MEMORY = 3, STALL = 15, HISTORY = 64, HALVINGS = 10 };

typedef struct Newton {
  ChRun* run;
  const ChSystem* s;
  Options options;
  ChLinearSystem* linear;
  const Form* form;
  double eps;
  double* rho;  // per block
  unsigned long seed;
  double *centre, *r, *u, *x, *y, *step, *F;  // proximal centre and the current point
  double *r_new, *u_new, *x_new, *y_new;      // line-search trial
  double* next;                               // the next centre
  double* scratch[2];
  double *B, *E;
} Newton;

static Newton newton_create(ChRun* run) {
  const ChSystem* s = run->system;
  Newton n = {.run = run, .s = s, .options = read_options(run->options)};
  double** vectors[] = {&n.centre, &n.r,     &n.u,     &n.x,     &n.y,    &n.step,       &n.F,
                        &n.r_new,  &n.u_new, &n.x_new, &n.y_new, &n.next, &n.scratch[0], &n.scratch[1]};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  n.rho = CH_TAKE(run->arena, s->n, double);
  n.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  n.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  n.linear = ch_run_linear(run, n.options.space, false);
  return n;
}

// u, x and y at r; returns the merit
static double evaluate(const Newton* n, const double* r, double* u, double* x, double* y) {
  const ChSystem* s = n->s;
  bool saxce = n->form->map == CH_MAP_DE_SAXCE && !s->relaxed;
  ch_system_velocity(s, r, u);
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) {
    int row = s->row[i];
    double rho = n->rho[i], weight = rho > 1.0 ? 1.0 / rho : 1.0;
    for (int a = row; a < row + s->dim[i]; ++a)
      x[a] = n->form->rho > 0.0 ? r[a] - rho * (u[a] + n->eps * (r[a] - n->centre[a])) : n->centre[a] - rho * u[a];
    if (saxce) x[row] -= rho * s->block[i].mu * ch_system_slip(s, i, u + row);
    ch_map_value(s, n->form->map, i, x + row, y + row);
    for (int a = row; a < row + s->dim[i]; ++a) sum += weight * weight * (y[a] - r[a]) * (y[a] - r[a]);
  }
  if (!n->form->kinetic) return sqrt(sum);
  for (int a = 0; a < s->rows; ++a) n->scratch[0][a] = y[a] - r[a];
  ch_system_apply(s, n->scratch[0], n->scratch[1]);
  double energy = 0.0;
  for (int a = 0; a < s->rows; ++a) energy += n->scratch[0][a] * n->scratch[1][a];
  return sqrt(energy > 0.0 ? energy : isnan(energy) ? energy : 0.0);
}

// B = I - (1 - rho eps) D, E = rho D T
static void linearize(const Newton* n) {
  const ChSystem* s = n->s;
  bool saxce = n->form->map == CH_MAP_DE_SAXCE && !s->relaxed;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], at = s->diagonal_at[i];
    double D[CH_BLOCK_MAX * CH_BLOCK_MAX], rho = n->rho[i];
    ch_map_derivative(s, n->form->map, i, n->x + s->row[i], D);
    for (int a = 0; a < d * d; ++a) {
      n->B[at + a] = (a % (d + 1) == 0) - (1.0 - rho * n->eps) * D[a];
      n->E[at + a] = rho * D[a];
    }
    const double* u = n->u + s->row[i];
    double t[CH_BLOCK_MAX];
    if (saxce && ch_system_slip_gradient(s, i, u, t) > 0.0)
      for (int a = 0; a < d; ++a)
        for (int b = 1; b < d; ++b) n->E[at + a * d + b] += rho * D[a * d] * s->block[i].mu * t[b];
  }
}

static double try_step(Newton* n, double length) {
  for (int a = 0; a < n->s->rows; ++a) n->r_new[a] = n->r[a] + length * n->step[a];
  return evaluate(n, n->r_new, n->u_new, n->x_new, n->y_new);
}

// Longest of 1, 1/2, .. that lowers the merit below the largest of the last few; false when none does.
static bool line_search(Newton* n, double reference, double* merit) {
  double length = 1.0;
  for (int k = 0; k < HALVINGS; ++k, length *= 0.5) {
    double trial = try_step(n, length);
    if (trial <= (1.0 - 1e-4 * length) * reference) {
      *merit = trial;
      return true;
    }
  }
  return false;
}

static void accept_trial(Newton* n) {
  double* swap;
#define SWAP(a, b) swap = n->a, n->a = n->b, n->b = swap
  SWAP(r, r_new);
  SWAP(u, u_new);
  SWAP(x, x_new);
  SWAP(y, y_new);
#undef SWAP
}

// Newton steps on one proximal problem, from its centre. True when the merit fell to the target.
static bool inner_newton(Newton* n, double target, int most, int* steps) {
  double merit[HISTORY];
  int leaps = n->options.leaps;
  memcpy(n->r, n->centre, (size_t)n->s->rows * sizeof(double));
  double f = merit[0] = evaluate(n, n->r, n->u, n->x, n->y);
  target = fmax(1e-15, fmin(target, 0.1 * f));
  if (most > HISTORY - 1) most = HISTORY - 1;
  for (*steps = 0; !(f <= target); ++*steps) {
    if (*steps == most || ch_run_late(n->run)) return false;
    linearize(n);
    ++n->run->factorizations;
    ++n->run->inner;
    if (!ch_linear_factor(n->linear, n->B, n->E)) return false;
    for (int a = 0; a < n->s->rows; ++a) n->F[a] = n->y[a] - n->r[a];
    ch_linear_solve(n->linear, n->F, n->step);
    if (!ch_all_finite(n->step, n->s->rows)) return false;
    double reference = 0.0;
    for (int k = *steps; k >= 0 && k > *steps - MEMORY; --k) reference = fmax(reference, merit[k]);
    if (!line_search(n, reference, &f)) {
      if (leaps-- <= 0) return false;
      f = try_step(n, 1.0);  // across the kink that the search could not leave
      if (!isfinite(f)) return false;
    }
    accept_trial(n);
    merit[*steps + 1] = f;
    if (*steps + 1 >= STALL + 2 && f > 0.5 * merit[*steps + 1 - STALL]) return false;
  }
  return true;
}

// Steps on from the centre through `next` while the error keeps falling: pays when eps is larger than it need be.
static double extrapolate(Newton* n, double error) {
  size_t bytes = (size_t)n->s->rows * sizeof(double);
  memcpy(n->scratch[0], n->next, bytes);
  for (double t = 2.0; t < 100.0; t *= 2.0) {
    for (int a = 0; a < n->s->rows; ++a) n->r_new[a] = n->centre[a] + t * (n->scratch[0][a] - n->centre[a]);
    ch_system_project(n->s, n->r_new, n->r_new);
    double trial = ch_run_offer_reaction(n->run, n->r_new, n->u_new);
    if (!(trial < 0.9 * error)) break;
    error = trial;
    memcpy(n->next, n->r_new, bytes);
  }
  return error;
}

// What the proximal loop remembers from step to step.
typedef struct Progress {
  double error;     // at the centre
  int form, forms;  // in use, in rotation
  int failures;     // in a row
  bool failed;      // ever
} Progress;

// The same rho everywhere until something has failed. After that a new draw each time: contacts that sit on a kink of
// the map, where one rho makes Newton's method cycle, sit elsewhere with another. The sequence is always the same.
static void choose_rho(Newton* n, bool vary) {
  double rho = n->form->rho > 0.0 ? n->form->rho : 1.0 / n->eps;
  for (int i = 0; i < n->s->n; ++i)
    n->rho[i] = vary && n->form->rho > 0.0 ? rho * ch_run_vary(&n->seed, n->options.spread) : rho;
}

// Solves one proximal problem and adjusts eps and the formulation to how it went.
static void proximal_step(Newton* n, const Form* forms, Progress* p, long outer, long left) {
  n->form = &forms[p->form];
  choose_rho(n, p->failed);
  int steps;
  bool converged = inner_newton(n, 0.02 * p->error, left < n->options.inner ? (int)left : n->options.inner, &steps);
  ch_system_project(n->s, n->r, n->next);
  double found = ch_run_offer_reaction(n->run, n->next, n->u);
  bool good = converged && found < 2.0 * p->error, better = found < 0.7 * p->error;
  if (good && !ch_run_finished(n->run)) found = extrapolate(n, found);
  ch_run_note(n->run, outer, found);
  if (good || better) {
    memcpy(n->centre, n->next, (size_t)n->s->rows * sizeof(double));
    p->error = found;
    p->failures = 0;
  }
  if (good) {
    n->eps = fmax(n->options.eps_min, n->eps * (steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : steps > 12 ? 2.0 : 1.0));
    return;
  }
  p->form = (p->form + 1) % p->forms;
  p->failed = true;
  if (!better) ++p->failures;
  if (p->failures >= p->forms) {
    n->eps = fmin(4.0 * n->eps, 1.0);
    p->failures = 0;
  } else if (p->failures >= 2) {
    n->eps = fmin(2.0 * n->eps, 1.0);
  }
}

static void proximal_loop(Newton* n, long limit) {
  ChRun* run = n->run;
  bool saxce = n->s->relaxed || n->s->polygonal;  // Alart and Curnier's map needs a circular section
  const Form* forms = saxce ? saxce_forms : coulomb_forms;
  int count = (int)((saxce ? sizeof saxce_forms : sizeof coulomb_forms) / sizeof(Form));
  Progress p = {.error = run->error,
                .forms = n->options.forms > 0 && n->options.forms < count ? n->options.forms : count};
  memcpy(n->centre, run->r, (size_t)n->s->rows * sizeof(double));
  n->eps = ch_clamp(p.error, 1e-6, n->options.eps_max);
  double best_then = run->error;
  for (long outer = 1; !ch_run_finished(run) && run->factorizations < limit; ++outer) {
    ++run->outer;
    proximal_step(n, forms, &p, outer, limit - run->factorizations);
    if (outer % 90 != 0) continue;
    if (run->error > 0.9 * best_then) return;  // stalled for good
    best_then = run->error;
  }
}

static void solve(ChRun* run) {
  Newton n = newton_create(run);
  proximal_loop(&n, run->max_iterations > 0 ? run->max_iterations : 3000);
}

const ChMethod ch_method_newton = {.name = "newton",
                                   .summary = "proximal semismooth Newton on the Alart-Curnier and De Saxce maps",
                                   .document = "Alart and Curnier 1991",
                                   .equation = "their map as F = y - r = 0 in docs/theory/newton.md",
                                   .literature = "Acary et al. 2018",
                                   .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED |
                                            CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_TAKES_DISC | CH_IS_INNER |
                                            CH_IS_EXACT | CH_REPEATS,
                                   .options = option_rows,
                                   .option_count = CH_OPTION_COUNT,
                                   .solve = solve};
