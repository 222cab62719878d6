// The driver: prepares, runs the method part by part, puts the answer together and grades it.
//
// The tolerance speaks of the whole problem's certificate; a part is given the share of it that its rows make up, or
// its own relative one where that is looser. Siconos' figure weighs rows differently: where it is missed the parts are
// asked for more, from where they stand.
//
// A portfolio climbs: first all parts are asked for what is cheap, to the tolerance that was asked for; what is left is
// asked for the tolerances 1e-2, 1e-4, ... one after the other, all parts at each. So a call for a tight tolerance does
// all that one for a looser rung does before it does more, and with the same limit never ends with a worse answer.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "cardhouse/solve.h"
#include "cardhouse/text.h"
#include "linalg/sparse.h"
#include "problem/cones.h"
#include "problem/grader.h"
#include "problem/mass.h"
#include "solve/branches.h"
#include "solve/lcp/polygon_lcp.h"
#include "solve/method.h"

enum { TIGHTENINGS = 6, MOST_OPTIONS = 256 };
// A contact is taken for open where it parts this much faster than closed ones slip, and at this share of the fastest.
#define OPEN_FACTOR 3.0
#define OPEN_SHARE 1e-3
#define OPEN_WORTH 0.1  // share of the blocks that makes leaving them out worth while
// A limit on work by the size of a problem. Of the contact problems that come with other programs the hardest for its
// size takes 3.6e5 a row (RockPile_tob1, 1389 rows); most take 1e4. The floor is for what few rows need at least.
#define WORK_FLOOR 2e7
#define WORK_ROW 1.25e6
#define WORK_MOST 1e9
// Where a sweep alone is long: as many as the most allows 20,000 pebbles in a heap, some 1,000. With 1e9 for all,
// 400,000 pebbles had 45 sweeps and missed every step.
#define WORK_SWEPT 6e3
#define CHEAP 5e4           // work a block that the cheap stages of a portfolio take at most: sixty sweeps through W
#define CHEAP_SWEEPS 1.4e4  // and where contacts yield: 600 sweeps, as in auto.c
#define NO_DOUBT 100.0      // times the tolerance: by so much parts' errors and the certificate do not differ
#define ABSURD 1e6          // error of a warm start, in that of r = 0, from which on it is no help to any method

// Shares of the tolerance that a part is asked for. Where contacts yield, sweeps end just below what they are asked
// for.
#define HALF 0.5
#define NEARLY 0.9

