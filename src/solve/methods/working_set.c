// working-set: few contacts carry everything, and only these are solved for.
//
//   S = the blocks that the start loads, and all that are not contacts
//   repeat  solve the blocks of S alone;  v = M^-1 H_S r_S;  u = H^T v + q of all
//           leave out of S what its answer does not load
//           put into S what it would drive into each other, |P(-u^)| > 0: the worst, one after the other, each with the
//           impulse that would stop it, so that its neighbours are seen to be stopped with it
//
// until no block outside S is violated: then r_S with zeros solves the whole. A face of a deformable body touches with
// hundreds of samples, of which its few freedoms load a handful; a factorisation over S costs a small share of one over
// all, and from step to step S hardly changes.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/linear/normal_rows.h"
#include "solve/method.h"
#include "system/subsystem.h"

#define CH_OPTION_PREFIX "working-set"
#define WORKING_SET_OPTIONS(X)                                                                     \
  X(int, rounds, 40, 1, 1000, "working sets that are tried")                                       \
  X(int, drops, 12, 0, 1000, "rounds that may leave idle blocks out; later rounds keep them")      \
  X(int, picks, 0, 0, 100000, "blocks that a round adds; 0 = from the degrees of freedom")         \
  X(double, depth, 0.1, 0.0, 1.0, "smallest violation that a round adds, as a share of the worst") \
  X(double, loose, 0.01, 0.0, 1.0, "error allowed on the set S, as a share of the last error, until S is the last set")
CH_OPTIONS(WORKING_SET_OPTIONS)

extern const ChMethod ch_method_auto, ch_method_ipm, ch_method_leap, ch_method_newton, ch_method_nsgs, ch_method_walk;

#define NORMAL_WORK 16.0  // of one block: its normal velocity
#define SHARE 0.5         // of the tolerance that S itself may use up
#define HANDOVER 1e-6     // where the interior point slows down and Newton takes over
#define NEAR_ERROR 1e-2   // of a start that is near
#define DEPTH 10.0        // how far inside the cones an interior point begins there, in its error
#define LEAST_DEPTH 1e-6  // and at least
#define FIRM 1e-6         // proximal weight of walks where another one failed
#define FALL 0.5          // of the least error, from which on a round leads on
enum {
  SMALL_SET = 20,  // blocks up to which a walk costs less than sweeps and leaps
  WALKS = 12,
  SWEEPS = 12,
  NEAR_STEPS = 15,
  FAR_STEPS = 25,
  INTERIOR_STEPS = 60,
  WARM_STEPS = 15,
  LAST_STEPS = 1000,
  ALL_STEPS = 60,
  LEAST_PICKS = 6,
  FREEDOMS_A_PICK = 4
};

typedef struct WorkingSet {
  ChRun* run;
  const ChSystem* s;
  Options o;
  unsigned char* in;  // whether a block is in S
  int *members, count;
  double *r, *u;      // of all
  double* violation;  // per block outside S
  double* part;       // reactions of S
  bool by_normals;    // what is not in S is looked at along its normal first
  ChNormalRows normals;
  double* v;             // velocities from the reactions, or one block's impulse
  unsigned char* moves;  // bodies that such an impulse moves
} WorkingSet;

static bool may_open(const ChSystem* s, int i) { return s->block[i].law->info.opens; }

static bool is_loaded(const ChSystem* s, int i, const double* r) {
  for (int a = s->row[i]; a < s->row[i + 1]; ++a)
    if (r[a] != 0.0) return true;
  return false;
}

