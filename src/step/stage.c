// See stage.h.
#include "step/stage.h"

#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "base/clock.h"
#include "problem/cones.h"
#include "problem/grader.h"
#include "solve/method.h"
#include "step/brake.h"
#include "step/closing.h"

#define NEARLY 1000.0     // times the tolerance, and
#define NEARLY_MOST 0.05  // what may stay of an error where the tolerance was missed
#define SEEMING 1e3       // how far above the tolerance a motion may still be the solver's
#define ENTERING 0.3      // share of the tolerance that a deformable body may move by where its rest begins

// A start that passes the certificate need not be solved. But what it is off by drives the bodies: v and gaps drift,
// and the step that takes this back leaves reactions that are off by as much, for the next start to pass on. Where
// bodies stand, one step in three then goes without a solve. So a start must pass with room to spare, and after a
// correction starts are improved, an iteration each, until reactions are in balance: those serve for many steps.
#define SURE 0.3     // share of the tolerance at which a start is taken as it is
#define UNSURE 1e-2  // and in the steps after a correction, of which there are at most
enum { UNSURE_STEPS = 12 };
// Where a step has a deadline, a solve leaves time for braking, but no more than this share of what there is.
#define BRAKE_SHARE 0.5
#define SOLVE_SHARE 0.8      // of the work that an island may take
#define LEAST 2e-5           // seconds: time for the start to be graded
#define AT_ONCE 1.2          // times its limit, above which a solve that ended by the clock had no more than set up
#define LEARNT 0.1           // share of a new observation in what is known of that
#define LEARNT_SOON 0.4      // and of one that is worse, where too little time would make the step late
#define FORGOTTEN 0.98       // and what is left of it after an island that it kept from being solved
enum { CHEAP_ROWS = 3000 };  // an iteration on a larger island costs more than it is likely to save

// One island on its way through a solver; its memory is its own.
typedef struct Island {
  ChStage* stage;
  int index;
  ChArena* arena;
  ChProblem* problem;
  double *r, *u, *v;  // v: less the reference
  double* reference;
  double ends;    // on the clock; INFINITY: it has no limit
  bool unsolved;  // for lack of time
  ChHaste haste;  // seen here; 0: nothing was
  ChSolveInfo info;
} Island;

ChCertificate ch_certificate_worse(ChCertificate a, ChCertificate b) {
#define X(name, text) a.name = ch_max(a.name, b.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  return a;
}

// Reactions of the island's blocks, from or to the list of all rows.
static void copy_reactions(const Island* island, bool out) {
  const ChStage* s = island->stage;
  double* r = island->r;
  for (int k = s->islands->block_start[island->index]; k < s->islands->block_start[island->index + 1]; ++k) {
    const ChBlock* law = &s->rows->blocks[s->islands->blocks[k]].law;
    size_t bytes = (size_t)law->dimension * sizeof *r;
    if (out)
      memcpy(s->r + law->row, r, bytes);
    else
      memcpy(r, s->r + law->row, bytes);
    r += law->dimension;
  }
}

static double diagonal(const ChProblem* p, int j) {
  for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k)
    if (p->M.index[k] == j) return p->M.value[k];
  return 0.0;
}

static double given_to(const Island* island, int j) {
  const ChProblem* p = island->problem;
  double mass = diagonal(p, j);
  return mass > 0.0 ? p->f[j] * p->f[j] / mass + mass * island->reference[j] * island->reference[j] : 0.0;
}

// |M v| against what the step's forces would make of it, rows over the root of the diagonal: what the certificate will
// say of v = 0, up to a factor. Spares the certificate where bodies plainly move.
static bool barely_moves(const Island* island, double tolerance) {
  const ChProblem* p = island->problem;
  double motion = 0.0, given = 0.0;
  for (int j = 0; j < p->dof; ++j) {
    double v = island->v[j] + island->reference[j];
    motion += diagonal(p, j) * v * v;
    given += given_to(island, j);
  }
  return motion <= 100.0 * tolerance * tolerance * given;
}

// Rest is taken where (r, v = 0) passes the certificate itself, balance included.
static bool take_rest(ChContext* context, Island* island) {
  ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  double* rest = CH_TAKE(island->arena, p->dof, double);
  for (int j = 0; j < p->dof; ++j) rest[j] = -island->reference[j];
  ChCertificate grade;
  if (ch_certify(context, p, s->options->solve.pose, island->r, rest, &grade) != CH_OK) return false;
  if (!ch_certificate_met(&grade, s->options->solve.tolerance)) return false;
  island->info.certificate = grade;
  s->rests[island->index] = 1;
  return true;
}

