// The convex half of an outer loop: see convex_view.h.
#include "solve/qp/convex_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/work.h"
#include "cardhouse/clock.h"
#include "solve/fixed_point.h"

#define SET_UP 3.5e3  // work a row, as measured on a pile of 2,380 contacts: 25 ms
enum { MOST_CARRIES = 100, CARRY_DEPTH = 8, CARRY_PATIENCE = 15 };

// Iterations after which the other of the two takes over; and those that any other inner method is given.
enum { NEWTON_LIMIT = 200, GRADIENT_LIMIT = 3000, ASKED_LIMIT = 10000 };

static bool has_disc(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->capped) return true;
  return false;
}

// Cones and discs in space without corners.
static bool has_smooth(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (ch_block_is_curved(&s->block[i])) return true;
  return false;
}

// Whether the method can take the view at all; an unsymmetric W that is formed can be carried.
static bool can_take(const ChMethod* m, const ChSystem* s) {
  unsigned needed = CH_TAKES_RELAXED;
  if (has_disc(s)) needed |= CH_TAKES_DISC;
  if (s->polygonal) needed |= CH_TAKES_POLYGON;
  if (!s->formed) needed |= CH_TAKES_UNFORMED;
  if (!s->formed && !s->symmetric) needed |= CH_TAKES_UNSYMMETRIC;
  if (m && (m->takes & CH_NEEDS_POLYGON) && has_smooth(s)) return false;
  return m && (m->takes & needed) == needed && ch_method_takes_laws(m->takes, s);
}

// What was asked for where it can take the view, or Newton's method; the relief is the other of newton and apgd.
static void pick_methods(ChConvexView* view) {
  const ChMethod *newton = ch_method_find("newton"), *gradient = ch_method_find("apgd");
  view->asked = can_take(view->inner, &view->given);
  if (!view->asked) view->inner = newton;
  bool by_newton = view->inner == newton;
  view->relief = by_newton ? gradient : newton;
  view->limit = by_newton ? NEWTON_LIMIT : ASKED_LIMIT;
  view->relief_limit = by_newton ? GRADIENT_LIMIT : NEWTON_LIMIT;
  if (!can_take(view->relief, &view->given)) view->relief = NULL;
}

void ch_convex_view_init(ChConvexView* view, ChRun* outer, const ChSystem* system) {
  *view = (ChConvexView){.given = *system, .inner = outer->inner_method, .outer = outer, .options = *outer->options};
  pick_methods(view);
  view->options.history = NULL;
  view->given.relaxed = true;
  view->given.q = CH_TAKE(outer->arena, system->rows, double);
  memcpy(view->given.q, system->q, (size_t)system->rows * sizeof(double));
  view->x = CH_TAKE(outer->arena, system->rows, double);
  view->trial = CH_TAKE(outer->arena, system->rows, double);
  view->u = CH_TAKE(outer->arena, system->rows, double);
  view->v = CH_TAKE(outer->arena, system->rows, double);
  view->convex = view->given;
  view->shared = (ChShared){.arena = outer->shared->arena, .system = &view->convex};
  view->carried = !system->symmetric && !(view->inner->takes & CH_TAKES_UNSYMMETRIC);
  if (!view->carried) return;
  ChSystem* c = &view->convex;
  c->W = ch_block_csr_symmetric_part(outer->arena, &system->W);
  c->symmetric = true;
  c->bodies = NULL;  // they stand for the unsymmetric W
  c->q = CH_TAKE(outer->arena, system->rows, double);
  c->diagonal = CH_TAKE(outer->arena, system->diagonal_at[system->n], double);
  for (int i = 0; i < c->n; ++i)
    memcpy(c->diagonal + c->diagonal_at[i], c->W.value + c->W.offset[c->W.diagonal[i]],
           (size_t)(c->dim[i] * c->dim[i]) * sizeof(double));
}

// Ordering and symbolic analysis of a view's first system, which cannot be left once begun.
static bool may_begin(const ChConvexView* view) {
  double work = SET_UP * view->given.rows;
  return view->shared.linear[0] || view->shared.linear[1] || ch_limits_allow(work, work / CH_WORK_RATE);
}

