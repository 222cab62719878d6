// Limit analysis: equilibrium, smallest friction, largest load, self-stress. See analysis.h and docs/limit_analysis.md.
//
// Each question is a linear programme over cones (cone_program.h) in the kinetic metric: equations are scaled by
// M_ii^-1/2 (local form: W_ii^-1/2). Cones grow with friction, so that the factors that admit an equilibrium are an
// interval without an upper end, and bisection finds where it begins.
#include <math.h>

#include "analysis/cone_program.h"
#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/analysis.h"
#include "cardhouse/clock.h"

static const double BALANCED = 1e-8;  // of the largest scaled entry of the load

ChLimitOptions ch_limit_options_default(void) {
  return (ChLimitOptions){.tolerance = 1e-6, .highest_factor = 100.0, .time_limit = 60.0};
}

// What all questions share.
typedef struct Question {
  ChContext* context;
  ChArena* arena;
  ChProblemView problem;
  ChLimitOptions options;
  ChLimitState state;
  ChLimit* out;
  const ChSparse* A;
  const double* b;
  double* scale;
  double *v, *u;  // scratch for the mechanism
  double deadline;
  const double* load;  // of ch_load_largest
  double factor;       // of ch_self_stress_find
} Question;

typedef ChStatus (*AnswerFn)(Question* question);

static void prepare(Question* q) {
  const ChProblemView* p = &q->problem;
  const bool local = p->form == CH_FORM_LOCAL;
  const ChSparse* diagonal = local ? p->W : p->M;
  q->A = local ? p->W : p->H;
  q->b = local ? p->w : p->f;
  q->scale = CH_TAKE(q->arena, q->A->rows, double);
  q->v = CH_TAKE(q->arena, q->A->rows, double);
  q->u = CH_TAKE(q->arena, p->rows, double);
  for (int j = 0; j < diagonal->columns; ++j)
    for (int k = diagonal->start[j]; k < diagonal->start[j + 1]; ++k)
      if (diagonal->index[k] == j && diagonal->value[k] > 0.0) q->scale[j] = 1.0 / sqrt(diagonal->value[k]);
  for (int j = 0; j < q->A->rows; ++j)
    if (q->scale[j] == 0.0) q->scale[j] = 1.0;  // a row that nothing moves: its load, if any, cannot be balanced
}

static ChConeProgram* program_of(Question* q, const double* b, const double* load, bool self_stress) {
  ChConeProgramDef def = {.context = q->context,
                          .problem = &q->problem,
                          .A = q->A,
                          .scale = q->scale,
                          .b = b,
                          .load = load,
                          .self_stress = self_stress,
                          .deadline = q->deadline};
  return ch_cone_program_create(q->arena, &def);
}

static void record(Question* q, const ChConeAnswer* answer) {
  q->out->programmes += answer->rounds;
  q->out->edges = answer->edges;
  q->out->violation = answer->violation;
}

static void give_reaction(Question* q, const ChConeProgram* program) {
  if (q->state.r) ch_cone_program_reaction(program, q->state.r);
}

// The mechanism, its largest velocity at a block being 1; where no block moves (a body in free fall), that of v.
static void give_mechanism(Question* q, const ChConeProgram* program) {
  const int m = q->A->rows, rows = q->problem.rows;
  ch_cone_program_velocity(program, q->v);
  for (int i = 0; i < rows; ++i) q->u[i] = 0.0;
  ch_sparse_multiply_transposed_add(q->A, q->v, q->u);
  double largest = 0.0, largest_v = 0.0;
  for (int i = 0; i < rows; ++i) largest = ch_max(largest, fabs(q->u[i]));
  for (int i = 0; i < m; ++i) largest_v = ch_max(largest_v, fabs(q->v[i]));
  if (!(largest > 1e-9 * largest_v)) largest = largest_v;
  if (!(largest > 0.0)) largest = 1.0;
  for (int i = 0; q->state.u && i < rows; ++i) q->state.u[i] = q->u[i] / largest;
  for (int i = 0; q->state.v && q->problem.form == CH_FORM_GLOBAL && i < m; ++i) q->state.v[i] = q->v[i] / largest;
}

// --- the four questions ----------------------------------------------------------------------------------------------

static ChStatus balance(Question* q, ChConeProgram* program, bool* balanced) {
  ChConeAnswer answer;
  ChStatus status = ch_cone_program_balance(q->context, program, &answer);
  record(q, &answer);
  if (status != CH_OK) return status;
  *balanced = answer.value <= BALANCED;
  q->out->imbalance = ch_max(answer.value, 0.0);
  if (*balanced)
    give_reaction(q, program);
  else
    give_mechanism(q, program);
  return CH_OK;
}

static ChStatus answer_equilibrium(Question* q) {
  return balance(q, program_of(q, q->b, NULL, false), &q->out->exists);
}

static ChStatus balance_at(Question* q, ChConeProgram* program, double factor, bool* balanced) {
  ch_cone_program_set_friction(program, factor);
  return balance(q, program, balanced);
}

// A factor that suffices, and one that does not: doubled from 1 as far as allowed. *hi = 0: none suffices.
static ChStatus bracket(Question* q, ChConeProgram* program, double* lo, double* hi) {
  bool balanced = false;
  *lo = *hi = 0.0;
  for (double factor = ch_min(1.0, q->options.highest_factor); !balanced;) {
    ChStatus status = balance_at(q, program, factor, &balanced);
    if (status != CH_OK) return status;
    if (balanced) *hi = factor;
    if (!balanced) *lo = factor;
    if (factor >= q->options.highest_factor) break;
    factor = ch_min(2.0 * factor, q->options.highest_factor);
  }
  return CH_OK;
}

