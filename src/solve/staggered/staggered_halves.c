// The two projections of staggered.h.
//
//   contact    min 1/2 r_N W_NN r_N + r_N (q_N + W_NT x)   over half lines; bilateral and limit rows as they are
//   friction   min 1/2 f W_TT f + f (q_T + W_TN a)         over discs, polygons or intervals of radius mu a
//
// A contact without normal reaction has no friction: it may be left out of the friction problem, which is then at most
// as large as the number of contacts that carry. Newton's method leaves sets of radius zero out of its factorisations
// anyhow; a smaller problem saves it little, and costs an analysis of the pattern for every new set of contacts.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"
#include "solve/linear/linear_system.h"
#include "solve/methods/staggered.h"

// The linear systems inside a projection in the space asked for.
static void ask_for_space(ChConvexView* view, int space) {
  const ChSetting settings[] = {{"newton.space", space}, {"admm.space", space}, {"ipm.space", space}};
  if (space != CH_SPACE_AUTO) ch_settings_append(view->outer->arena, &view->options, 3, settings);
}

void ch_staggered_init(ChStaggered* g, ChRun* run, bool only_loaded, int space) {
  const ChSystem* s = run->system;
  *g = (ChStaggered){.run = run, .s = s, .only_loaded = only_loaded};
  ch_half_normal(run->arena, s, &g->normal);
  ch_half_tangential(run->arena, s, &g->tangential);
  ch_convex_view_init(&g->contact, run, &g->normal.system);
  ch_convex_view_init(&g->friction, run, &g->tangential.system);
  ask_for_space(&g->contact, space);
  double** vectors[] = {&g->r_n, &g->f, &g->x, &g->a, &g->r, &g->u, &g->change, &g->Wf};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, s->rows, double);
  g->loaded = CH_TAKE(run->arena, s->n, unsigned char);
  ch_half_gather(&g->normal, run->r, g->r_n);
  ch_half_gather(&g->tangential, run->r, g->x);
}

void ch_staggered_across(ChStaggered* g, const ChHalfSystem* from, const double* part, const ChHalfSystem* to,
                         double* out) {
  memset(g->r, 0, (size_t)g->s->rows * sizeof(double));
  ch_half_scatter(from, part, g->r);
  ch_system_apply(g->s, g->r, g->u);
  ch_half_gather(to, g->u, out);
}

// Velocity that the reactions of one half alone leave, at the rows of another.
static void velocity_across(ChStaggered* g, const ChHalfSystem* from, const double* part, const ChHalfSystem* to,
                            double* q) {
  ch_staggered_across(g, from, part, to, q);
  for (int k = 0; k < to->system.rows; ++k) q[k] += g->s->q[to->source[k]];
}

double ch_staggered_contact(ChStaggered* g, const double* friction, double tolerance, ChDeadline deadline) {
  double began = ch_clock_seconds();
  velocity_across(g, &g->tangential, friction, &g->normal, g->contact.given.q);
  double error = g->apart ? ch_staggered_contact_apart(g, g->contact.given.q, tolerance, deadline) : -1.0;
  if (!(error >= 0.0)) error = ch_convex_view_solve(&g->contact, tolerance, deadline, g->r_n);
  g->contact_seconds = ch_clock_seconds() - began;
  return error;
}

void ch_staggered_radii(ChStaggered* g, const ChHalfSystem* half, const double* given) {
  const ChSystem* t = &half->system;
  ch_half_scatter(&g->normal, given, g->r);
  for (int k = 0; k < t->n; ++k) {
    int i = half->block[k];
    double radius = g->s->block[i].mu * ch_positive_part(g->r[g->s->row[i]]);
    t->block[k].mu = radius;
    t->block[k].lo = -radius;
    t->block[k].hi = radius;
  }
}

void ch_staggered_join(ChStaggered* g, const double* r_n, const double* f) {
  ch_half_scatter(&g->normal, r_n, g->r);
  ch_half_scatter(&g->tangential, f, g->r);
}

static double friction_over(ChStaggered* g, const ChHalfSystem* half, ChConvexView* view, const double* given,
                            double tolerance, double* f) {
  ch_staggered_radii(g, half, given);
  velocity_across(g, &g->normal, given, half, view->given.q);
  ch_system_project(&half->system, f, f);
  return ch_convex_view_solve(view, tolerance, g->run->deadline, f);
}

// Marks the contacts that carry; returns whether there are others.
static bool some_unloaded(ChStaggered* g, const double* given) {
  int carrying = 0;
  ch_half_scatter(&g->normal, given, g->r);
  for (int i = 0; i < g->s->n; ++i) carrying += g->loaded[i] = g->s->block[i].law->cone && g->r[g->s->row[i]] > 0.0;
  return carrying < g->tangential.system.n;
}

// Systems and factorisations of the smaller problem live for one projection only: the next has other contacts.
static double friction_over_loaded(ChStaggered* g, const double* given, const double* start, double tolerance) {
  ChRun* run = g->run;
  ChArenaMark mark = ch_arena_mark(run->arena), shared = ch_arena_mark(run->shared->arena);
  ChHalfSystem half;
  ChConvexView view;
  double error = 0.0;
  ch_half_tangential_of(run->arena, g->s, g->loaded, &half);
  double* f = CH_TAKE(run->arena, half.system.rows, double);
  ch_half_scatter(&g->tangential, start, g->r);
  ch_half_gather(&half, g->r, f);
  if (half.system.n > 0) {
    ch_convex_view_init(&view, run, &half.system);
    error = friction_over(g, &half, &view, given, tolerance, f);
  }
  memset(g->r, 0, (size_t)g->s->rows * sizeof(double));
  ch_half_scatter(&half, f, g->r);
  ch_half_gather(&g->tangential, g->r, g->f);
  ch_arena_release(run->shared->arena, shared);
  ch_arena_release(run->arena, mark);
  return error;
}

double ch_staggered_friction(ChStaggered* g, const double* given, const double* start, double tolerance) {
  if (!g->apart && g->only_loaded && some_unloaded(g, given)) return friction_over_loaded(g, given, start, tolerance);
  memcpy(g->f, start, (size_t)g->tangential.system.rows * sizeof(double));
  if (g->apart) {
    velocity_across(g, &g->normal, given, &g->tangential, g->friction.given.q);
    double error = ch_staggered_friction_apart(g, given, g->friction.given.q, tolerance);
    if (error >= 0.0) return error;
  }
  return friction_over(g, &g->tangential, &g->friction, given, tolerance, g->f);
}
