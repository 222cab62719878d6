// See closing.h.
#include "step/closing.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "solve/method.h"
#include "step/push_apart.h"

typedef struct Answer {
  double *r, *u, *v;
  ChCertificate grade;
} Answer;

typedef struct Closing {
  ChContext* context;
  const ChProblem* problem;
  ChSolveOptions options;
  double* gamma;       // per block
  double *w, *unread;  // right-hand side with Gamma in it; a velocity nobody reads
  double *start, *u0;  // the best iterate's reactions; velocities without reactions
  double* moved;       // velocities as laws speak of them
  double most;         // approach that passes
  ChDeadline ends;     // limits are for all solves together
  Answer trial, safe;
  bool found;  // safe holds one
} Closing;

static Answer take_answer(ChArena* arena, const ChProblem* p) {
  return (Answer){
      .r = CH_TAKE(arena, p->rows, double), .u = CH_TAKE(arena, p->rows, double), .v = CH_TAKE(arena, p->dof, double)};
}

static void copy_answer(const ChProblem* p, const Answer* from, Answer* to) {
  memcpy(to->r, from->r, (size_t)p->rows * sizeof(double));
  memcpy(to->u, from->u, (size_t)p->rows * sizeof(double));
  memcpy(to->v, from->v, (size_t)p->dof * sizeof(double));
  to->grade = from->grade;
}

static bool fell_short(ChStatus status) {
  return status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC;
}

// The speed that counts as one is the largest that contacts would have without reactions.
static ChStatus measure(Closing* c) {
  const ChProblem* p = c->problem;
  double size = 0.0;
  ChStatus status = ch_problem_velocity(c->context, p, c->trial.r, c->trial.v, c->u0);
  for (int k = 0; k < p->rows; ++k) size = ch_max(size, fabs(c->u0[k]));
  c->most = c->options.tolerance * size;
  return status;
}

static bool is_safe(const Closing* c, const Answer* a) {
  const ChProblem* p = c->problem;
  double work = 0.0, exchanged = 0.0, approach = 0.0;
  memcpy(c->moved, a->u, (size_t)p->rows * sizeof(double));
  ch_problem_add_compliance(p, a->r, c->moved);
  for (int k = 0; k < p->rows; ++k) {
    work += a->r[k] * c->moved[k];
    exchanged += fabs(a->r[k] * c->u0[k]);
  }
  for (int i = 0; i < p->block_count; ++i)
    if (ch_law_info(p->blocks[i].law)->opens) approach = ch_max(approach, -c->moved[p->blocks[i].row]);
  return approach <= c->most && work <= c->options.tolerance * exchanged && isfinite(a->grade.natural);
}

// Grades the trial as an answer to the problem with friction and keeps it where it is safe and better.
static ChStatus offer(Closing* c) {
  Answer* a = &c->trial;
  ChStatus status = ch_problem_velocity(c->context, c->problem, a->r, a->v, a->u);
  if (status == CH_OK) status = ch_certify(c->context, c->problem, c->options.pose, a->r, a->v, &a->grade);
  if (status != CH_OK || !is_safe(c, a) || (c->found && c->safe.grade.natural <= a->grade.natural)) return status;
  c->found = true;
  copy_answer(c->problem, a, &c->safe);
  return CH_OK;
}

// What the solves so far have left, and enough for a start to be graded.
static void look_at_limits(Closing* c) {
  c->options.time_limit = fmax(c->ends.clock - ch_clock_seconds(), 2e-5);
  c->options.work_limit = fmax(c->ends.work - ch_work_done(), 1.0);
}
static bool is_late(const Closing* c) { return ch_deadline_passed(c->ends); }

static ChStatus push_and_offer(Closing* c) {
  look_at_limits(c);
  ChStatus status = ch_push_apart(c->context, c->problem, &c->options, c->trial.r);
  return status == CH_OK ? offer(c) : status;
}

// The convex problem of this Gamma into the trial.
static ChStatus solve_convex(Closing* c) {
  const ChProblem* p = c->problem;
  ChProblem shifted = *p;
  look_at_limits(c);
  ChSolveOptions own = c->options;
  ChSolveInfo info;
  memcpy(c->w, p->w, (size_t)p->rows * sizeof(double));
  for (int i = 0; i < p->block_count; ++i) c->w[p->blocks[i].row] += c->gamma[i];
  shifted.w = c->w;
  own.pose = c->options.pose == CH_POSE_COULOMB ? CH_POSE_RELAXED : c->options.pose;
  own.warm = c->start;
  return ch_solve(c->context, &shifted, &own, c->unread, c->trial.u, c->trial.r, &info);
}

static ChStatus close_island(Closing* c, const Answer* best) {
  const ChProblem* p = c->problem;
  ChStatus status = measure(c);
  if (status != CH_OK) return status;
  copy_answer(p, best, &c->trial);
  memcpy(c->start, best->r, (size_t)p->rows * sizeof(double));
  status = push_and_offer(c);
  if (status != CH_OK && !fell_short(status)) return status;
  if (is_late(c)) return CH_OK;
  if (c->options.pose == CH_POSE_COULOMB) {
    for (int i = 0; i < p->block_count; ++i)
      c->gamma[i] = ch_block_support(&p->blocks[i], c->options.pose, best->u + p->blocks[i].row);
    status = solve_convex(c);
    if (status == CH_OK) status = push_and_offer(c);
    if (status != CH_OK && !fell_short(status)) return status;
    memset(c->gamma, 0, (size_t)p->block_count * sizeof(double));
  }
  if (c->found || is_late(c)) return CH_OK;
  status = solve_convex(c);
  if (status == CH_OK) status = offer(c);
  return fell_short(status) ? CH_OK : status;
}

ChStatus ch_close_missed(ChContext* context, const ChProblem* p, const ChSolveOptions* options, double* v, double* u,
                         double* r, ChSolveInfo* info, bool* safe) {
  const ChSolveOptions by_size = {.work_limit = 0.0};  // a safe end is not worth more, whoever sets no limit
  CH_ASSERT(p->block_count > 0 && safe);
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while closing a problem with %d rows", p->rows);
  }
  ch_arena_set_landing(arena, &landing);
  Closing c = {.context = context,
               .problem = p,
               .options = *options,
               .ends = ch_deadline_in(options->time_limit, fmin(options->work_limit, ch_work_limit(&by_size, p))),
               .gamma = CH_TAKE(arena, p->block_count, double),
               .w = CH_TAKE(arena, p->rows, double),
               .unread = CH_TAKE(arena, p->dof, double),
               .start = CH_TAKE(arena, p->rows, double),
               .u0 = CH_TAKE(arena, p->rows, double),
               .moved = CH_TAKE(arena, p->rows, double),
               .trial = take_answer(arena, p),
               .safe = take_answer(arena, p)};
  c.options.method = "auto";
  c.options.inner = NULL;
  c.options.settings = NULL;
  c.options.setting_count = 0;
  c.options.max_iterations = 0;
  Answer best = {.r = r, .u = u, .v = v, .grade = info->certificate};
  ChStatus status = close_island(&c, &best);
  *safe = c.found;
  if (status == CH_OK && c.found) {
    copy_answer(p, &c.safe, &best);
    info->certificate = best.grade;
  }
  ch_arena_destroy(arena);
  return status;
}