// Whether every body of the island stood still before this step: then the last reactions may serve once more.
static bool stood_still(const Island* island) {
  const ChStage* s = island->stage;
  for (int k = s->islands->body_start[island->index]; k < s->islands->body_start[island->index + 1]; ++k) {
    int body = s->islands->bodies[k], modes = ch_body_modes(s->moment->world, body);
    const ChBodyState* state = &s->moment->states[body];
    if (ch_dot(state->velocity, state->velocity) + ch_dot(state->omega, state->omega) > 0.0) return false;
    const double* rates = ch_state_rates(s->moment->world, s->moment->states, body);
    for (int a = 0; a < modes; ++a)
      if (rates[a] != 0.0) return false;
  }
  return true;
}

// Reactions cannot take back what is out of balance inside a deformable body. Where its rest begins what is left of its
// motion must be no part of the balance, or rest would end with the next step, in which there is none.
static bool may_stop(const Island* island, double tolerance) {
  const ChStage* s = island->stage;
  const ChWorld* world = s->moment->world;
  double motion = 0.0, given = 0.0;
  bool soft = false;
  for (int k = s->islands->body_start[island->index]; k < s->islands->body_start[island->index + 1]; ++k) {
    int body = s->islands->bodies[k], first = s->islands->first[body] + ch_frame_freedoms(world, body);
    const double* rates = ch_state_rates(world, s->moment->states, body);
    soft |= world->bodies[body].soft != NULL;
    for (int a = 0; a < ch_body_modes(world, body); ++a)
      motion += diagonal(island->problem, first + a) * rates[a] * rates[a];
  }
  for (int j = 0; soft && j < island->problem->dof; ++j) given += given_to(island, j);
  return motion <= tolerance * tolerance * given;
}

// Rest where it passes. What moves by little more than the tolerance leaves room for may only seem to move: reactions
// with more digits tell.
static void settle(ChContext* context, Island* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  if (!barely_moves(island, options->tolerance)) {
    if (p->rows > CHEAP_ROWS || !barely_moves(island, SEEMING * options->tolerance)) return;
    if (!(ch_clock_seconds() + island->info.seconds_setup + island->info.seconds_solve < island->ends)) return;
    ChSolveOptions finer = *options;
    ChSolveInfo info;
    double *r = CH_TAKE(island->arena, p->rows, double), *u = CH_TAKE(island->arena, p->rows, double);
    double* v = CH_TAKE(island->arena, p->dof, double);
    finer.tolerance = options->tolerance / SEEMING;
    finer.warm = island->r;
    if (ch_solve(context, p, &finer, v, u, r, &info) != CH_OK) return;
    memcpy(island->r, r, (size_t)p->rows * sizeof *r);
    memcpy(island->u, u, (size_t)p->rows * sizeof *u);
    memcpy(island->v, v, (size_t)p->dof * sizeof *v);
    island->info.certificate = info.certificate;
    island->info.outer += info.outer;
    island->info.inner += info.inner;
  }
  if (island->stage->moment->world->mode_count == 0 || may_stop(island, ENTERING * options->tolerance))
    take_rest(context, island);
}

// An answer this near is kept, for closing it costs two convex solves, seconds in a large heap. The error is a norm
// over all contacts: one of them may still approach, and nothing says that energy is not gained. It is counted as
// missed.
static bool nearly_met(const ChCertificate* grade, double tolerance) {
  return grade->natural <= fmin(NEARLY * tolerance, NEARLY_MOST);
}

// How many more starts of the island are held to UNSURE.
static int steps_unsure(const Island* island) {
  const ChStage* s = island->stage;
  int most = 0;
  for (int k = s->islands->body_start[island->index]; s->unsure && k < s->islands->body_start[island->index + 1]; ++k)
    if (s->unsure[s->islands->bodies[k]] > most) most = s->unsure[s->islands->bodies[k]];
  return most;
}

// A baseline method that did its sweeps keeps its own answer, good or bad: it shows how game engines fare. What the
// clock cut off is no answer of theirs. (Where there is a limit of time there is none of work.)
static bool keeps_own_answer(const Island* island, const ChSolveOptions* options, ChStatus status) {
  bool cut_off = status == CH_MAX_TIME && isfinite(options->time_limit);
  return ch_method_find(options->method)->engine_sweeps > 0 && !cut_off && isfinite(island->info.certificate.natural);
}