static WorkingSet create(ChRun* run) {
  const ChSystem* s = run->system;
  WorkingSet w = {.run = run, .s = s, .o = read_options(run->options)};
  w.in = CH_TAKE(run->arena, s->n, unsigned char);
  w.members = CH_TAKE(run->arena, s->n, int);
  w.violation = CH_TAKE(run->arena, s->n, double);
  double** rows[] = {&w.r, &w.u, &w.part};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  if (s->bodies) {
    w.normals = ch_normal_rows(run->arena, s);
    w.v = CH_TAKE(run->arena, s->bodies->dofs, double);
    w.moves = CH_TAKE(run->arena, s->bodies->n, unsigned char);
    w.by_normals = !s->relaxed && ch_system_is_soft(s);
  }
  if (w.o.picks == 0) w.o.picks = s->bodies ? s->bodies->dofs / FREEDOMS_A_PICK : s->n / FREEDOMS_A_PICK;
  if (w.o.picks < LEAST_PICKS) w.o.picks = LEAST_PICKS;
  return w;
}

static void list_members(WorkingSet* w) {
  w->count = 0;
  for (int i = 0; i < w->s->n; ++i)
    if (w->in[i]) w->members[w->count++] = i;
}

// What solves S: a stage after the other, each from where the last one ended, until one meets the tolerance.
typedef struct Stage {
  const ChMethod* method;
  long iterations;
  enum { NEAR = 1, HANDS_OVER = 2, FORMED = 4, LAST = 8, SMALL = 16 } kind;  // see takes_part
  ChSetting setting[CH_NESTED_SETTINGS];
} Stage;

// Few blocks are walked: that hardly ever fails. Many are leapt over first; where leaps do not land, walks do.
static const Stage stages[] = {
    {&ch_method_walk, WALKS, FORMED | SMALL, {{NULL, 0}}},
    {&ch_method_nsgs, SWEEPS, FORMED, {{NULL, 0}}},
    {&ch_method_leap, NEAR_STEPS, 0, {{NULL, 0}}},
    {&ch_method_walk, WALKS, FORMED, {{"walk.eps", FIRM}}},
    {&ch_method_ipm, WARM_STEPS, NEAR | HANDS_OVER, {{NULL, 0}}},
    {&ch_method_newton, FAR_STEPS, NEAR, {{"newton.forms", 2}}},
    {&ch_method_ipm, INTERIOR_STEPS, HANDS_OVER, {{NULL, 0}}},
    {&ch_method_newton, FAR_STEPS, 0, {{"newton.forms", 2}}},
    {&ch_method_auto, LAST_STEPS, FORMED | LAST, {{NULL, 0}}},
};

// Some need W, some few blocks or a start that is near; one is kept for when other starts have failed, and sweeps are
// not worth it where few iterations are left.
static bool takes_part(const Stage* stage, const ChSystem* sub, double error, bool stubborn, long left) {
  if (stage->method == &ch_method_nsgs && left < SWEEPS) return false;
  if ((stage->kind & FORMED) && !sub->formed) return false;
  if (stage->method->largest > 0 && sub->rows > stage->method->largest) return false;
  if (sub->relaxed && !(stage->method->takes & CH_TAKES_RELAXED)) return false;
  if ((stage->kind & SMALL) && sub->n > SMALL_SET) return false;
  if ((stage->kind & NEAR) && !(error <= NEAR_ERROR)) return false;
  return stubborn || !(stage->kind & LAST);
}

static bool run_stages(WorkingSet* w, const ChSystem* sub, double tolerance, bool stubborn) {
  ChRun* run = w->run;
  double error = INFINITY;
  for (size_t k = 0; k < sizeof stages / sizeof stages[0] && error > tolerance && !ch_run_late(run); ++k) {
    const Stage* stage = &stages[k];
    long left = ch_run_iterations_left(run);
    if (left <= 0) break;
    if (!takes_part(stage, sub, error, stubborn, left)) continue;
    ChNested nested = {.method = stage->method,
                       .system = sub,
                       .start = w->part,
                       .tolerance = tolerance,
                       .max_iterations = stage->iterations < left ? stage->iterations : left};
    memcpy(nested.setting, stage->setting, sizeof nested.setting);
    if (stage->kind & HANDS_OVER) {
      nested.tolerance = fmin(fmax(HANDOVER, tolerance), 0.1 * error);
      if (stage->kind & NEAR) nested.setting[0] = (ChSetting){"ipm.warm", fmax(LEAST_DEPTH, DEPTH * error)};
    }
    error = ch_run_nested(run, &nested, w->part);
  }
  return error <= tolerance;
}

