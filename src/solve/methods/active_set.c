// active-set: the convex contact problem as a quadratic programme, by the dual active-set method.
//
//   min 1/2 v'Mv + q'v,   e n'v + mu D'v >= -(Gamma + Delta),  joints as equations     (Anitescu and Hart (15))
//
// The method needs only the Gram matrix of the constraints in M^-1, which is G'WG with the extreme rays of the
// polygonal cones in G (active_set_rays.h, dual_active_set.h). The start's rays are the first active set. Discs and the
// exact penalty make the Hessian semidefinite and take proximal steps.
//
// The exact penalty [Anitescu 2007, "Primal hot starting"] gives every contact a slack zeta with weight C, so that any
// velocity is feasible and the programme has a solution whatever the constraints; in the dual it bounds each contact's
// normal impulse by C. His C = max{20 m g, 5 max c_n} becomes max{20 sum_i |q_i|, 5 max r_n}: q_i, in scaled variables,
// is the impulse that stops contact i alone, and r_n are those of the start. Should the bound hold something in the
// end, C is raised and the method goes on.
#include <math.h>

#include "solve/method.h"
#include "solve/qp/active_set_rays.h"
#include "solve/qp/dual_active_set.h"

#define CH_OPTION_PREFIX "active-set"
#define ACTIVE_SET_OPTIONS(X)                                                                          \
  X(int, factor, 0, 0, 2, "factors of the active constraints: 0 = by size, 1 = dense, 2 = sparse")     \
  X(int, dense_rows, 1000, 0, 1e9, "rows of r up to which `factor` 0 is dense")                        \
  X(double, penalty, 0.0, 0.0, 1e9, "weight of the exact penalty relative to its default C; 0 = none") \
  X(double, proximal, 1e-3, 0.0, 1e3, "delta of the halves of a staggered step; 0 = none")             \
  X(double, rho, 1e3, 1.0, 1e8, "1/eps of the proximal steps that polygonal discs need")               \
  X(double, tol_dependent, 1e-11, 0.0, 1e-2, "relative Schur complement below which a constraint counts as dependent")
CH_OPTIONS(ACTIVE_SET_OPTIONS)

enum { MOST_STEPS = 100, MOST_RAISES = 12, ELASTIC_STEPS = 2 };  // two are enough where no slack is left
#define RAISE 10.0

// What a call leaves to the next one on the same W: rays, their active set and its factor.
typedef struct ChActiveSet {
  ChRays rays;
  ChDualActiveSet* set;
  double* b;
  const void *W, *blocks;  // whose they are
  double delta;
} ChActiveSet;

typedef struct Call {
  ChRun* run;
  Options o;
  double *r, *u;
} Call;

static double default_penalty(const ChSystem* s, const double* r) {
  double momentum = 0.0, load = 0.0;
  for (int i = 0; i < s->n; ++i) {
    double square = 0.0;
    for (int k = s->row[i]; k < s->row[i + 1]; ++k) square += s->q[k] * s->q[k];
    momentum += sqrt(square);
    if (s->block[i].law->cone) load = fmax(load, r[s->row[i]]);
  }
  return fmax(20.0 * momentum, 5.0 * load);
}

// The halves of a staggered step: no cones, and a caller to whom all of r matters.
static bool is_half(const ChRun* run) {
  for (int i = 0; i < run->system->n; ++i)
    if (run->system->block[i].law->cone) return false;
  return run->depth > 0;
}

// The programme with every contact's impulse at most C, and the start's rays in its active set. NULL: too large.
static ChActiveSet* create(const Call* c, ChArena* arena, double C, double delta) {
  const ChSystem* s = c->run->system;
  ChActiveSet* a = CH_TAKE(arena, 1, ChActiveSet);
  *a = (ChActiveSet){.W = s->W.value, .blocks = s->block, .delta = delta};
  if (!ch_rays_create(arena, s, &(ChRaysDef){.rho = c->o.rho, .delta = delta, .penalty = C}, &a->rays)) return NULL;
  const ChDualActiveSetDef def = {.A = &a->rays.A,
                                  .free = a->rays.free,
                                  .cap = a->rays.bound,
                                  .rank_max = a->rays.rank_max,
                                  .sparse = c->o.factor == 2 || (c->o.factor == 0 && s->rows > c->o.dense_rows),
                                  .tol_dependent = c->o.tol_dependent};
  a->set = ch_dual_active_set_create(arena, &def);
  a->b = CH_TAKE(arena, a->rays.n, double);
  double* y = CH_TAKE(arena, a->rays.n, double);
  ch_rays_start(&a->rays, c->run->r, c->u, y);
  ch_dual_active_set_start(a->set, y);
  ++c->run->factorizations;
  return a;
}