// Tolerances on the way to the one that was asked for.
static const double rungs[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
enum { RUNGS = sizeof rungs / sizeof rungs[0] };

typedef struct Driver {
  ChContext* context;
  ChArena* arena;
  ChArena* shared;  // linear systems of the part at hand
  const ChProblem* problem;
  const ChSolveOptions* options;
  const ChStaggeredWatch* watch;
  ChSolveOptions cold;  // of a baseline: the same without a start
  const ChMethod *method, *inner;
  ChGrader* grader;
  ChPrepared parts;
  bool starts;            // u_out is that of the start,
  bool moved;             // and v_out belongs to r_out, too
  bool polishes;          // the start passes, and is to be improved
  bool graded;            // r_out is what the parts have found, and the certificate is its own
  bool dropped;           // an answer that was not finite: the note says so
  int rung;               // of a method that climbs,
  bool unfinished;        // which has more to try
  double started, begun;  // clock, work
  ChDeadline deadline;
  double zero_error;  // of the whole, in the problem's units
  int rows;
  double** best;  // per part: its reactions in scaled variables,
  double** plan;  // and where a portfolio left it, NULL as long as it was not called
  ChShared kept;  // of the last part, the largest, from rung to rung
  double* error;  // theirs, NAN where it must be measured
  double* u;
  double* withheld;  // of a baseline: impulses of r_out that bodies do not get, or NULL
  double *r_out, *u_out, *v_out;
  ChSolveInfo* info;
} Driver;

ChSolveOptions ch_solve_options_default(void) {
  return (ChSolveOptions){.method = "auto",
                          .pose = CH_POSE_COULOMB,
                          .tolerance = 1e-8,
                          .time_limit = 60.0,
                          .work_limit = INFINITY,
                          .threads = 1};
}

double ch_work_limit(const ChSolveOptions* options, const ChProblem* problem) {
  if (options->work_limit > 0.0) return options->work_limit;
  return fmin(WORK_FLOOR + WORK_ROW * problem->rows, fmax(WORK_MOST, WORK_SWEPT * problem->rows));
}

static const ChOption* find_option(const char* name) {
  const ChOption* found = NULL;
  for (int m = 0; !found && m < ch_method_count(); ++m) found = ch_method_option(ch_method_at(m), name);
  return found;
}

static ChStatus refuse_setting(ChContext* context, const char* name) {
  const char* known[MOST_OPTIONS];
  int count = ch_option_count() < MOST_OPTIONS ? ch_option_count() : MOST_OPTIONS;
  for (int k = 0; k < count; ++k) known[k] = ch_option_info(k).name;
  const char* near = name ? ch_word_nearest(name, count, known) : NULL;
  return ch_fail(context, CH_ERR_ARGUMENT, "no option is called '%s'%s%s%s; 'cardhouse methods --options' lists them",
                 name ? name : "", near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ChStatus check_settings(ChContext* context, const ChSolveOptions* options) {
  if (options->setting_count < 0 || (options->setting_count > 0 && !options->settings))
    return ch_fail(context, CH_ERR_RANGE, "%d settings are announced, but %s given", options->setting_count,
                   options->settings ? "a list is" : "none are");
  for (int k = 0; k < options->setting_count; ++k) {
    const ChSetting* set = &options->settings[k];
    const ChOption* option = find_option(set->name);
    if (!option) return refuse_setting(context, set->name);
    if (!(set->value >= option->lowest && set->value <= option->highest))
      return ch_fail(context, CH_ERR_RANGE, "%s is %g, allowed [%g, %g]: %s", option->name, set->value, option->lowest,
                     option->highest, option->text);
    if (option->whole && set->value != floor(set->value))
      return ch_fail(context, CH_ERR_RANGE, "%s is %g, must be a whole number: %s", option->name, set->value,
                     option->text);
  }
  return CH_OK;
}

static ChStatus find_inner(Driver* d) {
  if (!d->options->inner) return CH_OK;
  d->inner = ch_method_find(d->options->inner);
  if (!d->inner || !(d->inner->takes & CH_IS_INNER))
    return ch_fail(d->context, CH_ERR_ARGUMENT, "'%s' is not an inner solver; 'cardhouse methods' lists them",
                   d->options->inner);
  if (!(d->method->takes & CH_IS_OUTER))
    return ch_fail(d->context, CH_ERR_ARGUMENT, "method '%s' takes no inner solver", d->method->name);
  return CH_OK;
}

static ChStatus check_arguments(Driver* d) {
  const ChSolveOptions* o = d->options;
  if (!(d->method = ch_method_find(o->method)))
    return ch_fail(d->context, CH_ERR_ARGUMENT, "no method is called '%s'; 'cardhouse methods' lists them",
                   o->method ? o->method : "");
  if ((unsigned)o->pose > CH_POSE_FRICTIONLESS)
    return ch_fail(d->context, CH_ERR_RANGE, "pose is %d, must be 0 to %d", (int)o->pose, CH_POSE_FRICTIONLESS);
  if (!(o->tolerance > 0.0 && o->tolerance < 1.0))
    return ch_fail(d->context, CH_ERR_RANGE, "tolerance is %g, must be between 0 and 1", o->tolerance);
  if (!(o->time_limit > 0.0))
    return ch_fail(d->context, CH_ERR_RANGE, "time limit is %g s, must be > 0", o->time_limit);
  if (!(o->work_limit >= 0.0))
    return ch_fail(d->context, CH_ERR_RANGE, "work limit is %g, must be >= 0", o->work_limit);
  if (!(o->accept >= 0.0 && o->accept < 1.0))
    return ch_fail(d->context, CH_ERR_RANGE, "accept is %g, must be 0 or more and below 1", o->accept);
  if (o->max_iterations < 0)
    return ch_fail(d->context, CH_ERR_RANGE, "iteration limit is %ld, must be >= 0", o->max_iterations);
  if (o->warm && !ch_all_finite(o->warm, d->problem->rows))
    return ch_fail(d->context, CH_ERR_RANGE, "the warm start holds NaN or infinity");
  ChStatus status = find_inner(d);
  return status == CH_OK ? check_settings(d->context, o) : status;
}

static bool has_smooth_cone(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (ch_block_is_curved(&s->block[i])) return true;
  return false;
}

static int count_variables(const ChSystem* s) {
  int count = 0;
  for (int i = 0; i < s->n; ++i) count += ch_polygon_lcp_variables(s, i);
  return count;
}

static bool has_cone(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->slip) return true;
  return false;
}

// A block is between two bodies at most. Where M is diagonal and nobody says which degrees of freedom are one body,
// each is taken for one.
static bool has_pairs(const ChSystem* s) {
  for (int i = 0; s->bodies && i < s->n; ++i)
    if (s->bodies->start[i + 1] - s->bodies->start[i] > 2) return false;
  return s->bodies != NULL;
}

static ChStatus check_capabilities(Driver* d) {
  for (int c = 0; c < d->parts.count; ++c) {
    const ChSystem* s = &d->parts.component[c].system;
    if (!s->formed && !(d->method->takes & CH_TAKES_UNFORMED))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED,
                     "method '%s' needs W formed, which is too large here; use auto, nsgs or newton", d->method->name);
    if (!s->symmetric && !(d->method->takes & CH_TAKES_UNSYMMETRIC))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED, "method '%s' needs a symmetric W; this one is not",
                     d->method->name);
    if ((d->method->takes & CH_NEEDS_BODIES) && !has_pairs(s))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED,
                     "method '%s' needs bodies, but this problem does not name them; problems of scenes do",
                     d->method->name);
    if (s->polygonal && !(d->method->takes & CH_TAKES_POLYGON))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED, "method '%s' takes smooth cones only, not polygons",
                     d->method->name);
    if (!ch_method_takes_laws(d->method->takes, s))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED, "method '%s' takes only friction, joints and limits",
                     d->method->name);
    if ((d->method->takes & CH_NEEDS_POLYGON) && has_smooth_cone(s))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED,
                     "method '%s' needs polygons for contacts in space: --cone polygon:8", d->method->name);
    const int variables = d->method->largest ? count_variables(s) : 0;
    if (variables > d->method->largest)
      return ch_fail(d->context, CH_ERR_UNSUPPORTED, "method '%s' takes at most %d variables; this problem has %d",
                     d->method->name, d->method->largest, variables);
    if (s->relaxed && !(d->method->takes & CH_TAKES_RELAXED))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED, "method '%s' does not take pose relaxed", d->method->name);
    if (!s->relaxed && has_cone(s) && !(d->method->takes & CH_TAKES_COULOMB))
      return ch_fail(d->context, CH_ERR_UNSUPPORTED,
                     "method '%s' takes friction in pose relaxed only; exact methods use it with --inner",
                     d->method->name);
  }
  return CH_OK;
}

