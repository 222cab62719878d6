// boxmin: the polygonal complementarity problem as least squares on a box (003, eq. (1) and (2)).
//
//   y >= 0,  A y + b >= 0,  y'(A y + b) = 0                          polygon_lcp.h; rows of joints are equations
//   minimise  1/2 [ |A y + b - z|^2 + (y'z)^2 ]  over  y, z >= 0     box_merit.h
//
// In pose relaxed A is positive semidefinite and every stationary point is a solution (003, theorem 2). Coulomb's A is
// not row sufficient: a stationary point may solve nothing, and another starting point is tried.
#include <math.h>
#include <stdio.h>

#include "cardhouse/clock.h"
#include "solve/lcp/polygon_lcp.h"
#include "solve/method.h"
#include "solve/qp/box_merit.h"

#define CH_OPTION_PREFIX "boxmin"
#define BOXMIN_OPTIONS(X) \
  X(int, restarts, 5, 0, 1000, "further starts if a stationary point turns out not to be a solution")
CH_OPTIONS(BOXMIN_OPTIONS)

typedef struct Boxmin {
  ChRun* run;
  ChPolygonLcp lcp;
  double *r, *u;
  long points;  // iterates looked at, over all starting points
} Boxmin;

// The trust region's new point as reactions: kept where they are the best so far.
static bool look_at(void* user, const double* y) {
  Boxmin* x = user;
  ChRun* run = x->run;
  ch_polygon_lcp_reactions(&x->lcp, run->system, y, x->r);
  ch_system_project(run->system, x->r, x->r);
  ch_run_note(run, ++x->points, ch_run_offer_reaction(run, x->r, x->u));
  return ch_run_finished(run);
}

// A warm start brings its y with it.
static void set_start(Boxmin* x, double* y) {
  const ChSystem* s = x->run->system;
  bool warm = false;
  for (int k = 0; k < s->rows; ++k) warm |= x->run->r[k] != 0.0;
  if (!warm) return;
  ch_system_velocity(s, x->run->r, x->u);
  ch_polygon_lcp_point(s, x->run->r, x->u, y);
}

static ChMcp complementarity(Boxmin* x) {
  ChArena* arena = x->run->arena;
  double* lower = CH_TAKE(arena, x->lcp.n, double);
  double* upper = CH_TAKE(arena, x->lcp.n, double);
  for (int k = 0; k < x->lcp.n; ++k) {
    lower[k] = x->lcp.free[k] ? -INFINITY : 0.0;
    upper[k] = INFINITY;
  }
  ChMcp mcp = ch_mcp_affine(arena, &x->lcp.A, x->lcp.b, lower, upper);
  set_start(x, mcp.start);
  return mcp;
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  Boxmin x = {.run = run, .lcp = ch_polygon_lcp(run->arena, run->system)};
  x.r = CH_TAKE(run->arena, run->system->rows, double);
  x.u = CH_TAKE(run->arena, run->system->rows, double);
  ChMcp mcp = complementarity(&x);
  ChBoxMerit* merit = ch_box_merit_create(run->arena, &mcp);
  ChBoxProblem problem = ch_box_merit_problem(run->arena, merit);
  ChBoxOptions box = ch_box_merit_options(merit);
  box.target = -INFINITY;  // the error decides
  box.stop = look_at;
  box.stop_user = &x;
  double* X = CH_TAKE(run->arena, problem.n, double);
  ChBoxInfo info = {0};
  int starts = 0;
  for (; starts <= o.restarts && !ch_run_finished(run); ++starts) {
    box.time_limit = run->deadline.clock - ch_clock_seconds();
    box.work_limit = run->deadline.work - ch_work_done();
    if (run->max_iterations > 0) box.max_iterations = run->max_iterations - info.it_box;
    if (box.max_iterations <= 0) break;
    ch_box_merit_start(merit, starts, X);
    ch_box_minimize(run->arena, &problem, &box, X, &info);
  }
  run->outer += info.it_box;
  run->inner += info.it_qua;
  run->factorizations += ch_box_merit_factorizations(merit);
  snprintf(run->note, sizeof run->note,
           "ItBox %ld, FE %ld, ItQua %ld, MVP %ld from %d start%s; at the end objective %.1e, projected gradient %.1e",
           info.it_box, info.fe, info.it_qua, info.mvp, starts, starts == 1 ? "" : "s", info.value,
           info.projected_gradient);
}

const ChMethod ch_method_boxmin = {.name = "boxmin",
                                   .summary = "least squares on a box, for the polygonal complementarity problem",
                                   .document = "Andreani, Friedlander, Mello and Santos",
                                   .equation = "(1), (2), section 3",
                                   .literature = "Friedlander, Martinez and Santos 1994",
                                   .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNSYMMETRIC |
                                            CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT,
                                   .options = option_rows,
                                   .option_count = CH_OPTION_COUNT,
                                   .solve = solve};
