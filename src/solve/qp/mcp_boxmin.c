// The general front door of docs/theory/boxmin.md: a complementarity problem in its least-squares form
// (solve/qp/box_merit.h), from one starting point after the other until one leads to a solution.
#include <math.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "solve/qp/box_merit.h"

ChMcpOptions ch_mcp_options_default(void) {
  return (ChMcpOptions){.tolerance = 1e-6, .max_iterations = 0, .time_limit = 600.0, .restarts = 20};
}

ChStatus ch_mcp_boxmin(ChArena* arena, const ChMcp* mcp, const ChMcpOptions* options, double* x, ChMcpInfo* info) {
  double begin = ch_clock_seconds();
  ChArenaMark mark = ch_arena_mark(arena);
  ChBoxMerit* merit = ch_box_merit_create(arena, mcp);
  ChBoxProblem problem = ch_box_merit_problem(arena, merit);
  ChBoxOptions box = ch_box_merit_options(merit);
  if (options->max_iterations) box.max_iterations = options->max_iterations;
  if (options->gradient > 0.0) box.gradient_tolerance = options->gradient;
  if (options->target > 0.0) box.target = options->target;
  if (options->max_inner > 0) box.max_inner = options->max_inner;
  double* F = CH_TAKE(arena, mcp->n, double);
  double* X = CH_TAKE(arena, problem.n, double);
  ChStatus status = CH_MAX_ITER;
  *info = (ChMcpInfo){.dimension = problem.n, .natural = NAN};
  for (; info->runs <= options->restarts && status != CH_OK && status != CH_MAX_TIME;) {
    ChBoxInfo run = info->box;
    ch_box_merit_start(merit, info->runs++, X);
    box.time_limit = options->time_limit - (ch_clock_seconds() - begin);
    status = ch_box_minimize(arena, &problem, &box, X, &run);
    double natural = ch_mcp_natural(mcp, X, F);
    bool better = isnan(info->natural) || natural < info->natural;
    if (better) {
      memcpy(x, X, (size_t)mcp->n * sizeof *x);
      info->natural = natural;
    } else {
      run.value = info->box.value;
      run.projected_gradient = info->box.projected_gradient;
    }
    info->box = run;
    bool solved = natural <= options->tolerance && run.value <= CH_MCP_OBJECTIVE;
    if (solved)
      status = CH_OK;
    else if (status == CH_OK)
      status = CH_MAX_ITER;  // stationary, but no solution
  }
  info->seconds = ch_clock_seconds() - begin;
  ch_arena_release(arena, mark);
  return status;
}

ChStatus ch_mcp_solve(ChContext* context, const ChMcp* mcp, const ChMcpOptions* options, double* x, ChMcpInfo* info) {
  const ChMcpOptions usual = ch_mcp_options_default();
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *info = (ChMcpInfo){.natural = NAN};
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a complementarity problem of %d variables", mcp->n);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = ch_mcp_boxmin(arena, mcp, options ? options : &usual, x, info);
  ch_arena_destroy(arena);
  if (status == CH_OK) return CH_OK;
  return ch_fail(context, status, "the natural residual is %g after %d starting points", info->natural, info->runs);
}