// The blocks of S alone, from where they stand; false where they could not be solved.
static bool solve_members(WorkingSet* w, double tolerance, bool stubborn) {
  ChRun* run = w->run;
  ChArenaMark mark = ch_arena_mark(run->arena);
  ChSystem sub = ch_subsystem(run->arena, w->s, w->members, w->count);
  if (sub.bodies && sub.rows <= 2 * sub.bodies->dofs) ch_system_form(run->arena, &sub);
  ch_subsystem_gather(w->s, w->members, w->count, w->r, w->part);
  bool solved = run_stages(w, &sub, tolerance, stubborn);
  memset(w->r, 0, (size_t)w->s->rows * sizeof *w->r);
  ch_subsystem_scatter(w->s, w->members, w->count, w->part, w->r);
  ch_arena_release(run->arena, mark);
  return solved;
}

// |P(-u^)| of a block without reaction
static double violation_of(const ChSystem* s, int i, const double* u) {
  static const double nothing[CH_BLOCK_MAX];
  return sqrt(ch_system_block_error(s, i, nothing, u));
}

// The error of the whole, of which only S and what is violated have a part. What |P(-u^)| of the latter is lies between
// |u_n| / sqrt(1 + mu^2) and |u_n|, which is taken for it: then nothing but normals is read outside S.
static double measure_by_normals(WorkingSet* w) {
  const ChSystem* s = w->s;
  double sum = 0.0;
  list_members(w);
  ch_bodies_impulse_of(s->bodies, s->dim, s->row, w->count, w->members, w->r, w->v);
  ch_work_add(NORMAL_WORK * s->n);
  ch_normal_velocities(&w->normals, w->v, w->violation);
  for (int i = 0; i < s->n; ++i) {
    double u = w->violation[i] + s->q[s->row[i]];
    w->violation[i] = w->in[i] || u >= 0.0 ? 0.0 : -u;
    sum += w->violation[i] * w->violation[i];
  }
  for (int k = 0; k < w->count; ++k) {
    int i = w->members[k], row = s->row[i];
    ch_bodies_block_velocity(s->bodies, s->dim[i], i, w->v, s->q + row, w->u + row);
    ch_system_add_block_compliance(s, i, w->r + row, w->u + row);
    sum += ch_system_block_error(s, i, w->r + row, w->u + row);
  }
  return sqrt(sum);
}

// What r leaves to be done: its error, and the violations of blocks outside S.
static double look(WorkingSet* w) {
  const ChSystem* s = w->s;
  if (w->by_normals) return ch_run_offer_graded(w->run, w->r, measure_by_normals(w));
  double error = ch_run_offer_reaction(w->run, w->r, w->u);
  for (int i = 0; i < s->n; ++i) w->violation[i] = w->in[i] ? 0.0 : violation_of(s, i, w->u + s->row[i]);
  return error;
}

// Takes from the violations of all blocks what the impulse r along block i's normal stops.
static void spread(WorkingSet* w, int i, double r) {
  const ChSystem* s = w->s;
  const ChBodies* b = s->bodies;
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
    int body = b->body[k], d = b->dim[body];
    const double *row = w->normals.row + w->normals.at[k], *inverse = b->inverse + b->offset[body];
    double* v = w->v + b->row[body];
    memset(v, 0, (size_t)d * sizeof *v);
    for (int x = 0; x < d; ++x) {
      double impulse = r * row[x];
      for (int y = 0; y < d; ++y) v[y] += inverse[x * d + y] * impulse;
    }
    w->moves[body] = 1;
  }
  for (int j = 0; j < s->n; ++j)
    if (w->violation[j] != 0.0) w->violation[j] -= ch_normal_velocity(&w->normals, j, w->v, w->moves);
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) w->moves[b->body[k]] = 0;
}

