// walk: Newton's method from kink to kink.
//
//   r = y(x),  y Alart and Curnier's map;   G(x) = u + x - r,  u = W r + q;   where G = 0, r solves the problem
//   repeat   make y piecewise linear at x: discs become squares with a side where r is, a sliding contact turns by
//            slope x_t, slope = mu x_n / |x_T|
//            follow G(x(t)) = (1 - t) G(x) over its kinks, with u + eps (r - c) for u, c = y(x)      (kink_path.h)
//
// leap.c jumps over kinks, and may jump in circles: samples of one face of a body are nearly one and the same, W has
// eigenvalues of 1e-10, and a leap moves more load among them than there is. On the path each kink is met, one contact
// changes there, and the path goes on in the direction that is right with what it has become.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "solve/contact/contact_map.h"
#include "solve/contact/kink_frames.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "walk"
#define WALK_OPTIONS(X)                             \
  X(double, eps, 1e-7, 0.0, 1.0, "proximal weight") \
  X(int, kinks, 6, 1, 1000, "kinks per row after which a path is given up")
CH_OPTIONS(WALK_OPTIONS)

enum { MOST_WALKS = 60, LARGEST = 1500 };

typedef struct Walk {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChKinkPath path;
  double* W;  // full, as the path's T
  double *x, *r, *u;
  ChKinkFrames frames;
} Walk;

static void fill_matrix(Walk* w) {
  const ChBlockCsr* A = &w->s->W;
  for (int i = 0; i < A->n; ++i)
    for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
      int j = A->column[e], d = A->dim[j];
      const double* from = A->value + A->offset[e];
      for (int a = 0; a < A->dim[i]; ++a)
        memcpy(w->W + (long)(A->row[i] + a) * w->path.stride + A->row[j], from + a * d, (size_t)d * sizeof *from);
    }
}

static Walk create(ChRun* run) {
  const ChSystem* s = run->system;
  Walk w = {.run = run, .s = s, .o = read_options(run->options), .path = ch_kink_path_create(run->arena, s->rows)};
  double** vectors[] = {&w.x, &w.r, &w.u};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  w.W = CH_TAKE(run->arena, (size_t)s->rows * w.path.stride, double);
  w.frames = ch_kink_frames_create(run->arena, s);
  fill_matrix(&w);
  return w;
}

// T = W + eps - 1 in the frames
static void set_tableau(Walk* w) {
  int n = w->s->rows, stride = w->path.stride;
  double* T = w->path.T;
  memcpy(T, w->W, (size_t)n * stride * sizeof *T);
  ch_kink_frames_enter(&w->frames, 1.0, stride, T);
  for (int a = 0; a < n; ++a) {
    ch_kink_frames_enter(&w->frames, 1.0, 1, T + (long)a * stride);
    T[(long)a * stride + a] += w->o.eps - 1.0;
  }
}

static ChKinkEnd follow(Walk* w, long* kinks) {
  set_tableau(w);
  ++w->run->factorizations;
  return ch_kink_path_follow(&w->path, (long)w->o.kinks * w->s->rows, w->run->deadline, kinks);
}

static ChKinkEnd walk_from_here(Walk* w, long* kinks) {
  ChKinkPath* p = &w->path;
  ch_kink_frames_choose(&w->frames, w->x);
  for (int a = 0; a < w->s->rows; ++a) {
    p->x[a] = w->x[a];
    p->y[a] = w->u[a] + w->x[a] - w->r[a];
  }
  ch_kink_frames_enter(&w->frames, 1.0, 1, p->x);
  ch_kink_frames_enter(&w->frames, 1.0, 1, p->y);
  ch_kink_frames_set_rows(&w->frames, p);
  return follow(w, kinks);
}

// The same piecewise linear problem from where all contacts are open: this path comes from t = -infinity and is no
// loop.
static ChKinkEnd walk_from_afar(Walk* w, long* kinks) {
  const ChSystem* s = w->s;
  ChKinkPath* p = &w->path;
  memset(p->x, 0, (size_t)s->rows * sizeof *p->x);
  for (int i = 0; i < s->n; ++i) {
    double lo, hi;
    s->block[i].law->interval(&s->block[i], &lo, &hi);
    p->x[s->row[i]] = ch_clamp(0.0, lo, hi);
  }
  ch_system_velocity(s, p->x, w->u);
  for (int a = 0; a < s->rows; ++a) p->y[a] = w->u[a] + w->o.eps * (p->x[a] - w->r[a]);
  for (int i = 0; i < s->n; ++i) {
    int a = s->row[i];
    if (!s->block[i].law->info.opens) continue;
    p->x[a] = -1.0 - fabs(p->y[a]);
    p->y[a] += p->x[a];
  }
  ch_kink_frames_enter(&w->frames, 1.0, 1, p->y);
  return follow(w, kinks);
}

// r and u at x
static void land(Walk* w) {
  const ChSystem* s = w->s;
  for (int i = 0; i < s->n; ++i) ch_map_value(s, CH_MAP_ALART_CURNIER, i, w->x + s->row[i], w->r + s->row[i]);
  ch_system_velocity(s, w->r, w->u);
}

static void solve(ChRun* run) {
  Walk w = create(run);
  size_t bytes = (size_t)w.s->rows * sizeof(double);
  long limit = run->max_iterations > 0 ? run->max_iterations : MOST_WALKS, kinks = 0;
  ch_system_velocity(w.s, run->r, w.u);
  for (int a = 0; a < w.s->rows; ++a) w.x[a] = run->r[a] - w.u[a];
  land(&w);
  for (long k = 1; k <= limit && !ch_run_finished(run); ++k) {
    ++run->inner;
    if (walk_from_here(&w, &kinks) != CH_KINK_SOLVED && !ch_run_late(run)) walk_from_afar(&w, &kinks);
    memcpy(w.x, w.path.x, bytes);
    ch_kink_frames_enter(&w.frames, -1.0, 1, w.x);
    if (!ch_all_finite(w.x, w.s->rows)) break;
    land(&w);
    ch_run_note(run, ++run->outer, ch_run_offer(run, w.r, w.u));
  }
  snprintf(run->note, sizeof run->note, "%ld kinks", kinks);
}

const ChMethod ch_method_walk = {
    .name = "walk",
    .summary = "Newton's method along piecewise linear paths, from kink to kink: few contacts, nearly redundant",
    .document = "Alart and Curnier 1991",
    .equation = "their map as G = u + x - y(x) = 0 in docs/theory/walk.md",
    .literature = "Eaves 1976; Dirkse and Ferris 1995",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .largest = LARGEST,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
