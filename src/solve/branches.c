// Friction that depends on the speed of slip: which contacts stick, which slip, and with which coefficient.
//
//   stick   u_T = 0, |r_T| <= mu r_n            slip   r_T = -mu(s) r_n u_T / s,  s = |u_T|,  mu(s) = mu share(s)
//
// Kaufman 2009, (3.16) and its footnote: the set F_k that friction lies in is parameterised by the velocity, too, and
// is convex once that is given. So: give it, solve Coulomb's problem by any method, and look again.
//
//   1. All contacts have mu of what sticks.
//   2. What slips is released: its coefficient becomes mu(s), and follows s from then on. What sticks is left alone; a
//      released contact that comes to rest with less than mu r_n sticks lawfully.
//   3. Until the certificate of the whole passes.
//
// A contact is released once, so that with static over dynamic friction (a share that does not depend on s) there are
// as many solves as contacts at most, and no cycle. Curves make a fixed point of the shares, from below: where
// friction falls with speed, s grows from solve to solve towards the slowest slip that there is; where it rises each
// contact's own answer is taken along (ask). Anderson's extrapolation (secants.h) quickens both, and steps grow shorter
// where that goes round. Newton's method on all contacts with their curves (curve_newton.h) goes on from the best
// answer now and then, and its shares take the place of those that were followed.
//
// At the end, what slips so slowly that its own mu r_n could stop it is given mu once more. docs/theory/stick_slip.md
#include "solve/branches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"
#include "problem/contact_problem.h"
#include "problem/grader.h"
#include "solve/contact/secants.h"
#include "solve/curve_newton.h"
#include "solve/method.h"

enum { ROUNDS = 200, PAIRS = 16, TIGHTENINGS = 4, BISECTIONS = 60, PATIENCE = 12 };
#define INNER 0.5    // share of the tolerance that one solve is asked for
#define TIGHTER 0.1  // of that, where nothing changes any more and the whole does not pass
#define SHARE_EPS 1e-15
#define PROGRESS 0.9        // of the least figure so far: an answer that is better
#define SHORTEST 0.02       // of a step
#define STIFFEST 1024.0     // how much more contacts may give together than each alone
#define MOST_WORK 0.25      // of what is left, for one solve
#define NEWTON_WORK 0.1     // the same for Newton's method, or what all solves so far took if that is more
enum { NEWTON_ROUND = 6 };  // answers after which it is tried for the first time; then after half as many again

typedef struct Outer {
  ChContext* context;
  ChArena* arena;
  const ChProblem* problem;
  const ChSolveOptions* options;
  const ChStaggeredWatch* watch;
  ChProblem plain;  // the same without curves; blocks have the coefficients in force
  ChGrader *grader, *plain_grader;
  int count;       // blocks with a curve,
  int* block;      // which,
  double* share;   // what is in force
  double* target;  // what the last answer asks for
  bool *released, *retried;
  ChBranch* branch;        // of every block, in the last answer
  ChSecants* secants;      // of the shares, NULL where there are none
  int pairs;               // that it has
  double least;            // natural figure so far
  int stalled;             // answers since then
  double step, stiffness;  // how far shares go; how much contacts give together
  double* start;           // of the next solve
  double started, begun, most_work;
  double inner;  // tolerance of one solve
  int solves;
  ChCurveNewton* newton;  // NULL: not prepared yet, or of no use
  bool newton_known;
  int newton_tries;
  double *v, *u, *r;
  ChSolveInfo* info;
} Outer;

// The best answer there is so far.
typedef struct Kept {
  double *v, *u, *r;
  ChCertificate certificate;
  ChStatus status;
  int sticking;
} Kept;

