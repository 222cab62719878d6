// What `auto` promises on the generated problems: a tighter tolerance is never worse, no method ends worse than it
// began, beyond its limit of work or with what is not finite, and with three times the work `auto` solves what any
// member does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cardhouse/solve.h"
#include "problem/contact_problem.h"
#include "support/suite.h"

typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
} Answer;

static double *r, *u, *v, *start;

static void make_room(const ChProblem* p) {
  size_t rows = (size_t)p->rows + 1, dof = (size_t)p->dof + 1;
  r = realloc(r, rows * sizeof *r);
  u = realloc(u, rows * sizeof *u);
  start = realloc(start, rows * sizeof *start);
  v = realloc(v, dof * sizeof *v);
  assert_true(r && u && v && start);
}

static void check_finite(const ChProblem* p, const char* method, const ChSolveInfo* info) {
  bool finite = isfinite(info->certificate.natural);
  for (int k = 0; k < p->rows; ++k) finite = finite && isfinite(r[k]) && isfinite(u[k]);
  for (int k = 0; k < p->dof; ++k) finite = finite && isfinite(v[k]);
  if (!finite) fail_msg("%s hands out what is not finite, natural %g", method, info->certificate.natural);
}

static Answer solve(const ChProblem* p, const char* method, double tolerance, double work, const double* warm) {
  ChContext context = {0};
  Answer a = {0};
  ChSolveOptions o = ch_solve_options_default();
  o.method = method;
  o.tolerance = tolerance;
  o.time_limit = INFINITY;
  o.work_limit = work;
  o.warm = warm;
  a.status = ch_solve(&context, p, &o, v, u, r, &a.info);
  if (a.status != CH_ERR_UNSUPPORTED) check_finite(p, method, &a.info);
  return a;
}

typedef void (*Check)(const char* name, const ChProblem* problem);

static void for_each_case(int most_blocks, Check check) {
  for (int k = 0; k < ch_case_count(); ++k) {
    ChContext context = {0};
    ChProblem* p = NULL;
    const ChCase* item = ch_case_at(k);
    if (item->size == CH_CASE_LARGE) continue;
    assert_int_equal(ch_case_generate(&context, item, &p), CH_OK);
    if (p->block_count <= most_blocks) {
      make_room(p);
      check(item->name, p);
    }
    ch_problem_destroy(p);
  }
}

// --- tolerances ------------------------------------------------------------------------------------------------------

// Natural is relative to doing nothing: what it cannot tell apart.
#define ROUNDING 1e-15

// Where friction depends on speed there are several solutions, and the tolerance has a say in which is looked for.
static void check_tolerances(const char* name, const ChProblem* p) {
  if (p->curve_count > 0) return;
  static const double limits[] = {3e4, 3e5, 3e6, 2e7};
  for (int l = 0; l < 4; ++l) {
    double before = INFINITY;
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-2) {
      double natural = solve(p, "auto", tolerance, limits[l], NULL).info.certificate.natural;
      if (!(natural <= before + ROUNDING || natural <= tolerance))
        fail_msg("%s: %.17g at %g, %.17g before, with %g of work", name, natural, tolerance, before, limits[l]);
      before = natural;
    }
  }
}

static void tighter_tolerance_is_never_worse(void** state) {
  (void)state;
  for_each_case(600, check_tolerances);
}

// --- starts and limits -----------------------------------------------------------------------------------------------

