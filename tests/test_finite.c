// Nothing that is not finite is ever kept, whatever ends a solve: a clock that leaps at any question, a sweep that is
// left in the middle, a method that answers NaN.
//
// The clock and the list of methods are this file's own: the linker puts them in place of the library's (--wrap), which
// has no hook for it.
#include <float.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/clock.h"
#include "cardhouse/scene.h"
#include "solve/method.h"
#include "support/near.h"
#include "support/suite.h"
#include "support/worlds.h"

// --- a clock that leaps ----------------------------------------------------------------------------------------------

#define TICK 1e-9  // seconds from question to question
#define LEAP 1.0   // and at one of them

static atomic_long asked, leaps_at;  // questions since the clock was set; 0: it never leaps
static atomic_int leaping;           // otherwise it is the real one

double __real_ch_clock_seconds(void);
double __wrap_ch_clock_seconds(void);
double __wrap_ch_clock_seconds(void) {
  if (!leaping) return __real_ch_clock_seconds();
  static atomic_long ticks, leaps;
  if (++asked == leaps_at) ++leaps;
  return TICK * (double)++ticks + LEAP * (double)leaps;
}

static void set_clock(bool leaps, long at) {
  leaping = leaps;
  asked = 0;
  leaps_at = at;
}

const ChMethod* __real_ch_method_find(const char* name);

// --- methods that misbehave ------------------------------------------------------------------------------------------

// Half of a sweep of Jacobi's, and off: the best iterate is neither what it was nor what it should be, and its error is
// not known. It says that it has solved the problem.
static void leave_in_the_middle(ChRun* run) {
  const ChSystem* s = run->system;
  double* u = CH_TAKE(run->arena, s->rows, double);
  ch_system_velocity(s, run->r, u);
  for (int k = 0; k < s->rows / 2; ++k) run->r[k] -= 1e3 * u[k];
  run->error = 0.0;
}

static void answer_nan(ChRun* run) {
  run->r[run->system->rows - 1] = NAN;
  run->error = 0.0;
}

static void answer_infinity(ChRun* run) {
  run->r[0] = INFINITY;
  run->error = NAN;
}

// So large that its velocity is not finite.
static void answer_too_much(ChRun* run) {
  for (int k = 0; k < run->system->rows; ++k) run->r[k] = DBL_MAX;
  run->error = 0.0;
}

static void offer_nan(ChRun* run) {
  double* r = CH_TAKE(run->arena, run->system->rows, double);
  for (int k = 0; k < run->system->rows; ++k) r[k] = NAN;
  ch_run_offer_graded(run, r, 0.0);
}

// A portfolio with a typo.
static void misspell(ChRun* run) {
  const ChNested stage = {
      .method = __real_ch_method_find("nsgs"), .max_iterations = 5, .setting = {{"nsgs.anderso", 1}}};
  ch_run_nested(run, &stage, NULL);
}

#define TAKES \
  (CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_POLYGON | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_TAKES_ANY_LAW)
static const ChMethod bad[] = {{.name = "middle", .takes = TAKES, .solve = leave_in_the_middle},
                               {.name = "nan", .takes = TAKES, .solve = answer_nan},
                               {.name = "infinity", .takes = TAKES, .solve = answer_infinity},
                               {.name = "too much", .takes = TAKES, .solve = answer_too_much},
                               {.name = "offers nan", .takes = TAKES, .solve = offer_nan},
                               {.name = "engine", .takes = TAKES, .engine_sweeps = 10, .solve = answer_nan}};
enum { BAD = sizeof bad / sizeof *bad };
static const ChMethod typo = {.name = "typo", .takes = TAKES, .solve = misspell};

const ChMethod* __wrap_ch_method_find(const char* name);
const ChMethod* __wrap_ch_method_find(const char* name) {
  for (int k = 0; k < BAD; ++k)
    if (name && strcmp(bad[k].name, name) == 0) return &bad[k];
  return name && strcmp(typo.name, name) == 0 ? &typo : __real_ch_method_find(name);
}

// --- what must hold --------------------------------------------------------------------------------------------------

static void check_finite(long n, const double* x) {
  for (long k = 0; k < n; ++k) assert_true(isfinite(x[k]));
}