static double tangent_size(const Outer* o, const double* x) {
  double sum = 0.0;
  for (int k = 1; k < o->problem->dimension; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// |u_T + c_t r_T|: the speed of slip, where a spring along the tangents yields as well
static double slip_size(const Outer* o, const ChBlock* block) {
  const double shear = ch_block_shear(block);
  double sum = 0.0;
  for (int k = block->row + 1; k < block->row + o->problem->dimension; ++k)
    sum += (o->u[k] + shear * o->r[k]) * (o->u[k] + shear * o->r[k]);
  return sqrt(sum);
}

static const ChBlock* block_of(const Outer* o, int k) { return &o->problem->blocks[o->block[k]]; }
static const ChFrictionCurve* curve_of(const Outer* o, int k) { return &o->problem->curves[block_of(o, k)->curve - 1]; }

static void set_share(Outer* o, int k, double share) {
  o->share[k] = share;
  for (int a = 0; a < 2; ++a) o->plain.blocks[o->block[k]].mu[a] = share * block_of(o, k)->mu[a];
}

static ChStatus prepare(Outer* o) {
  const ChProblem* p = o->problem;
  o->plain = *p;
  o->plain.curve_count = 0;
  o->plain.curves = NULL;
  o->plain.blocks = CH_TAKE_RAW(o->arena, p->block_count, ChBlock);
  o->block = CH_TAKE(o->arena, p->block_count, int);
  o->branch = CH_TAKE(o->arena, p->block_count, ChBranch);
  for (int i = 0; i < p->block_count; ++i) {
    o->plain.blocks[i] = p->blocks[i];
    o->plain.blocks[i].curve = 0;
    if (p->blocks[i].curve > 0) o->block[o->count++] = i;
  }
  o->share = CH_TAKE(o->arena, o->count, double);
  o->target = CH_TAKE(o->arena, o->count, double);
  o->released = CH_TAKE(o->arena, o->count, bool);
  o->retried = CH_TAKE(o->arena, o->count, bool);
  o->start = CH_TAKE(o->arena, p->rows, double);
  for (int k = 0; k < o->count; ++k) o->share[k] = 1.0;
  if (o->count > 0) o->secants = ch_secants_create(o->arena, o->count, PAIRS);
  ChGroundwork* groundwork;
  ChStatus status = p->groundwork ? CH_OK : ch_groundwork_create(o->context, o->arena, p, &groundwork);
  if (status != CH_OK) return status;
  if (!p->groundwork) o->plain.groundwork = groundwork;
  ChProblem* known = CH_TAKE_RAW(o->arena, 1, ChProblem);
  *known = *p;
  known->groundwork = o->plain.groundwork;
  status = ch_grader_create(o->context, o->arena, known, o->options->pose, &o->grader);
  return status == CH_OK ? ch_grader_create(o->context, o->arena, &o->plain, o->options->pose, &o->plain_grader)
                         : status;
}

static Kept take_kept(const Outer* o) {
  return (Kept){.v = CH_TAKE(o->arena, o->problem->dof, double),
                .u = CH_TAKE(o->arena, o->problem->rows, double),
                .r = CH_TAKE(o->arena, o->problem->rows, double),
                .certificate = ch_certificate_unknown()};
}

static int count_branch(const Outer* o, ChBranch which) {
  int count = 0;
  for (int i = 0; i < o->problem->block_count; ++i) count += o->branch[i] == which;
  return count;
}

static void copy(double* to, const double* from, int count) {
  if (to && count > 0) memcpy(to, from, (size_t)count * sizeof *to);
}

static void keep(const Outer* o, ChStatus status, Kept* kept) {
  copy(kept->v, o->v, o->v ? o->problem->dof : 0);
  copy(kept->u, o->u, o->problem->rows);
  copy(kept->r, o->r, o->problem->rows);
  kept->certificate = o->info->certificate;
  kept->status = status;
  kept->sticking = count_branch(o, CH_BRANCH_STICK);
}

static void put_back(const Outer* o, const Kept* kept) {
  copy(o->v, kept->v, o->problem->dof);
  copy(o->u, kept->u, o->problem->rows);
  copy(o->r, kept->r, o->problem->rows);
  o->info->certificate = kept->certificate;
}

// What is left of the caller's limits; false where there is nothing.
static bool limit(const Outer* o, ChSolveOptions* options) {
  options->time_limit = o->options->time_limit - (ch_clock_seconds() - o->started);
  options->work_limit = o->most_work - (ch_work_done() - o->begun);
  return options->time_limit > 0.0 && options->work_limit > 0.0;
}

static void add_up(ChSolveInfo* sum, const ChSolveInfo* one) {
  const ChSolveInfo before = *sum;
  *sum = *one;
  sum->outer += before.outer;
  sum->inner += before.inner;
  sum->factorizations += before.factorizations;
  sum->seconds_setup += before.seconds_setup;
  sum->seconds_solve += before.seconds_solve;
}

static bool is_answer(ChStatus status) {
  return status == CH_OK || status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY;
}

// One solve with the coefficients in force, graded by them and by the curves.
static ChStatus solve_once(Outer* o, const double* warm) {
  ChSolveOptions options = *o->options;
  ChSolveInfo one;
  options.tolerance = o->inner;
  options.accept = 0.0;
  options.warm = warm;
  if (!limit(o, &options) && o->solves > 0) return CH_MAX_TIME;
  options.time_limit = fmax(options.time_limit, 1e-9);
  options.work_limit = fmax(o->solves > 0 ? MOST_WORK * options.work_limit : options.work_limit, 1.0);
  const ChStatus status = ch_solve_staggered(o->context, &o->plain, &options, o->watch, o->v, o->u, o->r, &one);
  ++o->solves;
  add_up(o->info, &one);
  if (!is_answer(status)) return status;
  ch_grader_branches(o->plain_grader, o->r, o->u, o->branch);
  const ChStatus graded = ch_grader_grade(o->context, o->grader, o->r, o->v, &o->info->certificate);
  return graded == CH_OK ? status : graded;
}

// What the last answer asks of a contact's share: that of its speed. Where mu rises with speed the answer to a change
// of mu is as strong as the change, and the contact's own part of it is taken along: with rho the mass that it feels,
//
//   x = share(s(x)),   s(x) = s + stiffness mu r_n (hold - x) / rho,   hold = |r_T| / (mu r_n)
//
// has one root between here and there.
static double ask(const Outer* o, int k) {
  const ChBlock* block = block_of(o, k);
  const ChFrictionCurve* curve = curve_of(o, k);
  const double *r = o->r + block->row, speed = slip_size(o, block), here = o->share[k];
  const double there = ch_friction_share(curve, speed), load = block->mu[0] * r[0];
  const double rho = ch_grader_weights(o->grader)[block->row];
  if (!(load > 0.0 && rho > 0.0) || there == here) return there;
  const double give = o->stiffness * load / rho, hold = tangent_size(o, r) / load;
  double a = here, b = there;  // share(s(x)) - x has the sign of there - here at a
  const double sign = there > here ? 1.0 : -1.0;
  for (int step = 0; step < BISECTIONS; ++step) {
    const double x = step == 0 ? there : 0.5 * (a + b), s = fmax(speed + give * (hold - x), 0.0);
    if (sign * (ch_friction_share(curve, s) - x) >= 0.0) {
      if (step == 0) return there;
      a = x;
    } else {
      b = x;
    }
  }
  return 0.5 * (a + b);
}

// Releases what slips and has not been released. How many these are.
static int release(Outer* o) {
  int count = 0;
  for (int k = 0; k < o->count; ++k) {
    const ChBranch branch = o->branch[o->block[k]];
    const bool slips = branch == CH_BRANCH_SLIP;
    const bool lawful = branch == CH_BRANCH_STICK && o->share[k] <= 1.0;
    o->target[k] = branch == CH_BRANCH_OPEN || lawful ? o->share[k] : ask(o, k);
    if (!slips || o->released[k]) continue;
    o->released[k] = true;
    set_share(o, k, o->target[k]);
    ++count;
  }
  return count;
}

static void forget(Outer* o) {
  if (o->secants) ch_secants_clear(o->secants);
  o->pairs = 0;
}

// Where an answer is no better than the best before it, steps were too long.
static void watch_progress(Outer* o) {
  const double natural = o->info->certificate.natural;
  if (natural < PROGRESS * o->least) {
    o->least = natural;
    o->stalled = 0;
    o->step = fmin(1.0, 1.5 * o->step);
  } else if (++o->stalled >= PATIENCE) {
    o->stalled = 0;
    o->step = fmax(0.5 * o->step, SHORTEST);
    o->stiffness = fmin(2.0 * o->stiffness, STIFFEST);
    forget(o);
  }
}

// Moves the shares towards what was asked for; false where they are there.
static bool follow(Outer* o) {
  double off = 0.0, *f, *g;
  for (int k = 0; k < o->count; ++k) off = fmax(off, fabs(o->target[k] - o->share[k]));
  if (!(off > SHARE_EPS)) return false;
  watch_progress(o);
  if (ch_secants_full(o->secants)) forget(o);
  ch_secants_next(o->secants, &f, &g);
  for (int k = 0; k < o->count; ++k) {
    f[k] = o->step * (o->target[k] - o->share[k]);
    g[k] = o->target[k] = o->share[k] + f[k];
  }
  ch_secants_keep(o->secants);
  if (++o->pairs > 1) ch_secants_extrapolate(o->secants, 1, o->target);
  for (int k = 0; k < o->count; ++k)
    set_share(o, k, fmin(fmax(o->target[k], 0.0), ch_friction_largest_share(curve_of(o, k))));
  return true;
}

// Whether a contact that slips could be stopped by what it may bear at rest, as far as it alone can tell.
static bool may_stick(const Outer* o, int k) {
  const ChBlock* block = block_of(o, k);
  const double rho = ch_grader_weights(o->grader)[block->row];
  const double slip = slip_size(o, block), holds = tangent_size(o, o->r + block->row);
  if (o->branch[o->block[k]] != CH_BRANCH_SLIP || o->retried[k] || !(o->share[k] < 1.0)) return false;
  return o->share[k] * (holds + rho * slip) <= holds;
}

static int retry(Outer* o) {
  int count = 0;
  for (int k = 0; k < o->count; ++k) {
    if (!may_stick(o, k)) continue;
    o->retried[k] = true;
    o->released[k] = false;
    set_share(o, k, 1.0);
    ++count;
  }
  return count;
}

static bool is_better(const Outer* o, const Kept* best, bool met) {
  const bool was_met = best->status == CH_OK;
  if (met != was_met) return met;
  if (met) return count_branch(o, CH_BRANCH_STICK) >= best->sticking;
  return !(best->certificate.natural <= o->info->certificate.natural);
}

// No answer is worse than the start.
static ChStatus keep_start(Outer* o, Kept* best) {
  const ChProblem* p = o->problem;
  if (o->options->warm && o->options->warm != o->r) copy(o->r, o->options->warm, p->rows);
  if (!o->options->warm && p->rows > 0) memset(o->r, 0, (size_t)p->rows * sizeof *o->r);
  ChStatus status = ch_problem_velocity(o->context, p, o->r, o->v, o->u);
  if (status == CH_OK) status = ch_grader_grade(o->context, o->grader, o->r, o->v, &o->info->certificate);
  ch_grader_branches(o->plain_grader, o->r, o->u, o->branch);
  keep(o, CH_MAX_ITER, best);
  return status;
}

// --- Newton's method on the whole ------------------------------------------------------------------------------------

// Grades the reactions in o->r by the curves, and takes the branches of that answer for those in force.
static ChStatus grade_with_curves(Outer* o) {
  ChStatus status = ch_problem_velocity(o->context, o->problem, o->r, o->v, o->u);
  if (status == CH_OK) status = ch_grader_grade(o->context, o->grader, o->r, o->v, &o->info->certificate);
  if (status == CH_OK) ch_grader_branches(o->grader, o->r, o->u, o->branch);
  return status;
}

// From the best answer so far, from the last one and from none in turn: paths that end nowhere from one start may not
// from another. What is no better leaves everything as the last solve left it.
static ChStatus try_newton(Outer* o, Kept* best, bool* met) {
  const int rows = o->problem->rows;
  ChStatus status = CH_OK;
  *met = false;
  if (ch_method_find(o->options->method)->takes & CH_IS_BASELINE) return CH_OK;  // these keep their own answers
  if (!o->newton_known) status = ch_curve_newton_create(o->context, o->arena, o->problem, o->options->pose, &o->newton);
  o->newton_known = true;
  const double done = ch_work_done() - o->begun, left = o->most_work - done;
  if (status != CH_OK || !o->newton || !(left > 0.0)) return status;
  Kept last = take_kept(o);
  keep(o, CH_MAX_ITER, &last);
  const int start = o->newton_tries++ % 3;
  if (start == 0) copy(o->r, best->r, rows);
  if (start == 2) memset(o->r, 0, (size_t)rows * sizeof *o->r);
  const long steps = ch_curve_newton_run(o->newton, o->inner, fmin(left, fmax(NEWTON_WORK * left, done)), o->r);
  o->info->inner += steps;
  o->info->factorizations += steps;
  status = grade_with_curves(o);
  if (status != CH_OK) return status;
  *met = ch_certificate_met(&o->info->certificate, o->options->tolerance);
  const bool better = is_better(o, best, *met);
  if (better) keep(o, *met ? CH_OK : CH_MAX_ITER, best);
  for (int k = 0; better && k < o->count; ++k) {
    if (o->branch[o->block[k]] != CH_BRANCH_SLIP) continue;
    o->released[k] = true;
    set_share(o, k, ch_friction_share(curve_of(o, k), slip_size(o, block_of(o, k))));
  }
  forget(o);
  if (better) return CH_OK;
  put_back(o, &last);
  ch_grader_branches(o->plain_grader, o->r, o->u, o->branch);
  return CH_OK;
}

// From the coefficients as they are to an answer, or to where nothing changes any more.
static ChStatus settle(Outer* o, const double* warm, Kept* best) {
  ChStatus status = CH_OK;
  int tightened = 0, next_newton = NEWTON_ROUND;
  forget(o);
  o->least = INFINITY;
  o->step = o->stiffness = 1.0;
  o->stalled = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    status = solve_once(o, warm);
    if (!is_answer(status)) return status;
    const bool met = ch_certificate_met(&o->info->certificate, o->options->tolerance);
    if (is_better(o, best, met)) keep(o, met ? CH_OK : status == CH_OK ? CH_MAX_ITER : status, best);
    if (met) return CH_OK;
    if (round >= next_newton || (status != CH_OK && round > 0)) {
      next_newton = round + (round > NEWTON_ROUND ? round / 2 : NEWTON_ROUND);
      bool solved = false;
      const ChStatus tried = try_newton(o, best, &solved);
      if (tried != CH_OK || solved) return tried;
    }
    if (status == CH_MAX_TIME) return status;
    copy(o->start, o->r, o->problem->rows);
    warm = o->start;
    if (release(o) > 0) {
      forget(o);
      continue;
    }
    if (follow(o)) continue;
    if (status != CH_OK || ++tightened > TIGHTENINGS) return status == CH_OK ? CH_MAX_ITER : status;
    o->inner *= TIGHTER;
  }
  return CH_MAX_ITER;
}

static ChStatus find_branches(Outer* o) {
  ChStatus status = prepare(o);
  if (status != CH_OK) return status;
  Kept best = take_kept(o);
  status = keep_start(o, &best);
  if (status != CH_OK) return status;
  status = settle(o, o->options->warm, &best);
  while (status == CH_OK && retry(o) > 0) {
    copy(o->start, o->r, o->problem->rows);
    status = settle(o, o->start, &best);
  }
  if (!is_answer(status) && status != CH_STOPPED) return status;
  if (status == CH_STOPPED && o->solves < 2) return status;
  put_back(o, &best);
  ch_grader_branches(o->grader, o->r, o->u, o->branch);
  snprintf(o->info->note, sizeof o->info->note, "%d solves, of %d contacts %d stick and %d slip", o->solves,
           o->problem->block_count, count_branch(o, CH_BRANCH_STICK), count_branch(o, CH_BRANCH_SLIP));
  return best.status;
}

ChStatus ch_solve_branches(ChContext* context, const ChProblem* problem, const ChSolveOptions* options,
                           const ChStaggeredWatch* watch, double* v, double* u, double* r, ChSolveInfo* info) {
  CH_ASSERT(problem && options && info && problem->curve_count > 0);
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *info = (ChSolveInfo){0};
  const double started = ch_clock_seconds(), begun = ch_work_done();
  const ChDeadline deadline = ch_deadline_in(options->time_limit, ch_work_limit(options, problem));
  const ChLimits before = ch_limits_enter(deadline, (ChStop){options->stop, options->stop_user});
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_limits_leave(before);
    ch_arena_destroy(arena);
    return info->status =
               ch_fail(context, CH_ERR_MEMORY, "out of memory while solving a problem with %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  Outer outer = {.context = context,
                 .arena = arena,
                 .problem = problem,
                 .options = options,
                 .watch = watch,
                 .inner = INNER * options->tolerance,
                 .started = started,
                 .begun = begun,
                 .most_work = ch_work_limit(options, problem),
                 .v = v,
                 .u = u,
                 .r = r,
                 .info = info};
  info->status = find_branches(&outer);
  info->work = ch_work_done() - begun;
  ch_limits_leave(before);
  ch_arena_destroy(arena);
  return info->status;
}
