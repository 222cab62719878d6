// See stage.h.
#include "step/stage.h"

#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "problem/cones.h"
#include "problem/grader.h"
#include "solve/method.h"
#include "step/brake.h"
#include "step/closing.h"
#include "step/haste.h"
#include "step/relax.h"
#include "step/rest.h"

#define NEARLY 1000.0     // times the tolerance, and
#define NEARLY_MOST 0.05  // what may stay of an error where the tolerance was missed

// A start that passes the certificate need not be solved. But what it is off by drives the bodies: v and gaps drift,
// and the step that takes this back leaves reactions that are off by as much, for the next start to pass on. Where
// bodies stand, one step in three then goes without a solve. So a start must pass with room to spare, and after a
// correction starts are improved, an iteration each, until reactions are in balance: those serve for many steps.
#define SURE 0.3     // share of the tolerance at which a start is taken as it is
#define UNSURE 1e-2  // and in the steps after a correction, of which there are at most
enum { UNSURE_STEPS = 12 };

ChCertificate ch_certificate_worse(ChCertificate a, ChCertificate b) {
#define X(name, text) a.name = ch_max(a.name, b.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  return a;
}

// Reactions of the island's blocks, from or to the list of all rows.
static void copy_reactions(const ChIslandRun* island, bool out) {
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

// An answer this near is kept, for closing it costs two convex solves, seconds in a large heap. The error is a norm
// over all contacts: one of them may still approach, and nothing says that energy is not gained. It is counted as
// missed.
static bool nearly_met(const ChCertificate* grade, double tolerance) {
  return grade->natural <= fmin(NEARLY * tolerance, NEARLY_MOST);
}

// How many more starts of the island are held to UNSURE.
static int steps_unsure(const ChIslandRun* island) {
  const ChStage* s = island->stage;
  int most = 0;
  for (int k = s->islands->body_start[island->index]; s->unsure && k < s->islands->body_start[island->index + 1]; ++k)
    if ((s->unsure[s->islands->bodies[k]] & ~CH_LOOK) > most) most = s->unsure[s->islands->bodies[k]] & ~CH_LOOK;
  return most;
}

// A baseline method that did its sweeps keeps its own answer, good or bad: it shows how game engines fare. What the
// clock cut off is no answer of theirs. (Where there is a limit of time there is none of work.)
static bool keeps_own_answer(const ChIslandRun* island, const ChSolveOptions* options, ChStatus status) {
  bool cut_off = status == CH_MAX_TIME && isfinite(options->time_limit);
  return ch_method_find(options->method)->engine_sweeps > 0 && !cut_off && isfinite(island->info.certificate.natural);
}

// How fast what falls gets in one step: an overlap that this undoes in time comes from a step or two.
static double gentle_speed(const ChMoment* moment) {
  return ch_norm(ch_world_gravity(moment->world, moment->time)) * (moment->end - moment->time);
}

// What w asks of contacts that overlap, taken back: they part gently, if at all.
static double* relief_of(const ChIslandRun* island) {
  const ChStage* s = island->stage;
  double gentle = gentle_speed(s->moment);
  double* relief = CH_TAKE(island->arena, island->problem->rows, double);
  int row = 0;
  for (int k = s->islands->block_start[island->index]; k < s->islands->block_start[island->index + 1]; ++k) {
    const ChRowBlock* block = &s->rows->blocks[s->islands->blocks[k]];
    double asked = s->rows->w[block->law.row] - s->rows->prescribed[block->law.row];
    if (island->slack) asked += island->slack[k - s->islands->block_start[island->index]];
    if (block->gap >= 0 && asked < -gentle) relief[row] = -asked - gentle;
    row += block->law.dimension;
  }
  return relief;
}

#define NOTHING 1.0  // what no reactions at all are worth

// A best iterate that is worse than no reactions would be closed to something as wild: bodies wedged into each other
// have reactions without bound, and any of them is a solver's last word.
static ChStatus drop_wild(ChContext* context, ChIslandRun* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  if (island->info.certificate.natural <= NOTHING) return CH_OK;
  memset(island->r, 0, (size_t)p->rows * sizeof *island->r);
  ChStatus status = ch_problem_velocity(context, p, island->r, island->v, island->u);
  if (status != CH_OK) return status;
  return ch_certify(context, p, options->pose, island->r, island->v, &island->info.certificate);
}

// An answer that is safe in place of one that missed by far. Under a deadline there is no time for another solve, and
// the brake scales the best iterate itself.
static ChStatus close_blocks(ChContext* context, ChIslandRun* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  bool safe = false, hurried = isfinite(island->ends);
  ChStatus status = hurried ? CH_OK : drop_wild(context, island, options);
  if (status == CH_OK && !hurried)
    status = ch_close_missed(context, p, options, island->v, island->u, island->r, &island->info, &safe);
  if (status != CH_OK || (safe && island->info.certificate.natural <= NOTHING)) return status;
  if (!hurried) status = drop_wild(context, island, options);
  if (status != CH_OK) return status;
  double began = ch_clock_seconds(), processor = ch_clock_processor_seconds();
  double known = hurried ? island->stage->haste->brake : 0.0;
  double spare = known > 0.0 ? fmax(island->ends - began - known * p->rows, 0.0) : 0.0;
  ChBrake brake = {.problem = p, .pose = options->pose, .relief = relief_of(island)};
  if (hurried) brake.ends = began + spare;
  status = ch_brake(context, &brake, island->v, island->u, island->r, &island->info);
  if (hurried && !(spare > 0.0)) island->haste.brake = (ch_clock_processor_seconds() - processor) / p->rows;
  return status;
}

// For baselines: gaps of the island's contacts, and what its rows would see without loads.
static ChStepFacts facts_of(const ChIslandRun* island) {
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

static bool misses(ChStatus status) {
  return status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC;
}

// Baselines show how other engines fare, with overlaps as with everything else.
static bool relaxes(const ChSolveOptions* options) {
  const ChMethod* method = ch_method_find(options->method);
  return !(method->takes & CH_IS_BASELINE) && !(method->engine_sweeps > 0);
}

// What a solve leaves, and what it was of.
typedef struct Attempt {
  double *w, *r, *u, *v, *slack;
  double relaxed;
  bool held;
  ChSolveInfo info;
} Attempt;

static double* copy_of(ChArena* arena, const double* x, int count) {
  double* copy = CH_TAKE(arena, count, double);
  memcpy(copy, x, (size_t)count * sizeof *copy);
  return copy;
}

static Attempt keep_attempt(const ChIslandRun* island) {
  const ChProblem* p = island->problem;
  return (Attempt){.w = copy_of(island->arena, p->w, p->rows),
                   .r = copy_of(island->arena, island->r, p->rows),
                   .u = copy_of(island->arena, island->u, p->rows),
                   .v = copy_of(island->arena, island->v, p->dof),
                   .slack = island->slack ? copy_of(island->arena, island->slack, p->block_count) : NULL,
                   .relaxed = island->relaxed,
                   .held = island->held,
                   .info = island->info};
}

static void put_back(ChIslandRun* island, const Attempt* from) {
  size_t rows = (size_t)island->problem->rows * sizeof(double);
  memcpy(island->problem->w, from->w, rows);
  memcpy(island->r, from->r, rows);
  memcpy(island->u, from->u, rows);
  memcpy(island->v, from->v, (size_t)island->problem->dof * sizeof(double));
  island->info = from->info;
  island->slack = from->slack;
  island->relaxed = from->relaxed;
  island->held = from->held;
}

// Another attempt at what was missed, where overlaps oppose each other: with half of the work that is left for a safe
// end, of which looking for them has had a quarter. Where it misses, too, overlaps were not the reason.
static ChStatus solve_relaxed(ChContext* context, ChIslandRun* island, ChSolveOptions* options, ChStatus missed) {
  const ChProblem* p = island->problem;
  const double left = options->work_limit;
  if (!ch_relax_wanted(island)) return missed;
  Attempt first = keep_attempt(island);
  if (!ch_relax_missed(island, 0.25 * left)) return missed;
  options->work_limit = 0.5 * left;
  ChStatus status = ch_solve(context, p, options, island->v, island->u, island->r, &island->info);
  options->work_limit = 0.25 * left;
  if (misses(status)) {
    put_back(island, &first);
    return missed;
  }
  island->info.outer += first.info.outer;
  island->info.inner += first.info.inner;
  return status;
}

// Many contacts on the few freedoms of a deformable body have many answers, and the reactions of the last step may be
// far from any of this one: paths from there go round in circles that a start from nothing does not meet.
static ChStatus solve_cold(ChContext* context, ChIslandRun* island, ChSolveOptions* options, ChStatus missed) {
  const ChStage* s = island->stage;
  if (!options->warm || s->moment->world->mode_count == 0 || s->trial.rejects) return missed;
  const double left = options->work_limit, *warm = options->warm;
  Attempt first = keep_attempt(island);
  options->warm = NULL;
  options->work_limit = 0.5 * left;
  ChStatus status = ch_solve(context, island->problem, options, island->v, island->u, island->r, &island->info);
  options->warm = warm;
  if (misses(status)) {
    options->work_limit = fmax(left - island->info.work, 0.25 * left);
    put_back(island, &first);
    return missed;
  }
  options->work_limit = 0.5 * left;
  island->info.outer += first.info.outer;
  island->info.inner += first.info.inner;
  return status;
}

static ChStatus solve_blocks(ChContext* context, ChIslandRun* island) {
  ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  ChSolveOptions options = s->options->solve;
  if (relaxes(&options)) ch_relax_at_first(island);
  if (s->may_rest && s->options->warm && ch_rest_stood_still(island) && ch_rest_take(context, island)) return CH_OK;
  double* start = CH_TAKE(island->arena, p->rows, double);
  memcpy(start, island->r, (size_t)p->rows * sizeof *start);
  options.warm = s->options->warm ? start : NULL;
  options.threads = s->islands->count == 1 ? s->options->threads : 1;  // of several, each has a thread
  ChStepFacts facts = {0};
  if (ch_method_find(options.method)->takes & CH_IS_BASELINE) {
    facts = facts_of(island);
    options.step = &facts;
  }
  int unsure = steps_unsure(island);
  if (s->unsure && p->rows <= CH_CHEAP_ROWS) options.accept = (unsure > 0 ? UNSURE : SURE) * options.tolerance;
  ChStatus status = ch_haste_solve(context, island, &options);
  options.accept = 0.0;
  bool fell_short = misses(status);
  if (fell_short && relaxes(&options) && !isfinite(island->ends)) {
    status = solve_cold(context, island, &options, status);
    fell_short = misses(status);
  }
  if (fell_short && relaxes(&options) && !isfinite(island->ends)) {
    status = solve_relaxed(context, island, &options, status);
    fell_short = misses(status);
  }
  if (status != CH_OK && !fell_short) return status;
  if (fell_short && s->trial.rejects) return CH_OK;
  if (fell_short && !keeps_own_answer(island, &options, status) &&
      !nearly_met(&island->info.certificate, options.tolerance)) {
    ChStatus closed = close_blocks(context, island, &options);
    if (closed != CH_OK) return closed;
  }
  if (s->may_rest && ch_certificate_met(&island->info.certificate, options.tolerance))
    ch_rest_settle(context, island, &options);
  if (island->info.components > 0 && !s->rests[island->index])
    s->unsure_next[island->index] = (unsigned char)(unsure > 0 ? unsure - 1 : UNSURE_STEPS);
  return CH_OK;
}

// What leaves an island is finite and graded, or the step is not made.
static ChStatus check_answer(ChContext* context, const ChIslandRun* island) {
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

static ChStatus tell_branches(ChContext* context, const ChIslandRun* island) {
  ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  if (!s->branch || p->block_count == 0) return CH_OK;
  ChBranch* branch = CH_TAKE(island->arena, p->block_count, ChBranch);
  double *u = CH_TAKE(island->arena, p->rows, double), *v = CH_TAKE(island->arena, p->dof, double);
  ChStatus status = ch_problem_velocity(context, p, island->r, v, u);  // what comes to rest leaves its own unset
  if (status == CH_OK) status = ch_problem_branches(context, p, island->r, u, branch);
  const int* blocks = s->islands->blocks + s->islands->block_start[island->index];
  for (int k = 0; status == CH_OK && k < p->block_count; ++k) s->branch[blocks[k]] = (unsigned char)branch[k];
  return status;
}

static ChStatus solve_problem(ChContext* context, ChIslandRun* island) {
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
  if (status == CH_OK) status = tell_branches(context, island);
  if (status != CH_OK) return status;
  copy_reactions(island, true);
  if (s->rests[island->index])
    stop_island(s, island->index);
  else
    ch_island_velocities(s->moment, s->islands, island->index, s->dynamics, island->v, s->velocities);
  s->grades[island->index] = island->info.certificate;
  s->relaxed[island->index] = island->relaxed;
  if (ch_certificate_met(&island->info.certificate, s->options->solve.tolerance))
    s->unsure_next[island->index] |= island->held ? CH_LOOK_HELD : island->relaxed > 0.0 ? CH_LOOK_FIRST : 0;
  return CH_OK;
}

static ChStatus solve_island(ChContext* context, ChIslandRun* island) {
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
  s->relaxed[i] = s->kept_relaxed[i];
  if (s->relaxed[i] > 0.0) s->unsure_next[i] = CH_LOOK_HELD;
}

static bool is_stopped(const ChStage* s) {
  const ChSolveOptions* o = &s->options->solve;
  return o->stop && o->stop(o->stop_user);
}

// `failed` ends as the first island that fails, whichever thread was first; the caller's context gets its message.
static ChStatus try_island(ChContext* context, ChIslandRun* island, int* failed) {
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
  CH_ASSERT(s->moment && s->rows && s->islands && s->dynamics && s->options);
  CH_ASSERT(s->options->threads >= 1 && (s->r || s->rows->row_count == 0) && s->velocities);
  CH_ASSERT(!(s->deadline > 0.0) || s->haste);
  CH_ASSERT(!s->kept || (s->kept_grades && s->kept_relaxed));
  int count = s->islands->count;
  s->rests = CH_TAKE(arena, count, unsigned char);
  s->unsure_next = CH_TAKE(arena, count, unsigned char);
  s->grades = CH_TAKE(arena, count, ChCertificate);
  s->relaxed = CH_TAKE(arena, count, double);
  if (s->moment->world->curve_count > 0 && !s->branch) s->branch = CH_TAKE(arena, s->rows->block_count, unsigned char);
  ChIslandRun* islands = CH_TAKE(arena, count, ChIslandRun);
  ChStatus* status = CH_TAKE(arena, count, ChStatus);
  int failed = count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->options->threads) if (s->options->threads > 1 && count > 1)
  for (int i = 0; i < count; ++i) {
    islands[i] = (ChIslandRun){.stage = s, .index = i};
    if (s->idle && s->idle[i]) continue;
    if (s->kept && s->kept[i])
      keep_island(s, i);
    else
      status[i] = try_island(context, &islands[i], &failed);
  }
  for (int i = 0; i < count; ++i) {  // in order, whichever thread was first
    ch_haste_learn(s, &islands[i]);
    s->worst = ch_certificate_worse(s->worst, s->grades[i]);
    s->iterations += islands[i].info.outer + islands[i].info.inner;
    s->spent = fmax(s->spent, islands[i].spent);
    if (!ch_certificate_met(&s->grades[i], s->options->solve.tolerance)) s->missed = true;
  }
  return failed < count ? status[failed] : CH_OK;
}
