// See closing.h.
#include "step/closing.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "problem/cones.h"

enum { ROUNDS = 5 };
#define GIVE_UP 2  // rounds after which a contact that still approaches loses its Gamma

typedef struct Answer {
  double *r, *u, *v;
  ChCertificate grade;
} Answer;

typedef struct Closing {
  ChContext* context;
  const ChProblem* problem;
  ChSolveOptions options;
  double* gamma;     // per block
  double *w, *null;  // right-hand side with Gamma in it; a velocity nobody reads
  double most;       // approach that passes
} Closing;

static Answer take_answer(ChArena* arena, const ChProblem* p) {
  return (Answer){
      .r = CH_TAKE(arena, p->rows, double), .u = CH_TAKE(arena, p->rows, double), .v = CH_TAKE(arena, p->dof, double)};
}

static void copy_answer(const ChProblem* p, const Answer* from, Answer* to) {
  memcpy(to->r, from->r, (size_t)p->rows * sizeof(double));
  memcpy(to->u, from->u, (size_t)p->rows * sizeof(double));
  if (p->dof > 0) memcpy(to->v, from->v, (size_t)p->dof * sizeof(double));
  to->grade = from->grade;
}

static bool has_sides(const ChBlock* block) { return block->law == CH_LAW_CONTACT || block->law == CH_LAW_UNILATERAL; }

// How fast bodies go into each other.
static double approach(const ChProblem* p, const double* u) {
  double most = 0.0;
  for (int i = 0; i < p->block_count; ++i)
    if (has_sides(&p->blocks[i])) most = ch_max(most, -u[p->blocks[i].row]);
  return most;
}

// The speed that counts as one: the largest that contacts would have without reactions.
static ChStatus measure(Closing* c, Answer* scratch) {
  const ChProblem* p = c->problem;
  double size = 0.0;
  memset(scratch->r, 0, (size_t)p->rows * sizeof(double));
  ChStatus status = ch_problem_velocity(c->context, p, scratch->r, scratch->v, scratch->u);
  for (int k = 0; k < p->rows; ++k) size = ch_max(size, fabs(scratch->u[k]));
  c->most = c->options.tolerance * size;
  return status;
}

static void set_gamma(Closing* c, const double* u) {
  for (int i = 0; i < c->problem->block_count; ++i)
    c->gamma[i] = ch_block_support(&c->problem->blocks[i], c->options.pose, u + c->problem->blocks[i].row);
}

// Gamma where it was more than the slip that came out of it.
static void cut_gamma(Closing* c, int round, const double* u) {
  for (int i = 0; i < c->problem->block_count; ++i) {
    const double* at = u + c->problem->blocks[i].row;
    bool in_vain = round + 2 >= ROUNDS || (round >= GIVE_UP && !(-at[0] <= c->most));
    c->gamma[i] = in_vain ? 0.0 : fmin(c->gamma[i], ch_block_support(&c->problem->blocks[i], c->options.pose, at));
  }
}

// The convex problem of this Gamma, graded as an answer to the one with friction.
static ChStatus solve_convex(Closing* c, const double* start, Answer* out) {
  const ChProblem* p = c->problem;
  ChProblem shifted = *p;
  ChSolveOptions own = c->options;
  ChSolveInfo info;
  memcpy(c->w, p->w, (size_t)p->rows * sizeof(double));
  for (int i = 0; i < p->block_count; ++i) c->w[p->blocks[i].row] += c->gamma[i];
  shifted.w = c->w;
  own.pose = c->options.pose == CH_POSE_COULOMB ? CH_POSE_RELAXED : c->options.pose;
  own.warm = start;
  ChStatus status = ch_solve(c->context, &shifted, &own, c->null, out->u, out->r, &info);
  if (status == CH_OK) status = ch_problem_velocity(c->context, p, out->r, out->v, out->u);
  if (status == CH_OK) status = ch_certify(c->context, p, c->options.pose, out->r, out->v, &out->grade);
  return status;
}

// Whether an answer may stay as it is: nobody approaches and contacts do no work.
static bool is_safe(const Closing* c, const Answer* a) {
  double work = 0.0, exchanged = 0.0;
  for (int k = 0; k < c->problem->rows; ++k) {
    work += a->r[k] * (a->u[k] - c->problem->w[k]);
    exchanged += fabs(a->r[k] * (a->u[k] - c->problem->w[k]));
  }
  return approach(c->problem, a->u) <= c->most && work <= c->options.tolerance * exchanged;
}

static ChStatus close_island(Closing* c, ChArena* arena, Answer* best) {
  const ChProblem* p = c->problem;
  Answer trial = take_answer(arena, p), safe = take_answer(arena, p);
  bool found = false;
  ChStatus status = measure(c, &trial);
  if (status != CH_OK) return status;
  if (c->options.pose == CH_POSE_COULOMB) set_gamma(c, best->u);
  bool stays = is_safe(c, best);
  for (int round = 0; round < ROUNDS && !found; ++round) {
    status = solve_convex(c, round == 0 ? best->r : trial.r, &trial);
    if (status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC) break;
    if (status != CH_OK) return status;
    found = approach(p, trial.u) <= c->most;
    copy_answer(p, &trial, &safe);
    cut_gamma(c, round, trial.u);
  }
  if (found && !(stays && best->grade.natural <= safe.grade.natural)) copy_answer(p, &safe, best);
  return CH_OK;
}

ChStatus ch_close_missed(ChContext* context, const ChProblem* p, const ChSolveOptions* options, double* v, double* u,
                         double* r, ChSolveInfo* info) {
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
               .gamma = CH_TAKE(arena, p->block_count, double),
               .w = CH_TAKE(arena, p->rows, double),
               .null = CH_TAKE(arena, p->dof, double)};
  c.options.method = "auto";
  c.options.inner = NULL;
  c.options.setting_count = 0;
  c.options.max_iterations = 0;
  Answer best = {.r = r, .u = u, .v = v, .grade = info->certificate};
  ChStatus status = close_island(&c, arena, &best);
  info->certificate = best.grade;
  ch_arena_destroy(arena);
  return status;
}