// Warm starts come in the problem's units and are put inside the cone. One that is so far off that round-off alone
// would spoil the answer is dropped.
static void start_part(Driver* d, int c) {
  const ChComponent* part = &d->parts.component[c];
  const ChSystem* s = &part->system;
  d->best[c] = CH_TAKE(d->arena, s->rows, double);
  d->error[c] = part->zero_error;
  if (!d->options->warm) return;
  bool known = d->starts && ch_system_is_soft(s);  // rows are long: u of what was tried is not computed twice
  const double* start = known ? d->r_out : d->options->warm;
  for (int k = 0; k < s->rows; ++k) d->best[c][k] = start[part->source[k]] / (part->c * part->g[k]);
  ch_system_project(s, d->best[c], d->best[c]);
  if (known)
    for (int k = 0; k < s->rows; ++k) d->u[k] = part->g[k] * d->u_out[part->source[k]] / part->c;
  else
    ch_system_velocity(s, d->best[c], d->u);
  double error = ch_system_error(s, d->best[c], d->u);
  if (error <= ABSURD * fmax(part->zero_error, 1.0))
    d->error[c] = error;
  else
    memset(d->best[c], 0, (size_t)s->rows * sizeof(double));
}

static ChStatus say_not_finite(Driver* d) {
  d->dropped = true;
  snprintf(d->info->note, sizeof d->info->note, "method '%s' gave an answer that is not finite, which was dropped",
           d->method->name);
  return CH_ERR_NUMERIC;
}

// The error that a part may keep, in its own scaled variables.
static double part_tolerance(const Driver* d, const ChComponent* part, double tolerance) {
  double share = d->zero_error * sqrt((double)part->system.rows / d->rows) / part->c;
  return (part->system.compliant ? NEARLY : HALF) * tolerance * fmax(part->zero_error, share);
}

// Keeps what the method leaves, or the start where that holds a number that is not finite, and says so.
static ChStatus keep_finite(Driver* d, const double* start, ChRun* run) {
  if (ch_all_finite(run->r, run->system->rows)) return CH_OK;
  memcpy(run->r, start, (size_t)run->system->rows * sizeof *start);
  run->error = INFINITY;
  return say_not_finite(d);
}

// Keeps what the method leaves, or the start where that is worse and no rule's own answer.
static void keep_better(const double* start, double error, ChRun* run) {
  if (run->answered || run->error <= error) return;
  memcpy(run->r, start, (size_t)run->system->rows * sizeof *start);
  run->error = error;
}

