// Limits on the clock hold on a machine that is slow: whatever a method is doing, a solve ends within a tenth of its
// time or two milliseconds of the usual machine.
//
// The clock is this file's own (--wrap): it goes by counted work, a tenth of the usual speed, and by the questions that
// it is asked. So these facts are the same on every machine, and no stage knows beforehand how long it takes: what is
// foreseen must be foreseen by what was seen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "cardhouse/clock.h"
#include "cardhouse/scene.h"
#include "cardhouse/simulation.h"
#include "solve/method.h"
#include "support/families.h"
#include "support/near.h"
#include "support/worlds.h"

#define SLOW 1e-8      // seconds that a unit of work takes; usually 1e-9
#define QUESTION 1e-7  // and a question for the time

double __wrap_ch_clock_seconds(void);
double __wrap_ch_clock_processor_seconds(void);
double __wrap_ch_clock_seconds(void) {
  static _Thread_local double asked;
  return SLOW * ch_work_done() + QUESTION * ++asked;
}
double __wrap_ch_clock_processor_seconds(void) { return __wrap_ch_clock_seconds(); }

static ChProblem* generate(const char* family, double n, double mu) {
  const ChFamily* f = ch_family_find(family);
  ChRecipe recipe = ch_recipe_default(f);
  assert_true(ch_recipe_set(&recipe, "n", n));
  assert_true(ch_recipe_set(&recipe, "mu", mu));
  ch_recipe_set(&recipe, "noise", 0.1);
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_family_generate(&context, f, &recipe, CH_FORM_GLOBAL, &problem));
  return problem;
}

typedef struct Timed {
  ChSolveInfo info;
  double seconds;
} Timed;

// Nothing meets this: only a limit ends it, or a method that can do no more.
static Timed solve(const ChProblem* p, const char* method, const char* inner, double limit) {
  ChContext context = {0};
  ChSolveOptions o = ch_solve_options_default();
  o.method = method;
  o.inner = inner;
  o.tolerance = 1e-16;
  o.time_limit = limit;
  o.max_iterations = 1000000000;
  const ChMethod* m = ch_method_find(method);
  if (!(m->takes & CH_TAKES_COULOMB)) o.pose = CH_POSE_RELAXED;
  Timed t;
  double* room = malloc((size_t)(2 * p->rows + p->dof) * sizeof *room);
  assert_non_null(room);
  double began = ch_clock_seconds();
  ch_solve(&context, p, &o, room + 2 * p->rows, room, room + p->rows, &t.info);
  t.seconds = ch_clock_seconds() - began;
  free(room);
  return t;
}

static bool ran(const ChSolveInfo* info) { return info->status < CH_ERR_ARGUMENT || info->status == CH_ERR_NUMERIC; }

// What a solve does before it begins and after it has ended, scaling and the grades of its start and of its end, is not
// the method's to cut short.
static double seconds_around(const ChProblem* p) { return solve(p, "nsgs", NULL, 1e-9).seconds; }

static int check(const ChProblem* p, const char* method, const char* inner, double limit, double around) {
  Timed t = solve(p, method, inner, limit);
  if (!ran(&t.info)) return 0;
  double most = limit + fmax(0.1 * limit, 0.002 * SLOW / 1e-9) + around;
  if (!(t.seconds <= most))
    fail_msg("%s%s%s: %.4g s of %g, %d rows, status %d", method, inner ? " with " : "", inner ? inner : "", t.seconds,
             limit, p->rows, (int)t.info.status);
  return 1;
}

static int check_all(const ChProblem* p, double limit) {
  int count = 0;
  double around = seconds_around(p);
  for (int m = 0; m < ch_method_count(); ++m) {
    const ChMethod* method = ch_method_at(m);
    if (method->takes & CH_IS_BASELINE) continue;
    count += check(p, method->name, NULL, limit, around);
    for (int i = 0; i < ch_method_count() && (method->takes & CH_IS_OUTER); ++i)
      if (ch_method_at(i)->takes & CH_IS_INNER) count += check(p, method->name, ch_method_at(i)->name, limit, around);
  }
  return count;
}

static void every_method_keeps_to_the_clock(void** state) {
  (void)state;
  static const struct {
    const char* family;
    double n, mu;
  } list[] = {{"pile", 12, 0.4}, {"wall", 8, 0.3}, {"cards", 4, 0.2}};
  for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
    ChProblem* p = generate(list[k].family, list[k].n, list[k].mu);
    for (double limit = 0.02; limit < 1.0; limit *= 16.0) assert_true(check_all(p, limit) > 20);
    ch_problem_destroy(p);
  }
}

// One factorisation is work of 1.2e8 here, more than a second of this clock.
static void a_large_factorisation_keeps_to_the_clock(void** state) {
  (void)state;
  ChProblem* p = generate("pile", 60, 0.4);
  assert_true(check_all(p, 0.5) > 10);
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_keeps_to_the_clock),
      cmocka_unit_test(a_large_factorisation_keeps_to_the_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