// That of the last call where it is of this W, hot; or a new one.
static ChActiveSet* recall(const Call* c, double delta) {
  const ChSystem* s = c->run->system;
  ChShared* shared = c->run->shared;
  ChActiveSet* a = shared->active_set;
  if (!a || a->W != s->W.value || a->blocks != s->block || a->delta != delta)
    return shared->active_set = create(c, shared->arena, INFINITY, delta);
  ch_rays_renew(&a->rays, s);
  ch_dual_active_set_recap(a->set, a->rays.bound);
  ch_rays_start(&a->rays, c->run->r, c->u, NULL);
  return a;
}

static void offer(const Call* c, const ChActiveSet* a) {
  ch_rays_to_reaction(&a->rays, ch_dual_active_set_multipliers(a->set), c->r);
  ch_system_project(c->run->system, c->r, c->r);
  ch_run_note(c->run, c->run->outer, ch_run_offer_reaction(c->run, c->r, c->u));
}

// Proximal steps until nothing moves; one is enough where nothing is proximal.
static void step_until_settled(const Call* c, ChActiveSet* a, int most) {
  ChRun* run = c->run;
  const ChDualLimits limits = {.tolerance = fmax(0.1 * run->tolerance / sqrt((double)run->system->rows), 1e-14),
                               .max_changes = run->max_iterations > 0 ? run->max_iterations : 1000 + 30L * a->rays.n,
                               .deadline = run->deadline};
  const long before = ch_dual_active_set_changes(a->set);
  for (int step = 0; step < most; ++step) {
    ch_rays_linear_term(&a->rays, a->b);
    ChDualEnd end = ch_dual_active_set_solve(a->set, a->b, &limits);
    ++run->outer;
    offer(c, a);
    double change = ch_rays_update(&a->rays, ch_dual_active_set_multipliers(a->set), c->r);
    if (end != CH_DUAL_SOLVED || !(change > 0.01 * run->tolerance) || ch_run_finished(run)) break;
  }
  run->inner += ch_dual_active_set_changes(a->set) - before;
}

static void solve_elastic(const Call* c) {
  ChRun* run = c->run;
  double C = c->o.penalty * default_penalty(run->system, run->r);
  for (int raise = 0; raise < MOST_RAISES && !ch_run_finished(run); ++raise, C *= RAISE) {
    ChArenaMark mark = ch_arena_mark(run->arena);
    ch_system_velocity(run->system, run->r, c->u);
    ChActiveSet* a = create(c, run->arena, C, 0.0);
    if (a) step_until_settled(c, a, ELASTIC_STEPS);
    ch_arena_release(run->arena, mark);
  }
}

static void solve(ChRun* run) {
  const int rows = run->system->rows;
  Call c = {.run = run,
            .o = read_options(run->options),
            .r = CH_TAKE(run->arena, rows, double),
            .u = CH_TAKE(run->arena, rows, double)};
  if (c.o.penalty > 0.0) {
    solve_elastic(&c);
    return;
  }
  ch_system_velocity(run->system, run->r, c.u);
  ChActiveSet* a = recall(&c, is_half(run) ? c.o.proximal : 0.0);
  if (a) step_until_settled(&c, a, MOST_STEPS);
}

const ChMethod ch_method_active_set = {
    .name = "active-set",
    .summary = "dual active-set quadratic programming over polygons, pose relaxed",
    .document = "Anitescu and Hart 2004",
    .equation = "(15); Anitescu's slides, \"Primal hot starting\"; Kaufman 2009, section 7.2",
    .literature = "Goldfarb and Idnani 1983",
    .takes = CH_TAKES_RELAXED | CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_TAKES_DISC | CH_IS_INNER,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