// A portfolio begins with any start, and never ends worse than r = 0.
static void keep_zero(double zero_error, ChRun* run) {
  if (run->error <= zero_error) return;
  memset(run->r, 0, (size_t)run->system->rows * sizeof *run->r);
  run->error = zero_error;
}

// The error at the part's start.
static double start_error(Driver* d, int c) {
  double error = d->error[c];
  if (isnan(error)) {
    ch_system_velocity(&d->parts.component[c].system, d->best[c], d->u);
    error = ch_system_error(&d->parts.component[c].system, d->best[c], d->u);
  }
  return isnan(error) ? INFINITY : error;
}

static ChStatus count_run(Driver* d, const ChRun* run, ChStatus finite) {
  d->info->outer += run->outer;
  d->info->inner += run->inner;
  d->info->factorizations += run->factorizations;
  if (run->note[0] && !d->dropped) ch_put_word(sizeof d->info->note, d->info->note, run->note);
  if (run->stages[0]) ch_put_word(sizeof d->info->stage, d->info->stage, run->stages);
  if (finite != CH_OK) return finite;
  if (run->ending == CH_ERR_ARGUMENT) return ch_fail(d->context, run->ending, "%s", run->note);
  if (run->error <= run->tolerance) return CH_OK;
  if (ch_stop_wanted()) return CH_STOPPED;
  return run->ending != CH_OK ? run->ending : ch_run_late(run) ? CH_MAX_TIME : CH_MAX_ITER;
}

// Where a portfolio left a part whose systems are not kept.
static void keep_plan(Driver* d, int c, const ChShared* shared) {
  if (!shared->planned) return;
  if (!d->plan[c]) d->plan[c] = CH_TAKE_RAW(d->arena, CH_PLAN_ROOM, double);
  memcpy(d->plan[c], shared->plan, sizeof shared->plan);
}

static ChShared fresh_systems(const Driver* d, int c) {
  ChShared fresh = {.arena = d->shared, .system = &d->parts.component[c].system, .planned = d->plan[c] != NULL};
  if (d->plan[c]) memcpy(fresh.plan, d->plan[c], sizeof fresh.plan);
  return fresh;
}

static ChStatus run_part(Driver* d, int c, double tolerance) {
  CH_ASSERT(c >= 0 && c < d->parts.count);
  ChComponent* part = &d->parts.component[c];
  CH_ASSERT(part->system.rows > 0 && part->system.rows <= d->problem->rows);
  const ChSystem prepared = part->system;  // what the method adds to it is released below
  const bool keeps = (d->method->takes & CH_CLIMBS) && c == d->parts.count - 1;
  ChArenaMark mark = ch_arena_mark(d->arena), shared_mark = ch_arena_mark(d->shared);
  ChShared fresh = fresh_systems(d, c);
  if (keeps && !d->kept.system) d->kept = fresh;
  double floor = fmax(part->zero_error, CH_ERROR_FLOOR * part->size / part->c);
  const ChBodies* bodies = d->withheld ? part->system.bodies : NULL;
  ChRun run = {.system = &part->system,
               .arena = d->arena,
               .options = d->options,
               .watch = d->watch,
               .inner_method = d->inner,
               .tolerance = part_tolerance(d, part, tolerance),
               .started = d->started,
               .begun = d->begun,
               .deadline = d->deadline,
               .max_iterations = d->polishes ? 1 : d->options->max_iterations,
               .rung = d->rung,
               .stage = d->method->name,
               .scale = floor,
               .shared = keeps ? &d->kept : &fresh,
               .part = part,
               .number = c + 1,
               .withheld = bodies ? CH_TAKE(d->arena, bodies->dofs, double) : NULL,
               .resumes = keeps,
               .r = d->best[c],
               .error = start_error(d, c)};
  const double error = run.error;
  double* start = CH_TAKE_RAW(d->arena, part->system.rows, double);
  memcpy(start, run.r, (size_t)part->system.rows * sizeof *start);
  const bool runs = !(run.error <= run.tolerance) && !ch_limits_over();
  if (runs) d->method->solve(&run);
  if (runs) d->graded = false;
  for (int k = 0; bodies && k < bodies->dofs; ++k)
    d->withheld[bodies->source[k]] = part->c * bodies->root[k] * run.withheld[k];
  ChStatus finite = keep_finite(d, start, &run);
  keep_better(start, error, &run);
  if (d->method->takes & CH_CLIMBS) keep_zero(part->zero_error, &run);
  d->error[c] = d->method->takes & CH_CLIMBS ? run.error : NAN;
  d->unfinished |= run.unfinished;
  if (!keeps) part->system = prepared;
  if (!keeps) ch_arena_release(d->shared, shared_mark);
  ch_arena_release(d->arena, mark);
  if (!keeps && (d->rung > 0 || !(run.error <= run.tolerance))) keep_plan(d, c, &fresh);
  return count_run(d, &run, finite);
}