static bool is_left_alone(const ChStage* s, int i) { return (s->idle && s->idle[i]) || (s->kept && s->kept[i]); }

// Seconds that an island may take: all that is left but what those behind it need to brake. A step is certified where
// all islands are, so that none of them gains by saving time for others that it needs itself.
static double time_left(const Island* island) {
  const ChStage* s = island->stage;
  double behind = 0.0;
  for (int i = island->index + 1; i < s->islands->count; ++i)
    if (!is_left_alone(s, i)) behind += s->islands->block_start[i + 1] - s->islands->block_start[i];
  behind *= s->moment->world->dimension * s->haste->brake / s->options->threads;
  return fmax(s->deadline - ch_clock_seconds() - behind, LEAST);
}

// How fast what falls gets in one step: an overlap that this undoes in time comes from a step or two.
static double gentle_speed(const ChMoment* moment) {
  return ch_norm(ch_world_gravity(moment->world, moment->time)) * (moment->end - moment->time);
}

// What w asks of contacts that overlap, taken back: they part gently, if at all.
static double* relief_of(const Island* island) {
  const ChStage* s = island->stage;
  double gentle = gentle_speed(s->moment);
  double* relief = CH_TAKE(island->arena, island->problem->rows, double);
  int row = 0;
  for (int k = s->islands->block_start[island->index]; k < s->islands->block_start[island->index + 1]; ++k) {
    const ChRowBlock* block = &s->rows->blocks[s->islands->blocks[k]];
    double asked = s->rows->w[block->law.row] - s->rows->prescribed[block->law.row];
    if (block->gap >= 0 && asked < -gentle) relief[row] = -asked - gentle;
    row += block->law.dimension;
  }
  return relief;
}

// An answer that is safe in place of one that missed by far. Under a deadline there is no time for another solve.
static ChStatus close_blocks(ChContext* context, Island* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  bool safe = false, hurried = isfinite(island->ends);
  ChStatus status = CH_OK;
  if (!hurried) status = ch_close_missed(context, p, options, island->v, island->u, island->r, &island->info, &safe);
  if (status != CH_OK || safe) return status;
  double began = ch_clock_seconds(), known = hurried ? island->stage->haste->brake : 0.0;
  double spare = known > 0.0 ? fmax(island->ends - began - known * p->rows, 0.0) : 0.0;
  ChBrake brake = {.problem = p, .pose = options->pose, .relief = relief_of(island)};
  if (hurried) brake.ends = began + spare;
  status = ch_brake(context, &brake, island->v, island->u, island->r, &island->info);
  if (hurried && !(spare > 0.0)) island->haste.brake = (ch_clock_seconds() - began) / p->rows;
  return status;
}

// Whether a solve would come to anything.
static bool has_time(const Island* island, double limit) {
  const ChStage* s = island->stage;
  return !(s->deadline > 0.0) || s->haste->solve * island->problem->rows <= limit;
}

// What a solve begins with, as if its time had run out at once.
static ChStatus take_start(ChContext* context, Island* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  for (int i = 0; i < p->block_count; ++i)
    ch_block_project(&p->blocks[i], options->pose, island->r + p->blocks[i].row, island->r + p->blocks[i].row);
  island->info.certificate = ch_certificate_unknown();
  ChStatus status = ch_problem_velocity(context, p, island->r, island->v, island->u);
  return status == CH_OK ? CH_MAX_TIME : status;
}

static void learn(double seen, double soon, double* known) {
  double share = !(*known > 0.0) ? 1.0 : seen > *known ? soon : LEARNT;
  if (seen > 0.0) *known += share * (seen - *known);
}

static void learn_haste(ChStage* s, const Island* island) {
  if (!(s->deadline > 0.0)) return;
  learn(island->haste.brake, LEARNT_SOON, &s->haste->brake);
  learn(island->haste.solve, LEARNT, &s->haste->solve);
  learn(island->haste.over, LEARNT_SOON, &s->haste->over);
  if (island->unsolved) s->haste->solve *= FORGOTTEN;
}