static const char* const methods[] = {"auto", "nsgs", "ansgs", "newton",      "admm", "ipm",
                                      "apgd", "leap", "walk",  "working-set", "pgs",  "successive"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static double grade_of(const ChProblem* p, const double* reactions) {
  ChContext context = {0};
  ChCertificate c;
  assert_int_equal(ch_certify(&context, p, CH_POSE_COULOMB, reactions, NULL, &c), CH_OK);
  return c.natural;
}

// From a start that is half a solution, cut off by less and less work.
static void check_start(const char* name, const ChProblem* p) {
  solve(p, "auto", 1e-6, 1e6, NULL);
  for (int k = 0; k < p->rows; ++k) start[k] = 0.9 * r[k];
  const double began = grade_of(p, start);
  for (int m = 0; m < METHODS; ++m)
    for (double work = 3e6; work > 1e2; work *= 0.03) {
      Answer a = solve(p, methods[m], 1e-10, work, start);
      if (a.status == CH_ERR_UNSUPPORTED) break;
      const double natural = grade_of(p, r);
      if (!(natural <= fmin(began, 1.0) * (1.0 + 1e-6) + 1e-12))
        fail_msg("%s by %s: %g from %g, with %g of work", name, methods[m], natural, began, work);
    }
}

static void nothing_ends_worse_than_it_began(void** state) {
  (void)state;
  for_each_case(60, check_start);
}

// Setting up, to the last analysis of a pattern, is not cut off.
static double granted(const ChProblem* p, double limit) { return 1.1 * limit + 300.0 * p->rows; }

static void check_work(const char* name, const ChProblem* p) {
  for (int m = 0; m < METHODS; ++m)
    for (double limit = 1e6; limit < 2e8; limit *= 10.0) {
      Answer a = solve(p, methods[m], 1e-12, limit, NULL);
      if (!(a.info.work <= granted(p, limit)))
        fail_msg("%s by %s: %g of work, allowed %g", name, methods[m], a.info.work, limit);
      if (a.status == CH_OK || a.status == CH_ERR_UNSUPPORTED) break;
    }
}

static void work_limits_hold_within_a_tenth(void** state) {
  (void)state;
  for_each_case(520, check_work);
}

// --- members ---------------------------------------------------------------------------------------------------------

static void check_members(const char* name, const ChProblem* p) {
  static const char* const members[] = {"nsgs", "ansgs",      "newton", "admm",        "ipm",      "leap",
                                        "apgd", "successive", "walk",   "working-set", "staggered"};
  const double budget = 3e7;
  for (int t = 0; t < 2; ++t) {
    const double tolerance = t == 0 ? 1e-4 : 1e-8;
    if (solve(p, "auto", tolerance, budget, NULL).status == CH_OK) continue;
    for (size_t m = 0; m < sizeof members / sizeof members[0]; ++m)
      if (solve(p, members[m], tolerance, budget / 3.0, NULL).status == CH_OK)
        fail_msg("%s to %g: auto misses with %g of work, %s solves with a third", name, tolerance, budget, members[m]);
  }
}

static void auto_solves_what_a_member_solves_with_a_third(void** state) {
  (void)state;
  for_each_case(600, check_members);
}

// --- paths -----------------------------------------------------------------------------------------------------------

// One call of leap or newton, as the history tells it: which part, how many iterations, and a sum over their errors in
// which every bit counts.
typedef struct Path {
  const char* stage;
  int part, length;
  uint64_t sum;
} Path;

enum { PATHS = 4096 };
static Path paths[PATHS];
static int path_count;

static void note_path(void* user, int part, const char* stage, int iteration, double seconds, double error) {
  (void)user, (void)seconds;
  if (strcmp(stage, "leap") != 0 && strcmp(stage, "newton") != 0) return;
  if (iteration == 1) {
    assert_true(path_count < PATHS);
    paths[path_count++] = (Path){.stage = stage, .part = part};
  }
  uint64_t bits;
  memcpy(&bits, &error, sizeof bits);
  Path* p = &paths[path_count - 1];
  ++p->length;
  p->sum = (p->sum ^ bits) * 0x9e3779b97f4a7c15u;
}

// From one point, with as many iterations, they go the same way: once is enough.
static void check_paths(const char* name, const ChProblem* p) {
  ChContext context = {0};
  ChSolveInfo info;
  ChSolveOptions o = ch_solve_options_default();
  o.time_limit = INFINITY;
  o.work_limit = 2e7;
  o.tolerance = 1e-13;
  o.history = note_path;
  path_count = 0;
  ch_solve(&context, p, &o, v, u, r, &info);
  for (int k = 0; k < path_count; ++k)
    for (int j = 0; j < k; ++j)
      if (paths[k].stage == paths[j].stage && paths[k].part == paths[j].part && paths[k].length == paths[j].length &&
          paths[k].sum == paths[j].sum)
        fail_msg("%s: %s goes the same %d iterations twice", name, paths[k].stage, paths[k].length);
}

static void no_path_is_taken_twice(void** state) {
  (void)state;
  for_each_case(300, check_paths);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tighter_tolerance_is_never_worse), cmocka_unit_test(nothing_ends_worse_than_it_began),
      cmocka_unit_test(work_limits_hold_within_a_tenth),
      cmocka_unit_test(auto_solves_what_a_member_solves_with_a_third), cmocka_unit_test(no_path_is_taken_twice)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(r), free(u), free(v), free(start);
  return failed;
}