static inline bool rows_are_known(const ChComponent* part, int rows) {
  for (int k = 0; k < part->system.rows; ++k)
    if (part->source[k] < 0 || part->source[k] >= rows) return false;
  return true;
}

// Back to the problem's units; a last projection puts every reaction inside its cone to the last bit that counts.
static void gather(Driver* d) {
  const ChProblem* p = d->problem;
  for (int k = 0; k < p->rows; ++k) d->r_out[k] = 0.0;
  for (int c = 0; c < d->parts.count; ++c) {
    const ChComponent* part = &d->parts.component[c];
    CH_ASSERT_SLOW(rows_are_known(part, p->rows));
    for (int k = 0; k < part->system.rows; ++k) d->r_out[part->source[k]] = part->c * part->g[k] * d->best[c][k];
  }
  for (int i = 0; i < p->block_count; ++i)
    ch_block_project(&p->blocks[i], d->options->pose, d->r_out + p->blocks[i].row, d->r_out + p->blocks[i].row);
}

// The start, put inside its cone; zero where there is none.
static void put_start(Driver* d) {
  const ChProblem* p = d->problem;
  for (int k = 0; k < p->rows; ++k) d->r_out[k] = 0.0;
  for (int i = 0; i < p->block_count && d->options->warm; ++i) {
    int row = p->blocks[i].row;
    ch_block_project(&p->blocks[i], d->options->pose, d->options->warm + row, d->r_out + row);
  }
}

// v and u of bodies that do not get all of r. The certificate's `balance` is what they are then off by.
static void withhold(Driver* d) {
  const ChProblem* p = d->problem;
  double* change = CH_TAKE(d->arena, p->dof, double);
  ch_mass_solve(p->mass, d->withheld, change);
  for (int j = 0; j < p->dof; ++j) d->v_out[j] -= change[j];
  for (int k = 0; k < p->rows; ++k) d->u_out[k] = p->w[k];
  ch_sparse_multiply_transposed_add(&p->H, d->v_out, d->u_out);
}

static ChStatus grade(Driver* d) {
  d->starts = false;
  d->moved = true;
  ChStatus status = ch_problem_velocity(d->context, d->problem, d->r_out, d->v_out, d->u_out);
  if (status != CH_OK) return status;
  if (d->withheld) withhold(d);
  return ch_grader_grade(d->context, d->grader, d->r_out, d->v_out, &d->info->certificate);
}

// Whether what is handed out is a number throughout, and graded by one.
static bool is_finite(const Driver* d) {
  const ChProblem* p = d->problem;
  return ch_all_finite(d->r_out, p->rows) && ch_all_finite(d->u_out, p->rows) && ch_all_finite(d->v_out, p->dof) &&
         isfinite(d->info->certificate.natural);
}

// What is not finite is never handed out: the start takes its place, or r = 0.
static ChStatus fall_back(Driver* d) {
  d->withheld = NULL;
  put_start(d);
  ChStatus status = grade(d);
  if (status == CH_OK && !is_finite(d)) {
    memset(d->r_out, 0, (size_t)d->problem->rows * sizeof *d->r_out);
    status = grade(d);
  }
  if (status != CH_OK) return status;
  return ch_certificate_met(&d->info->certificate, d->options->tolerance) ? CH_OK : say_not_finite(d);
}

// Small parts first: where time runs out it was the large one that took it.
static int compare_parts(const void* a, const void* b) {
  const ChComponent *x = a, *y = b;
  if (x->system.rows != y->system.rows) return x->system.rows < y->system.rows ? -1 : 1;
  return x->source[0] < y->source[0] ? -1 : x->source[0] > y->source[0];
}