// The solve itself, in the island's share of what the step has left of its time; and of its work, of which the rest is
// for a safe end.
static ChStatus run_solver(ChContext* context, Island* island, ChSolveOptions* options) {
  const ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  double limit = options->time_limit;
  island->ends = INFINITY;
  if (s->deadline > 0.0) {
    double left = time_left(island), brake = s->haste->brake * p->rows + s->haste->over;
    island->ends = ch_clock_seconds() + left;
    options->time_limit = fmin(limit, left - fmin(brake, BRAKE_SHARE * left));
  }
  double work = isfinite(options->time_limit) ? INFINITY : ch_work_limit(options, p);  // who sets a time wants that
  options->work_limit = SOLVE_SHARE * work;
  island->unsolved = !has_time(island, options->time_limit);
  if (island->unsolved) return take_start(context, island, options);
  ChStatus status = ch_solve(context, p, options, island->v, island->u, island->r, &island->info);
  double took = island->info.seconds_setup + island->info.seconds_solve;
  if (status == CH_MAX_TIME) island->haste.over = took - options->time_limit;
  if (status == CH_MAX_TIME && took > AT_ONCE * options->time_limit) island->haste.solve = took / p->rows;
  options->time_limit = fmin(limit, fmax(island->ends - ch_clock_seconds(), LEAST));
  options->work_limit = fmax(work - island->info.work, 1.0);
  return status;
}

// For baselines: gaps of the island's contacts, and what its rows would see without loads.
static ChStepFacts facts_of(const Island* island) {
  const ChStage* s = island->stage;
  const ChMoment* moment = s->moment;
  double* gap = CH_TAKE(island->arena, island->problem->rows, double);
  double* added = CH_TAKE(island->arena, island->problem->rows, double);
  double* coasts = CH_TAKE(island->arena, island->problem->rows, double);
  int row = 0;
  for (int k = s->islands->block_start[island->index]; k < s->islands->block_start[island->index + 1]; ++k) {
    const ChRowBlock* block = &s->rows->blocks[s->islands->blocks[k]];
    if (block->gap >= 0) {
      gap[row] = s->rows->value[block->law.row];
      added[row] = s->rows->w[block->law.row] - s->rows->prescribed[block->law.row];
    }
    for (int a = block->law.row; a < block->law.row + block->law.dimension; ++a)
      coasts[row++] = ch_row_speed(&s->rows->rows[a], block->body, moment->states) + s->rows->w[a];
  }
  bool rigid = moment->world->mode_count == 0;  // speeds of modes are not looked at
  return (ChStepFacts){.h = moment->end - moment->time, .gap = gap, .added = added, .coasts = rigid ? coasts : NULL};
}

static ChStatus solve_blocks(ChContext* context, Island* island) {
  ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  ChSolveOptions options = s->options->solve;
  if (s->may_rest && s->options->warm && stood_still(island) && take_rest(context, island)) return CH_OK;
  double* start = CH_TAKE(island->arena, p->rows, double);
  memcpy(start, island->r, (size_t)p->rows * sizeof *start);
  options.warm = s->options->warm ? start : NULL;
  options.threads = 1;
  ChStepFacts facts = {0};
  if (ch_method_find(options.method)->takes & CH_IS_BASELINE) {
    facts = facts_of(island);
    options.step = &facts;
  }
  int unsure = steps_unsure(island);
  if (s->unsure && p->rows <= CHEAP_ROWS) options.accept = (unsure > 0 ? UNSURE : SURE) * options.tolerance;
  ChStatus status = run_solver(context, island, &options);
  options.accept = 0.0;
  bool fell_short =
      status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC;
  if (status != CH_OK && !fell_short) return status;
  if (fell_short && !keeps_own_answer(island, &options, status) &&
      !nearly_met(&island->info.certificate, options.tolerance)) {
    ChStatus closed = close_blocks(context, island, &options);
    if (closed != CH_OK) return closed;
  }
  if (s->may_rest && ch_certificate_met(&island->info.certificate, options.tolerance))
    settle(context, island, &options);
  if (island->info.components > 0 && !s->rests[island->index])
    s->unsure_next[island->index] = (unsigned char)(unsure > 0 ? unsure - 1 : UNSURE_STEPS);
  return CH_OK;
}

// What leaves an island is finite and graded, or the step is not made.
static ChStatus check_answer(ChContext* context, const Island* island) {
  const ChProblem* p = island->problem;
  bool finite = ch_all_finite(island->r, p->rows) && ch_all_finite(island->v, p->dof);
#define X(name, text) finite = finite && isfinite(island->info.certificate.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  if (finite) return CH_OK;
  int body = island->stage->islands->bodies[island->stage->islands->body_start[island->index]];
  return ch_fail(context, CH_ERR_NUMERIC, "the step at t = %g s has no finite answer where body '%.100s' is",
                 island->stage->moment->time, island->stage->moment->world->bodies[body].name);
}