// One method on one view, from r to r. True when it met the tolerance.
static bool run_method(ChConvexView* view, const ChSystem* system, const ChMethod* method, long limit, double tolerance,
                       ChDeadline deadline, double* r) {
  ChRun* outer = view->outer;
  ChArenaMark mark = ch_arena_mark(outer->arena);
  ChRun run = {.system = system,
               .arena = outer->arena,
               .options = &view->options,
               .tolerance = tolerance,
               .started = outer->started,
               .begun = outer->begun,
               .deadline = deadline,
               .max_iterations = limit,
               .stage = method->name,
               .scale = outer->scale,
               .depth = outer->depth + 1,
               .shared = &view->shared,
               .r = r};
  ch_system_velocity(system, r, view->u);
  run.error = ch_system_error(system, r, view->u);
  if (isnan(run.error)) run.error = INFINITY;
  if (!(run.error <= run.tolerance) && may_begin(view)) method->solve(&run);
  ch_arena_release(outer->arena, mark);
  outer->inner += run.inner > 0 ? run.inner : run.outer;
  outer->factorizations += run.factorizations;
  return run.error <= run.tolerance;
}

// q of the convex system: q + (W - W_sym) r
static void carry(ChConvexView* view, const double* r) {
  ch_system_velocity(&view->given, r, view->u);
  ch_system_apply(&view->convex, r, view->v);
  for (int k = 0; k < view->given.rows; ++k) view->convex.q[k] = view->u[k] - view->v[k];
}

static double error_of(ChConvexView* view, const double* r) {
  ch_system_velocity(&view->given, r, view->u);
  return ch_system_error(&view->given, r, view->u);
}

// x -> solution of the convex problem with (W - W_sym) x carried, accelerated: plain carrying contracts only where the
// skew part is small against the smallest eigenvalue of the symmetric one. r keeps the best image.
static void solve_carried(ChConvexView* view, double tolerance, ChDeadline deadline, double* r) {
  ChArenaMark mark = ch_arena_mark(view->outer->arena);
  int rows = view->given.rows;
  ChFixedPoint carrying = ch_fixed_point_create(view->outer->arena, rows, CARRY_DEPTH, 1.0, CARRY_PATIENCE);
  double best = error_of(view, r);
  memcpy(view->x, r, (size_t)rows * sizeof *r);
  for (int k = 0; k < MOST_CARRIES && !(best <= tolerance) && !(ch_deadline_passed(deadline)); ++k) {
    carry(view, view->x);
    memcpy(view->trial, view->x, (size_t)rows * sizeof *r);
    run_method(view, &view->convex, view->inner, view->limit, 0.5 * tolerance, deadline, view->trial);
    double error = error_of(view, view->trial);
    if (error < best) {
      best = error;
      memcpy(r, view->trial, (size_t)rows * sizeof *r);
    }
    if (!ch_fixed_point_next(&carrying, error, view->trial, view->x)) break;
  }
  ch_arena_release(view->outer->arena, mark);
}

// The relief starts where the inner method ended, on the view as given.
static double relieve(ChConvexView* view, double tolerance, ChDeadline deadline, double* r) {
  run_method(view, &view->given, view->relief, view->relief_limit, tolerance, deadline, r);
  ++view->relieved;
  if (view->asked)
    snprintf(view->outer->note, sizeof view->outer->note, "inner %s fell short in %ld of %ld solves and %s went on",
             view->inner->name, view->relieved, view->solves, view->relief->name);
  return error_of(view, r);
}

double ch_convex_view_solve(ChConvexView* view, double tolerance, ChDeadline deadline, double* r) {
  ++view->solves;
  if (view->carried)
    solve_carried(view, tolerance, deadline, r);
  else
    run_method(view, &view->given, view->inner, view->limit, tolerance, deadline, r);
  double error = error_of(view, r);
  bool missed = !(error <= tolerance) && !(ch_deadline_passed(deadline));
  return missed && view->relief ? relieve(view, tolerance, deadline, r) : error;
}