static void measure_parts(Driver* d) {
  double sum = 0.0, floor = 0.0;
  if (d->parts.count > 1) qsort(d->parts.component, (size_t)d->parts.count, sizeof *d->parts.component, compare_parts);
  int longest = 0;
  for (int c = 0; c < d->parts.count; ++c) {
    const ChComponent* part = &d->parts.component[c];
    sum += part->c * part->zero_error * part->c * part->zero_error;
    floor += part->size * part->size;
    d->rows += part->system.rows;
    if (part->system.rows > longest) longest = part->system.rows;
    if (part->system.bodies) part->system.bodies->threads = d->options->threads;
  }
  d->zero_error = fmax(sqrt(sum), CH_ERROR_FLOOR * sqrt(floor));
  d->best = CH_TAKE(d->arena, d->parts.count, double*);
  d->plan = CH_TAKE(d->arena, d->parts.count, double*);
  d->error = CH_TAKE(d->arena, d->parts.count, double);
  d->u = CH_TAKE(d->arena, longest, double);
  for (int c = 0; c < d->parts.count; ++c) start_part(d, c);
}

// All parts to this tolerance; the worst that became of them.
static ChStatus run_parts(Driver* d, double tolerance) {
  ChStatus worst = CH_OK;
  d->unfinished = false;
  for (int c = 0; c < d->parts.count; ++c) {
    ChStatus status = run_part(d, c, tolerance);
    bool said = worst == CH_MAX_TIME || worst == CH_ERR_NUMERIC;
    if (status != CH_OK && !said) worst = status;
    if (status == CH_STOPPED) worst = status;
  }
  return worst;
}

// Puts together what the parts have found and grades it, unless none of them was called since that was done: on the way
// from rung to rung an answer that was good enough for several of them is graded once.
static ChStatus grade_parts(Driver* d) {
  if (d->graded) return CH_OK;
  gather(d);
  ChStatus status = grade(d);
  d->graded = status == CH_OK && is_finite(d);
  return status;
}

// Whether the parts' own errors leave no doubt that the whole does not pass.
static bool is_far_off(const Driver* d, double asked) {
  double sum = 0.0;
  for (int c = 0; c < d->parts.count; ++c) {
    const double error = d->parts.component[c].c * d->error[c];
    sum += error * error;
  }
  return sqrt(sum) > NO_DOUBT * asked * d->zero_error;
}

// Solves all parts, then grades by what is asked for; where the certificate asks for more than the solvers' own error
// showed, tightens. Parts are asked for half of the tolerance, which round-off may keep them from where the whole
// passes: so a portfolio pauses for a look now and then.
static ChStatus solve_and_grade(Driver* d, double tolerance, double asked) {
  ChStatus worst = CH_OK;
  for (int round = 0; round < TIGHTENINGS; ++round) {
    worst = run_parts(d, tolerance);
    ChStatus status = grade_parts(d);
    if (status != CH_OK) return status;
    if (!d->graded) return fall_back(d);
    const ChCertificate* k = &d->info->certificate;
    if (ch_certificate_met(k, asked)) return CH_OK;
    double excess = ch_max(k->natural, k->siconos) / asked;
    if (worst == CH_MAX_ITER && d->unfinished) {
      --round;
      continue;
    }
    if (worst != CH_OK || !(excess > 1.0) || !(tolerance > 1e-16)) break;
    tolerance /= fmin(2.0 * excess, 1e3);
  }
  return worst == CH_OK ? CH_MAX_ITER : worst;
}

// Whether all parts get what is cheap however much of it they take; otherwise they climb together from the beginning.
static bool may_be_cheap(const Driver* d) {
  double most = 0.0;
  for (int c = 0; c < d->parts.count; ++c) {
    const ChSystem* s = &d->parts.component[c].system;
    most += (s->compliant ? CHEAP_SWEEPS : CHEAP) * s->n;
  }
  return d->parts.count == 1 || d->deadline.work - d->begun >= most;
}

// What is cheap of all parts. Where some part fell short the whole may pass.
static ChStatus take_cheap(Driver* d, double tolerance, double asked) {
  ChStatus status = run_parts(d, tolerance);
  if (status != CH_MAX_ITER) return solve_and_grade(d, tolerance, asked);
  if (is_far_off(d, asked)) return status;
  ChStatus graded = grade_parts(d);
  if (graded != CH_OK) return graded;
  return d->graded && ch_certificate_met(&d->info->certificate, asked) ? CH_OK : status;
}

static ChStatus solve_parts(Driver* d) {
  const double asked = d->options->tolerance, tolerance = d->polishes ? d->options->accept : asked;
  bool climbs = (d->method->takes & CH_CLIMBS) && !d->polishes && d->options->max_iterations == 0;
  d->kept = (ChShared){0};
  d->graded = false;
  d->rung = climbs ? 0 : RUNGS;
  if (!climbs) return solve_and_grade(d, tolerance, asked);
  ChStatus status = may_be_cheap(d) ? take_cheap(d, tolerance, asked) : CH_MAX_ITER;
  if (status != CH_MAX_ITER) return status;
  for (d->rung = 1; d->rung <= RUNGS && rungs[d->rung - 1] > asked; ++d->rung) {
    status = solve_and_grade(d, rungs[d->rung - 1], rungs[d->rung - 1]);
    if (status != CH_OK) return status;
  }
  return solve_and_grade(d, tolerance, asked);
}