static void stop_island(ChStage* s, int i) {
  const ChWorld* world = s->moment->world;
  int width = ch_world_width(world);
  for (int k = s->islands->body_start[i]; k < s->islands->body_start[i + 1]; ++k) {
    int body = s->islands->bodies[k], modes = ch_body_modes(world, body);
    memset(s->velocities + (long)body * width, 0, (size_t)width * sizeof(double));
    if (modes > 0) memset(s->velocities + ch_modes_at(world, body), 0, (size_t)modes * sizeof(double));
  }
}

static ChStatus solve_problem(ChContext* context, Island* island) {
  ChStage* s = island->stage;
  ChStatus status = ch_island_problem(context, island->arena, s->moment, s->rows, s->islands, island->index,
                                      s->dynamics, &island->problem);
  const ChProblem* p = island->problem;
  if (status == CH_OK && s->options->cone_sides > 0)
    status = ch_problem_set_polygon(context, island->problem, s->options->cone_sides, s->options->cone_outer);
  if (status != CH_OK) return status;
  island->r = CH_TAKE(island->arena, p->rows, double);
  island->u = CH_TAKE(island->arena, p->rows, double);
  island->v = CH_TAKE(island->arena, p->dof, double);
  island->reference = CH_TAKE(island->arena, p->dof, double);
  ch_island_reference(s->moment, s->islands, island->index, s->dynamics, island->reference);
  copy_reactions(island, false);
  status = p->block_count > 0 ? solve_blocks(context, island)
                              : ch_problem_velocity(context, p, island->r, island->v, island->u);
  if (status == CH_OK) status = check_answer(context, island);
  if (status != CH_OK) return status;
  copy_reactions(island, true);
  if (s->rests[island->index])
    stop_island(s, island->index);
  else
    ch_island_velocities(s->moment, s->islands, island->index, s->dynamics, island->v, s->velocities);
  s->grades[island->index] = island->info.certificate;
  return CH_OK;
}

static ChStatus solve_island(ChContext* context, Island* island) {
  jmp_buf landing;
  ChStatus status = CH_ERR_MEMORY;
  island->arena = ch_arena_create(NULL);
  if (island->arena && !setjmp(landing)) {
    ch_arena_set_landing(island->arena, &landing);
    status = solve_problem(context, island);
  } else {
    ch_fail(context, CH_ERR_MEMORY, "out of memory in an island of the step");
  }
  ch_problem_destroy(island->problem);
  ch_arena_destroy(island->arena);
  return status;
}

static void keep_island(ChStage* s, int i) {
  stop_island(s, i);
  s->rests[i] = 1;
  s->grades[i] = s->kept_grades[i];
}

static bool is_stopped(const ChStage* s) {
  const ChSolveOptions* o = &s->options->solve;
  return o->stop && o->stop(o->stop_user);
}

// `failed` ends as the first island that fails, whichever thread was first; the caller's context gets its message.
static ChStatus try_island(ChContext* context, Island* island, int* failed) {
  ChContext own = {0};
  ChStatus status = is_stopped(island->stage) ? CH_STOPPED : solve_island(&own, island);
  if (status == CH_OK) return status;
#pragma omp critical(first_failure)
  if (island->index < *failed) {
    *failed = island->index;
    ch_fail(context, status, "%s", own.message);
  }
  return status;
}

ChStatus ch_stage_solve(ChContext* context, ChArena* arena, ChStage* s) {
  int count = s->islands->count;
  s->rests = CH_TAKE(arena, count, unsigned char);
  s->unsure_next = CH_TAKE(arena, count, unsigned char);
  s->grades = CH_TAKE(arena, count, ChCertificate);
  Island* islands = CH_TAKE(arena, count, Island);
  ChStatus* status = CH_TAKE(arena, count, ChStatus);
  int failed = count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->options->threads) if (s->options->threads > 1 && count > 1)
  for (int i = 0; i < count; ++i) {
    islands[i] = (Island){.stage = s, .index = i};
    if (s->idle && s->idle[i]) continue;
    if (s->kept && s->kept[i])
      keep_island(s, i);
    else
      status[i] = try_island(context, &islands[i], &failed);
  }
  for (int i = 0; i < count; ++i) {  // in order, whichever thread was first
    learn_haste(s, &islands[i]);
    s->worst = ch_certificate_worse(s->worst, s->grades[i]);
    s->iterations += islands[i].info.outer + islands[i].info.inner;
    if (!ch_certificate_met(&s->grades[i], s->options->solve.tolerance)) s->missed = true;
  }
  return failed < count ? status[failed] : CH_OK;
}