static ChStatus answer_friction(Question* q) {
  ChConeProgram* program = program_of(q, q->b, NULL, false);
  double lo, hi;
  bool balanced;
  ChStatus status = bracket(q, program, &lo, &hi);
  if (status != CH_OK || hi == 0.0) return status;
  if (lo == 0.0) {  // no friction at all may do
    status = balance_at(q, program, 0.0, &balanced);
    if (status != CH_OK) return status;
    if (balanced) hi = 0.0;
  }
  while (hi - lo > q->options.tolerance * hi) {
    const double middle = 0.5 * (lo + hi);
    status = balance_at(q, program, middle, &balanced);
    if (status != CH_OK) return status;
    *(balanced ? &hi : &lo) = middle;
  }
  q->out->exists = true;
  q->out->value = hi;
  return CH_OK;
}

static ChStatus answer_load(Question* q) {
  ChConeProgram* program = program_of(q, q->b, q->load, false);
  bool balanced;
  ChStatus status = balance(q, program, &balanced);
  if (status != CH_OK || !balanced) return status;
  ChConeAnswer answer;
  status = ch_cone_program_load(q->context, program, &answer);
  record(q, &answer);
  if (status != CH_OK) return status;
  q->out->exists = true;
  q->out->value = answer.value;
  give_reaction(q, program);
  if (isfinite(answer.value)) give_mechanism(q, program);
  return CH_OK;
}

static ChStatus answer_self_stress(Question* q) {
  ChConeProgram* program = program_of(q, NULL, NULL, true);
  ch_cone_program_set_friction(program, q->factor);
  return balance(q, program, &q->out->exists);
}

// --- the way in ------------------------------------------------------------------------------------------------------

static ChStatus check(ChContext* context, const Question* q) {
  const ChLimitOptions* o = &q->options;
  if (!(o->tolerance >= 1e-12 && o->tolerance <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "limit analysis: tolerance is %g, allowed 1e-12 to 1", o->tolerance);
  if (!(o->highest_factor > 0.0 && o->highest_factor <= 1e9))
    return ch_fail(context, CH_ERR_RANGE, "limit analysis: highest_factor is %g, must be > 0 and at most 1e9",
                   o->highest_factor);
  if (!(o->time_limit > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "limit analysis: time_limit is %g, must be > 0", o->time_limit);
  if (!(q->factor >= 0.0 && q->factor <= 1e9))
    return ch_fail(context, CH_ERR_RANGE, "limit analysis: the friction factor is %g, allowed 0 to 1e9", q->factor);
  const int size = q->problem.form == CH_FORM_LOCAL ? q->problem.rows : q->problem.dof;
  if (q->load && !ch_all_finite(q->load, size))
    return ch_fail(context, CH_ERR_RANGE, "limit analysis: the load has an entry that is not finite");
  return CH_OK;
}

static ChStatus ask(ChContext* context, const ChLimitOptions* options, Question q, AnswerFn answer) {
  ChContext own = {0};
  if (!context) context = &own;
  const double start = ch_clock_seconds();
  *q.out = (ChLimit){.value = NAN, .imbalance = NAN, .violation = NAN};
  q.context = context;
  q.options = options ? *options : ch_limit_options_default();
  q.deadline = start + q.options.time_limit;
  ChStatus status = check(context, &q);
  if (status != CH_OK) return status;
  jmp_buf landing;
  context->status = CH_OK;
  q.arena = ch_arena_create(NULL);
  if (!q.arena || setjmp(landing)) {
    ch_arena_destroy(q.arena);
    if (context->status == CH_ERR_NUMERIC) return CH_ERR_NUMERIC;  // GLPK gave up, and said why
    return ch_fail(context, CH_ERR_MEMORY, "out of memory in the limit analysis of a problem with %d rows",
                   q.problem.rows);
  }
  ch_arena_set_landing(q.arena, &landing);
  prepare(&q);
  status = answer(&q);
  ch_arena_destroy(q.arena);
  q.out->seconds = ch_clock_seconds() - start;
  return status;
}

ChStatus ch_equilibrium_find(ChContext* context, const ChProblem* problem, const ChLimitOptions* options,
                             ChLimitState state, ChLimit* out) {
  return ask(context, options, (Question){.problem = ch_problem_view(problem), .state = state, .out = out},
             answer_equilibrium);
}

ChStatus ch_friction_smallest(ChContext* context, const ChProblem* problem, const ChLimitOptions* options,
                              ChLimitState state, ChLimit* out) {
  return ask(context, options, (Question){.problem = ch_problem_view(problem), .state = state, .out = out},
             answer_friction);
}

ChStatus ch_load_largest(ChContext* context, const ChProblem* problem, const double* load,
                         const ChLimitOptions* options, ChLimitState state, ChLimit* out) {
  return ask(context, options,
             (Question){.problem = ch_problem_view(problem), .state = state, .out = out, .load = load}, answer_load);
}

ChStatus ch_self_stress_find(ChContext* context, const ChProblem* problem, double factor, const ChLimitOptions* options,
                             ChLimitState state, ChLimit* out) {
  return ask(context, options,
             (Question){.problem = ch_problem_view(problem), .state = state, .out = out, .factor = factor},
             answer_self_stress);
}