static int worst(const WorkingSet* w) {
  int found = -1;
  for (int j = 0; j < w->s->n; ++j)
    if (w->violation[j] > 0.0 && (found < 0 || w->violation[j] > w->violation[found])) found = j;
  return found;
}

// Puts the worst blocks in; false where none is violated by more than the tolerance leaves it.
static bool add_violated(WorkingSet* w) {
  const ChSystem* s = w->s;
  double least = SHARE * w->run->tolerance / sqrt((double)s->n);
  for (int i = 0; i < s->n; ++i)
    if (w->violation[i] <= least) w->violation[i] = 0.0;
  int i = worst(w);
  if (i < 0) return false;
  least = fmax(least, w->o.depth * w->violation[i]);
  for (int k = 0; k < w->o.picks && i >= 0 && w->violation[i] > least; ++k, i = worst(w)) {
    double amount = w->violation[i], stiffness = s->diagonal[s->diagonal_at[i]];
    w->in[i] = 1;
    w->violation[i] = 0.0;
    if (s->bodies && stiffness > 0.0) spread(w, i, amount / stiffness);
  }
  return true;
}

// From reactions `r`, or from nothing.
static void choose_start(WorkingSet* w, const double* r) {
  const ChSystem* s = w->s;
  memset(w->r, 0, (size_t)s->rows * sizeof *w->r);
  if (r) memcpy(w->r, r, (size_t)s->rows * sizeof *w->r);
  for (int i = 0; i < s->n; ++i) w->in[i] = !may_open(s, i) || is_loaded(s, i, w->r);
}

static void drop_idle(WorkingSet* w) {
  for (int i = 0; i < w->s->n; ++i)
    if (w->in[i] && may_open(w->s, i) && !is_loaded(w->s, i, w->r)) w->in[i] = 0;
}

// Rounds from where S stands; false where a set could not be solved, or was not the last: from another start others are
// chosen, most likely with fewer neighbours among them.
static bool make_rounds(WorkingSet* w, bool stubborn) {
  ChRun* run = w->run;
  double least = SHARE * run->tolerance, error = run->error, lowest = INFINITY;
  bool closed = false;   // nothing outside S was violated the last time
  bool leads_on = true;  // the last round did; where it did not, what is left out would only come again
  for (int round = 1; round <= w->o.rounds && ch_run_iterations_left(run) > 0; ++round) {
    double tolerance = closed ? least : fmax(least, w->o.loose * error);
    list_members(w);
    bool solved = w->count == 0 || solve_members(w, tolerance, stubborn);
    ++run->outer;
    if (solved && leads_on && round <= w->o.drops) drop_idle(w);
    error = look(w);
    leads_on = error < FALL * lowest;
    lowest = fmin(lowest, error);
    ch_run_note(run, round, error);
    if (ch_run_finished(run)) return true;
    if (!solved && !stubborn) return false;
    bool added = add_violated(w);
    if (!added && tolerance <= least) return false;
    closed = !added;
  }
  return ch_run_iterations_left(run) <= 0;
}

// All blocks at once, from the best so far.
static bool leap_all(ChRun* run) {
  long left = ch_run_iterations_left(run);
  ch_run_nested(run, &(ChNested){.method = &ch_method_leap, .max_iterations = left < ALL_STEPS ? left : ALL_STEPS},
                NULL);
  return ch_run_finished(run) || ch_run_iterations_left(run) <= 0;
}

static void solve(ChRun* run) {
  WorkingSet w = create(run);
  choose_start(&w, run->r);
  if (make_rounds(&w, false)) return;
  if (ch_run_iterations_left(run) > 0 && !run->system->relaxed && leap_all(run)) return;
  choose_start(&w, NULL);
  if (make_rounds(&w, false)) return;
  choose_start(&w, run->r);
  make_rounds(&w, true);
}

const ChMethod ch_method_working_set = {
    .name = "working-set",
    .summary =
        "solves the few blocks that carry load by Newton's method, then adds the blocks that the answer violates",
    .document = "Cardhouse's own",
    .equation = "docs/theory/working_set.md",
    .takes =
        CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