// Whether the start, put inside its cone, passes the certificate as it is: then there is nothing to set up or solve.
// Steps of a world that hardly moves live on this.
static ChStatus try_start(Driver* d, bool* serves) {
  const ChProblem* p = d->problem;
  *serves = false;
  put_start(d);
  if (!d->options->warm) {
    if (p->rows > 0) memcpy(d->u_out, ch_grader_free(d->grader), (size_t)p->rows * sizeof *d->u_out);
    return CH_OK;
  }
  ChStatus status = ch_problem_velocity(d->context, p, d->r_out, d->v_out, d->u_out);
  d->starts = d->moved = status == CH_OK;
  if (status != CH_OK) return status;
  if (ch_grader_rules_out(d->grader, d->r_out, d->u_out, d->options->tolerance)) return CH_OK;
  status = ch_grader_grade(d->context, d->grader, d->r_out, d->v_out, &d->info->certificate);
  const ChCertificate* grade = &d->info->certificate;
  bool passes = status == CH_OK && ch_certificate_met(grade, d->options->tolerance);
  *serves = passes && (d->options->accept == 0.0 || ch_certificate_met(grade, d->options->accept));
  d->polishes = passes && !*serves;
  return status;
}

// Contacts that the start leaves open and that part faster than anything else moves: they will most likely stay open
// and are left out. The certificate, which sees them all, has the last word. NULL where there are too few of them.
static unsigned char* find_open(Driver* d) {
  const ChProblem* p = d->problem;
  unsigned char* open = CH_TAKE(d->arena, p->block_count, unsigned char);
  double speed = 0.0, fastest = 0.0;
  for (int i = 0; i < p->block_count; ++i) {
    const double *r = d->r_out + p->blocks[i].row, *u = d->u_out + p->blocks[i].row;
    for (int a = 0; a < p->blocks[i].dimension; ++a)
      if (r[a] != 0.0 || a == 0) speed = fmax(speed, r[0] != 0.0 ? fabs(u[a]) : -u[a]);
    fastest = fmax(fastest, u[0]);
  }
  int count = 0;
  for (int i = 0; i < p->block_count; ++i) {
    open[i] = ch_law_row(&p->blocks[i])->info.opens && d->r_out[p->blocks[i].row] == 0.0 &&
              d->u_out[p->blocks[i].row] > OPEN_FACTOR * speed + OPEN_SHARE * fastest;
    count += open[i];
  }
  return count >= OPEN_WORTH * p->block_count ? open : NULL;
}

// W where the method needs it from the beginning.
static void form_parts(Driver* d) {
  bool late = (d->method->takes & CH_FORMS_LATE) != 0;
  bool lean = (d->method->takes & CH_TAKES_UNFORMED) && (!d->inner || (d->inner->takes & CH_TAKES_UNFORMED));
  for (int c = 0; c < d->parts.count; ++c) {
    ChSystem* s = &d->parts.component[c].system;
    if (lean && (ch_system_is_heap(s) || ch_system_is_crowded(s))) s->due = false;
    if (s->due && !late) ch_system_form(d->arena, s);
  }
}

static ChStatus set_up_and_solve(Driver* d, const unsigned char* skip) {
  double began = ch_clock_seconds();
  ChStatus status = ch_prepare_late(d->context, d->arena, d->problem, d->options->pose, skip, &d->parts);
  if (status == CH_OK) form_parts(d);
  if (status == CH_OK) status = check_capabilities(d);
  if (status != CH_OK) return status;
  d->rows = 0;
  measure_parts(d);
  d->info->components = d->parts.count;
  d->info->seconds_setup += ch_clock_seconds() - began;
  return solve_parts(d);
}

// With the contacts that had been taken for open, where those were not all. What was found without them stays where it
// is better still.
static ChStatus solve_whole(Driver* d) {
  const size_t bytes = (size_t)d->problem->rows * sizeof(double);
  const double natural = d->info->certificate.natural;
  double* before = CH_TAKE_RAW(d->arena, d->problem->rows, double);
  memcpy(before, d->r_out, bytes);
  ChStatus status = set_up_and_solve(d, NULL);
  bool ended = status == CH_MAX_ITER || status == CH_STATIONARY || status == CH_MAX_TIME || status == CH_STOPPED;
  if (!ended || !(natural < d->info->certificate.natural)) return status;
  memcpy(d->r_out, before, bytes);
  ChStatus graded = grade(d);
  return graded == CH_OK ? status : graded;
}