static void check_certificate(const ChCertificate* c) {
#define X(name, text) assert_true(isfinite(c->name));
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

// Everything that a step shows, and that a missed one is counted.
static void check_step(const ChSimulation* s, const ChStepInfo* info, double most_energy) {
  check_certificate(&info->certificate);
  if (!ch_certificate_met(&info->certificate, 1e-8)) assert_true(info->missed);
  const double figures[] = {info->kinetic,     info->potential,   info->work,    info->gain,
                            info->penetration, info->joint_error, info->deferred};
  check_finite(sizeof figures / sizeof *figures, figures);
  CHECK_AT_MOST(info->kinetic + info->potential, most_energy);
  for (int b = 0; b < ch_world_body_count(ch_simulation_world(s)); ++b) {
    ChBodyView body = ch_simulation_body_at(s, b);
    check_finite(sizeof body / sizeof(double), (const double*)&body);
  }
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  for (int k = 0; k < count; ++k) check_finite(3, &contacts[k].force.x);
}

static ChSimulation* start_cards(const char* method, long max_iterations, double step_limit) {
  static const char* const small[][2] = {{"levels", "2"}};
  ChContext context = {0};
  ChScene* scene;
  char* text;
  CHECK_OK(context, ch_scene_builtin(&context, "cards", 1, small, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  free(text);
  ChSimulationOptions options = scene->options;
  options.solve.method = method;
  options.solve.max_iterations = max_iterations;
  options.step_limit = step_limit;
  ChSimulation* s = ch_test_start(scene->world, &options);
  scene->world = NULL;
  ch_scene_destroy(scene);
  return s;
}

static double energy(const ChSimulation* s) { return ch_simulation_info(s).kinetic + ch_simulation_info(s).potential; }

// --- one solve -------------------------------------------------------------------------------------------------------

enum { ROWS = 400 };

static void solve_badly(const ChProblem* p, const char* method, const double* warm) {
  ChContext context = {0};
  double v[ROWS], u[ROWS], r[ROWS];
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.method = method;
  options.warm = warm;
  options.work_limit = 1e5;  // these do none; what comes after them, with curves, is not what is tested
  ChStatus status = ch_solve(&context, p, &options, v, u, r, &info);
  check_finite(p->rows, r);
  check_finite(p->rows, u);
  check_finite(p->dof, v);
  check_certificate(&info.certificate);
  if (ch_problem_view(p).curve_count > 0) return;  // Newton's method on the whole may solve what the method did not
  assert_int_not_equal(status, CH_OK);
  assert_int_equal(status, info.status);
  assert_false(ch_certificate_met(&info.certificate, options.tolerance));
  bool not_finite = strcmp(method, "middle") != 0 && strcmp(method, "offers nan") != 0;
  if (not_finite) assert_int_equal(status, CH_ERR_NUMERIC);
  if (not_finite) assert_non_null(strstr(info.note, "not finite"));
}

static void an_answer_that_is_not_finite_is_dropped_and_said(void** state) {
  (void)state;
  ChContext context = {0};
  int seen = 0;
  double warm[ROWS];
  for (int k = 0; k < ROWS; ++k) warm[k] = 1e-3;
  for (int c = 0; c < ch_case_count(); ++c) {
    const ChCase* item = ch_case_at(c);
    ChProblem* p;
    if (item->size != CH_CASE_SMALL || (item->facts & CH_FACT_APART)) continue;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    for (int k = 0; k < BAD && p->rows <= ROWS && p->dof <= ROWS; ++k, ++seen) {
      solve_badly(p, bad[k].name, NULL);
      solve_badly(p, bad[k].name, warm);
    }
    ch_problem_destroy(p);
  }
  assert_true(seen > 20);
}

static void a_setting_that_the_method_does_not_have_is_refused_with_the_nearest(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem* p;
  CHECK_OK(context, ch_case_generate(&context, ch_case_at(0), &p));
  assert_true(p->rows <= ROWS && p->dof <= ROWS);
  double v[ROWS], u[ROWS], r[ROWS];
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.method = "typo";
  assert_int_equal(ch_solve(&context, p, &options, v, u, r, &info), CH_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "'nsgs.anderson'"));
  options = ch_solve_options_default();
  options.settings = &(ChSetting){"admm.roh", 0.1};
  options.setting_count = 1;
  assert_int_equal(ch_solve(&context, p, &options, v, u, r, &info), CH_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "'admm.rho'"));
  ch_problem_destroy(p);
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Such a method's steps end as any that miss.
static void a_method_that_answers_nan_makes_safe_steps(void** state) {
  (void)state;
  for (int k = 0; k < BAD; ++k) {
    ChSimulation* s = start_cards(bad[k].name, 0, 0.0);
    double most = 1.001 * energy(s);
    for (int step = 0; step < 20; ++step) {
      ChStepInfo info = ch_test_step(s);
      check_step(s, &info, most);
    }
    ch_simulation_destroy(s);
  }
}

// A card gets a knock, so that there is something to solve.
static void knock(ChSimulation* s) {
  ChContext context = {0};
  int card = ch_world_body_count(ch_simulation_world(s)) - 1;
  CHECK_OK(context, ch_simulation_push(&context, s, ch_body_id(card), ch_vec(0.5, 0.1, 0.0),
                                       ch_simulation_body_at(s, card).position));
}

// Whether the third step still asked the question at which the clock leapt; `missed`: whether any step did.
static bool cut_at(const char* method, long max_iterations, long question, bool* missed) {
  bool reached = false;
  set_clock(true, 0);
  ChSimulation* s = start_cards(method, max_iterations, 1e-3);
  double most = 1.02 * energy(s);
  for (int step = 1; step <= 8; ++step) {
    if (step == 3) knock(s);
    set_clock(true, step == 3 ? question : 0);
    ChStepInfo info = ch_test_step(s);
    if (step == 3) reached = asked >= question;
    check_step(s, &info, most);
    *missed |= info.missed;
  }
  set_clock(false, 0);
  ch_simulation_destroy(s);
  return reached;
}

// The clock leaps at the first question of a step, at the second, ... until the step asks no more questions. After the
// first sixteen ever more of them are passed over: most are asked by the same loops.
static void cut_at_every_question(const char* method, long max_iterations) {
  bool missed = false;
  long question = 1;
  while (cut_at(method, max_iterations, question, &missed)) question += 1 + question / 16;
  assert_true(question > 20);
  assert_true(missed);
}

static void a_solve_may_be_cut_off_anywhere(void** state) {
  (void)state;
  cut_at_every_question("pgs", 10);
  cut_at_every_question("nsgs", 0);
  cut_at_every_question("auto", 0);
  cut_at_every_question("newton", 0);
}

// That the clock leapt once, as where others had the processor, says nothing of how long a solve takes.
static void one_late_step_does_not_keep_the_next_from_being_solved(void** state) {
  (void)state;
  bool late = false;
  for (long question = 1; question <= 40; ++question) {
    set_clock(true, 0);
    ChSimulation* s = start_cards("auto", 0, 1e-3);
    for (int step = 1; step <= 4; ++step) {
      if (step >= 3) knock(s);
      set_clock(true, step == 3 ? question : 0);
      ChStepInfo info = ch_test_step(s);
      if (step == 3) late |= info.missed;
      if (step == 4) assert_false(info.missed);
    }
    set_clock(false, 0);
    ch_simulation_destroy(s);
  }
  assert_true(late);
}

// No step has time for anything, for a while: what is learnt then must not keep a bad answer alive.
static void a_clock_that_always_leaps_keeps_the_energy(void** state) {
  (void)state;
  static const char* const methods[] = {"pgs", "nsgs", "auto"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    ChSimulation* s = start_cards(methods[m], 10, 1e-3);
    double most = 1.02 * energy(s);
    long lost = 0;
    for (long step = 0; step < 300; ++step) {
      set_clock(true, step < 200 ? 1 + step % 13 : 0);
      ChStepInfo info = ch_test_step(s);
      check_step(s, &info, most);
      lost += info.missed;
    }
    set_clock(false, 0);
    assert_true(lost > 20);
    ch_simulation_destroy(s);
  }
}

// --- what comes from outside -----------------------------------------------------------------------------------------

static void a_checkpoint_with_nan_among_its_reactions_is_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = start_cards("auto", 0, 0.0);
  for (int step = 0; step < 3; ++step) ch_test_step(s);
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  assert_true(count > 0 && contacts != NULL);
  size_t size;
  CHECK_OK(context, ch_simulation_save(&context, s, NULL, &size));
  char* bytes = malloc(size);
  assert_non_null(bytes);
  CHECK_OK(context, ch_simulation_save(&context, s, bytes, &size));
  CHECK_OK(context, ch_simulation_load(&context, s, bytes, size));
  // The last contact's axes lie before its bond, and that before the bodies' bytes at the end.
  double nan = NAN;
  size_t bodies = (size_t)ch_world_body_count(ch_simulation_world(s));
  memcpy(bytes + size - bodies - sizeof(int64_t) - sizeof nan, &nan, sizeof nan);
  assert_int_equal(ch_simulation_load(&context, s, bytes, size), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "not finite"));
  free(bytes);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_that_is_not_finite_is_dropped_and_said),
      cmocka_unit_test(a_setting_that_the_method_does_not_have_is_refused_with_the_nearest),
      cmocka_unit_test(a_method_that_answers_nan_makes_safe_steps),
      cmocka_unit_test(a_solve_may_be_cut_off_anywhere),
      cmocka_unit_test(one_late_step_does_not_keep_the_next_from_being_solved),
      cmocka_unit_test(a_clock_that_always_leaps_keeps_the_energy),
      cmocka_unit_test(a_checkpoint_with_nan_among_its_reactions_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
