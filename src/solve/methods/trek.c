// trek: a long walk, over thousands of contacts.
//
//   outer   solve the problem with u replaced by u + eps (r - c), recentre c <- r, let eps fall
//   inner   G(x) = u + eps (r - c) + x - r,   r = y(x) Alart and Curnier's map;   where G = 0, r solves it
//           walks: y made piecewise linear at x, G(x(t)) = (1 - t) G(x) followed over its kinks     (sparse_kinks.h)
//
// walk.c keeps a full tableau, which ends at a few hundred contacts. Here it is a sparse factorisation, and each kink
// on the way one solve with it. Where grains jam a few contacts of thousands change their states in turn, and each
// change depends on all others through the whole packing: sweeps go round in circles there, and Newton steps cycle. On
// the path one contact changes at a time, and the packing answers at once. eps keeps the path short, so that discs may
// be squares and what is not to change does not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/contact/contact_map.h"
#include "solve/contact/sparse_kinks.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "trek"
#define TREK_OPTIONS(X)                                                    \
  X(int, sweeps, 1500, 0, 100000, "sweeps before")                         \
  X(double, eps, 1e-3, 1e-12, 1.0, "largest proximal weight at the start") \
  X(int, kinks, 100, 1, 100000, "kinks after which a path is given up")    \
  X(int, renew, 64, 1, 1000, "kinks from one factorisation to the next")   \
  X(int, walks, 8, 1, 1000, "walks per proximal step")                     \
  X(int, patience, 3, 0, 1000, "proximal steps in a row that may fail")
CH_OPTIONS(TREK_OPTIONS)

extern const ChMethod ch_method_ansgs;

#define EPS_OF_ERROR 5.0
#define LEAST_EPS 1e-9
#define MOST_EPS 0.1
#define FALL 0.1       // of eps after a proximal step,
#define SLOW_FALL 0.3  // after a slow one,
#define RISE 4.0       // and its rise after one that failed
#define SHARE 0.2      // of the centre's error that a proximal step need not bring down,
#define LEAST 0.1      // and of the tolerance
#define LOST 100.0     // times |G| at the centre: a walk that leads there
enum { QUICK = 3, MOST_STEPS = 100 };

typedef struct Trek {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChSparseKinks* path;
  double eps;
  double *centre, *x, *r, *u, *G, *best;
  long kinks;
} Trek;

static Trek create(ChRun* run) {
  const ChSystem* s = run->system;
  Trek t = {.run = run, .s = s, .o = read_options(run->options)};
  double** rows[] = {&t.centre, &t.x, &t.r, &t.u, &t.G, &t.best};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  ChLinearSystem* linear = ch_run_linear(run, s->bodies ? CH_SPACE_V : CH_SPACE_AUTO, false);
  t.path = ch_sparse_kinks_create(run->arena, s, linear, t.o.renew, &run->factorizations);
  return t;
}

// r, u and G at x; returns |G|.
static double land(Trek* t) {
  const ChSystem* s = t->s;
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) ch_map_value(s, CH_MAP_ALART_CURNIER, i, t->x + s->row[i], t->r + s->row[i]);
  ch_system_velocity(s, t->r, t->u);
  for (int a = 0; a < s->rows; ++a) {
    t->G[a] = t->u[a] + t->eps * (t->r[a] - t->centre[a]) + t->x[a] - t->r[a];
    sum += t->G[a] * t->G[a];
  }
  return sqrt(sum);
}

static double begin_at_centre(Trek* t) {
  ch_system_velocity(t->s, t->centre, t->u);
  for (int a = 0; a < t->s->rows; ++a) t->x[a] = t->centre[a] - t->u[a];
  return land(t);
}

// Walks from the centre, until |G| comes to the target; true where it does. Ends at the best point.
static bool proximal_step(Trek* t, double target, int* walks) {
  const size_t bytes = (size_t)t->s->rows * sizeof(double);
  const double first = begin_at_centre(t);
  double now = first, least = first;
  memcpy(t->best, t->x, bytes);
  for (*walks = 0; now > target && *walks < t->o.walks && !ch_run_finished(t->run); ++*walks) {
    ++t->run->inner;
    const ChKinkEnd end = ch_sparse_kinks_walk(t->path, t->eps, t->G, t->x, t->o.kinks, t->run->deadline, &t->kinks);
    if (end != CH_KINK_SOLVED || !ch_all_finite(t->x, t->s->rows)) break;
    now = land(t);
    ch_run_offer(t->run, t->r, t->u);
    if (!(now <= LOST * first)) break;
    if (!(now < least)) continue;
    least = now;
    memcpy(t->best, t->x, bytes);
  }
  memcpy(t->x, t->best, bytes);
  return land(t) <= target;
}

static void solve(ChRun* run) {
  Trek t = create(run);
  if (t.o.sweeps > 0) ch_run_nested(run, &(ChNested){.method = &ch_method_ansgs, .max_iterations = t.o.sweeps}, NULL);
  const size_t bytes = (size_t)t.s->rows * sizeof(double);
  const long limit = run->max_iterations > 0 && run->max_iterations < MOST_STEPS ? run->max_iterations : MOST_STEPS;
  memcpy(t.centre, run->r, bytes);
  double error = run->error;
  t.eps = ch_clamp(EPS_OF_ERROR * error, LEAST_EPS, t.o.eps);
  int failures = 0;
  for (long k = 1; k <= limit && failures <= t.o.patience && !ch_run_finished(run); ++k) {
    int walks;
    const bool met = proximal_step(&t, fmax(SHARE * error, LEAST * run->tolerance), &walks);
    const double found = ch_run_offer(run, t.r, t.u);
    ch_run_note(run, ++run->outer, found);
    const bool good = met && found < 2.0 * error, better = found < 0.7 * error;
    if (good || better) {
      memcpy(t.centre, t.r, bytes);
      error = found;
    }
    failures = good || better ? 0 : failures + 1;
    t.eps = ch_clamp(t.eps * (!good ? RISE : walks <= QUICK ? FALL : SLOW_FALL), LEAST_EPS, MOST_EPS);
  }
  snprintf(run->note, sizeof run->note, "%ld kinks", t.kinks);
}

const ChMethod ch_method_trek = {
    .name = "trek",
    .summary = "proximal steps along piecewise linear paths, from kink to kink, with sparse factors: packings that jam",
    .document = "Cardhouse's own",
    .equation = "docs/theory/trek.md",
    .literature = "Alart and Curnier 1991; Eaves 1976",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
