// The convex half of an outer loop: see convex_view.h.
#include "solve/convex_view.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

#define DEFAULT_INNER "newton"
#define DEFAULT_RELIEF "apgd"
enum { MOST_CARRIES = 50, DEFAULT_LIMIT = 200, DEFAULT_RELIEF_LIMIT = 3000 };

static bool has_disc(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->set[i] == CH_SET_DISC) return true;
  return false;
}

// Whether the method can take the view at all; an unsymmetric W that is formed can be carried.
static bool can_take(const ChMethod* m, const ChSystem* s) {
  unsigned needed = CH_TAKES_RELAXED;
  if (has_disc(s)) needed |= CH_TAKES_DISC;
  if (s->polygonal) needed |= CH_TAKES_POLYGON;
  if (!s->formed) needed |= CH_TAKES_UNFORMED;
  if (!s->formed && !s->symmetric) needed |= CH_TAKES_UNSYMMETRIC;
  return m && (m->takes & needed) == needed;
}

void ch_convex_view_init(ChConvexView* view, ChRun* outer, const ChSystem* system) {
  *view = (ChConvexView){.given = *system, .inner = outer->inner_method, .outer = outer, .options = *outer->options};
  if (!can_take(view->inner, system)) {
    view->inner = ch_method_find(DEFAULT_INNER);
    view->relief = ch_method_find(DEFAULT_RELIEF);
    view->limit = DEFAULT_LIMIT;
    view->relief_limit = DEFAULT_RELIEF_LIMIT;
  }
  view->options.history = NULL;
  view->given.relaxed = true;
  view->given.q = CH_TAKE(outer->arena, system->rows, double);
  memcpy(view->given.q, system->q, (size_t)system->rows * sizeof(double));
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

// The inner method on what it sees, from r to r.
static void run_inner(ChConvexView* view, double tolerance, double deadline, double* r) {
  ChRun* outer = view->outer;
  ChArenaMark mark = ch_arena_mark(outer->arena);
  ChRun run = {.system = &view->convex,
               .arena = outer->arena,
               .options = &view->options,
               .tolerance = tolerance,
               .started = outer->started,
               .deadline = deadline,
               .max_iterations = view->limit,
               .stage = view->inner->name,
               .scale = outer->scale,
               .depth = outer->depth + 1,
               .shared = &view->shared,
               .r = r};
  ch_system_velocity(run.system, r, view->u);
  run.error = ch_system_error(run.system, r, view->u);
  if (isnan(run.error)) run.error = INFINITY;
  if (!(run.error <= run.tolerance)) view->inner->solve(&run);
  if (!ch_run_finished(&run) && view->relief) {
    run.max_iterations = view->relief_limit;
    view->relief->solve(&run);
  }
  ch_arena_release(outer->arena, mark);
  outer->inner += run.inner > 0 ? run.inner : run.outer;
  outer->factorizations += run.factorizations;
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

double ch_convex_view_solve(ChConvexView* view, double tolerance, double deadline, double* r) {
  if (!view->carried) {
    run_inner(view, tolerance, deadline, r);
    return error_of(view, r);
  }
  size_t bytes = (size_t)view->given.rows * sizeof *r;
  double best = error_of(view, r);
  memcpy(view->trial, r, bytes);
  for (int k = 0; k < MOST_CARRIES && !(best <= tolerance) && !(ch_clock_seconds() > deadline); ++k) {
    carry(view, view->trial);
    run_inner(view, 0.5 * tolerance, deadline, view->trial);
    double error = error_of(view, view->trial);
    if (!(error < best)) break;
    best = error;
    memcpy(r, view->trial, bytes);
  }
  return best;
}