// A baseline answers from nothing, whatever the caller would start with.
static void forget_start(Driver* d) {
  d->cold = *d->options;
  d->cold.warm = NULL;
  d->cold.accept = 0.0;
  d->options = &d->cold;
  bool bodies = (d->method->takes & CH_NEEDS_BODIES) && d->problem->form == CH_FORM_GLOBAL;
  if (bodies) d->withheld = CH_TAKE(d->arena, d->problem->dof, double);
}

// What ended before anything was graded hands out the start, and the velocities of it.
static ChStatus move_start(Driver* d, ChStatus status) {
  if (d->moved) return status;
  const ChStatus moved = ch_problem_velocity(d->context, d->problem, d->r_out, d->v_out, d->u_out);
  return moved == CH_OK ? status : moved;
}

static ChStatus drive(Driver* d) {
  ChStatus status = check_arguments(d);
  if (status != CH_OK) return status;
  bool baseline = (d->method->takes & CH_IS_BASELINE) != 0;
  if (baseline) forget_start(d);
  ch_put_word(sizeof d->info->inner_name, d->info->inner_name, d->inner ? d->inner->name : "-");
  d->info->certificate = ch_certificate_unknown();
  bool serves;
  status = ch_grader_create(d->context, d->arena, d->problem, d->options->pose, &d->grader);
  if (status == CH_OK) status = try_start(d, &serves);
  if (status != CH_OK) return status;
  ch_put_word(sizeof d->info->stage, d->info->stage, serves ? "start" : d->method->name);
  if (!serves && ch_stop_wanted()) return move_start(d, CH_STOPPED);
  if (!serves) {
    const unsigned char* open = baseline ? NULL : find_open(d);
    status = set_up_and_solve(d, open);
    if (open && (status == CH_MAX_ITER || status == CH_STATIONARY)) status = solve_whole(d);
    bool fell_short = status == CH_MAX_ITER || status == CH_STATIONARY || status == CH_MAX_TIME || status == CH_STOPPED;
    if (d->polishes && fell_short) status = try_start(d, &serves);  // an iteration made it worse: it passed before
  }
  d->info->seconds_solve = ch_clock_seconds() - d->started - d->info->seconds_setup;
  return move_start(d, status);
}

ChStatus ch_solve(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v, double* u,
                  double* r, ChSolveInfo* info) {
  return ch_solve_staggered(context, problem, options, NULL, v, u, r, info);
}

// A world's curves are all in each of its problems, named by a contact or not.
static bool names_a_curve(const ChProblem* problem) {
  for (int i = 0; problem->curve_count > 0 && i < problem->block_count; ++i)
    if (problem->blocks[i].curve > 0) return true;
  return false;
}

ChStatus ch_solve_staggered(ChContext* context, const ChProblem* problem, const ChSolveOptions* options,
                            const ChStaggeredWatch* watch, double* v, double* u, double* r, ChSolveInfo* info) {
  if (names_a_curve(problem)) return ch_solve_branches(context, problem, options, watch, v, u, r, info);
  ChArena* volatile arena = NULL, * volatile shared = NULL;
  jmp_buf landing;
  *info = (ChSolveInfo){0};
  const double started = ch_clock_seconds(), begun = ch_work_done();
  const ChDeadline deadline = ch_deadline_in(options->time_limit, ch_work_limit(options, problem));
  const ChLimits before = ch_limits_enter(deadline, (ChStop){options->stop, options->stop_user});
  if (setjmp(landing) || !(arena = ch_arena_create(NULL)) || !(shared = ch_arena_create(NULL))) {
    ch_limits_leave(before);
    ch_arena_destroy(shared);
    ch_arena_destroy(arena);
    return info->status =
               ch_fail(context, CH_ERR_MEMORY, "out of memory while solving a problem with %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  ch_arena_set_landing(shared, &landing);
  Driver driver = {.context = context,
                   .arena = arena,
                   .shared = shared,
                   .problem = problem,
                   .options = options,
                   .watch = watch,
                   .started = started,
                   .begun = begun,
                   .deadline = deadline,
                   .v_out = v,
                   .u_out = u,
                   .r_out = r,
                   .info = info};
  info->status = drive(&driver);
  info->work = ch_work_done() - begun;
  ch_limits_leave(before);
  ch_arena_destroy(shared);
  ch_arena_destroy(arena);
  return info->status;
}
