// Every registered method on every small generated problem: a new method is tested by being registered.
//
// Facts: no method says solved when it is not; `auto` solves every problem; in pose `relaxed`, whose velocity is always
// unique where W is symmetric, all methods agree; in pose `coulomb` all exact ones agree where the velocity is unique;
// `auto` rests where an equilibrium exists; what does not touch gets no reaction. Methods that take contacts in space
// over polygons only are given polygons there, and are compared with `auto` over the same polygons.
#include <cblas.h>
#include <string.h>

#include "problem/contact_problem.h"
#include "support/near.h"
#include "support/suite.h"
#include "support/trial.h"

enum { METHODS_MAX = 64 };

static const double TOLERANCE = 1e-8;
// A method other than auto may miss; it is not waited for long, so that the whole takes less than a minute.
static const double LIMIT = 0.08, AUTO_LIMIT = 60.0;

// Every shortcoming is named before the test fails, not only the first.
static int complaints;
#define COMPLAIN(...)         \
  do {                        \
    ++complaints;             \
    print_error(__VA_ARGS__); \
    print_error("\n");        \
  } while (0)

static void check_no_complaints(void) {
  const int count = complaints;
  complaints = 0;
  assert_int_equal(count, 0);
}

static bool is_auto(const ChMethodInfo* method) { return strcmp(method->name, "auto") == 0; }

static ChTrial try_method(const ChProblem* p, const ChMethodInfo* method, const char* inner, ChPose pose, int sides) {
  const ChTrialDef def = {.method = method->name,
                          .inner = inner,
                          .pose = pose,
                          .sides = sides,
                          .tolerance = TOLERANCE,
                          .time_limit = is_auto(method) ? AUTO_LIMIT : LIMIT};
  return ch_trial_run(p, &def);
}

static void check_honest(const char* problem, const ChMethodInfo* method, const char* inner, const ChTrial* trial) {
  if (trial->verdict != CH_VERDICT_LIE && trial->verdict != CH_VERDICT_CRASH) return;
  COMPLAIN("%s with %s/%s: %s (natural %g, siconos %g, cone %g, balance %g; %s)", problem, method->name,
           inner ? inner : "default", ch_verdict_word(trial->verdict), trial->certificate.natural,
           trial->certificate.siconos, trial->certificate.cone, trial->certificate.balance, trial->message);
}

static void check_agrees(const char* problem, const ChProblem* p, const ChMethodInfo* method, const ChTrial* first,
                         const ChTrial* trial) {
  const ChAgreement a = ch_trial_compare(p, first, trial);
  if (!(a.distance <= a.allowed))
    COMPLAIN("%s: %s differs in velocity from auto by %g, allowed %g", problem, method->name, a.distance, a.allowed);
}

// auto is run first: the others are compared with it.
static ChTrial try_auto(const char* problem, const ChProblem* p, ChPose pose, int sides) {
  const ChMethodInfo method = {.name = "auto", .exact = true};
  ChTrial trial = try_method(p, &method, NULL, pose, sides);
  if (trial.verdict != CH_VERDICT_SOLVED)
    COMPLAIN("auto %s %s in pose %d with %d sides: natural %g, siconos %g (%s)", ch_verdict_word(trial.verdict),
             problem, (int)pose, sides, trial.certificate.natural, trial.certificate.siconos, trial.message);
  return trial;
}

static void check_facts(const ChCase* item, const ChProblem* p, const ChTrial* trial) {
  if (item->facts & CH_FACT_EQUILIBRIUM) {
    // The convex problem that the portfolio tries first is met to 1e-8; half the digits reach the velocity at worst.
    const double motion = ch_trial_motion(p, trial);
    if (!(motion <= 1e-4)) COMPLAIN("%s: auto moves (%g) where an equilibrium exists", item->name, motion);
  }
  for (int i = 0; i < p->rows && item->facts & CH_FACT_APART; ++i)
    if (!(trial->r[i] == 0.0)) COMPLAIN("%s: row %d has reaction %g, must be 0", item->name, i, trial->r[i]);
}

static void try_all(const ChCase* item, const ChProblem* p, ChPose pose, int* solved, int* taken) {
  ChTrial smooth = try_auto(item->name, p, pose, 0), polygonal = try_auto(item->name, p, pose, CH_TRIAL_SIDES);
  if (pose == CH_POSE_COULOMB && smooth.verdict == CH_VERDICT_SOLVED) check_facts(item, p, &smooth);
  // Friction that depends on speed is not convex in any pose.
  const bool unique = p->curve_count == 0 && (pose == CH_POSE_COULOMB ? (item->facts & CH_FACT_UNIQUE) != 0
                                                                      : !(item->facts & CH_FACT_ASYMMETRIC));
  for (int k = 0; k < ch_method_count(); ++k) {
    const ChMethodInfo method = ch_method_info(k);
    if (is_auto(&method)) continue;
    const int sides = ch_trial_sides(p, &method);
    const ChTrial* first = sides ? &polygonal : &smooth;
    ChTrial trial = try_method(p, &method, NULL, pose, sides);
    check_honest(item->name, &method, NULL, &trial);
    if (trial.verdict == CH_VERDICT_SOLVED && unique && first->verdict == CH_VERDICT_SOLVED)
      check_agrees(item->name, p, &method, first, &trial);
    solved[k] += trial.verdict == CH_VERDICT_SOLVED;
    taken[k] += trial.verdict != CH_VERDICT_UNSUPPORTED;
    ch_trial_reset(&trial);
  }
  ch_trial_reset(&smooth);
  ch_trial_reset(&polygonal);
}

static void every_method_on_every_problem(ChPose pose, int* solved, int* taken) {
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    if (item->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    try_all(item, p, pose, solved, taken);
    ch_problem_destroy(p);
  }
}

// An exact method may miss problems within its short time, on a slow machine many; one that solves next to none is
// broken.
static void coulomb(void** state) {
  (void)state;
  int solved[METHODS_MAX] = {0}, taken[METHODS_MAX] = {0};
  every_method_on_every_problem(CH_POSE_COULOMB, solved, taken);
  for (int k = 0; k < ch_method_count(); ++k) {
    const ChMethodInfo method = ch_method_info(k);
    if (is_auto(&method)) continue;
    print_message("  coulomb  %-15s solved %d of %d\n", method.name, solved[k], taken[k]);
    if (method.exact && !method.local && 4 * solved[k] < taken[k])
      COMPLAIN("%s is exact by its own account and solved %d of %d", method.name, solved[k], taken[k]);
  }
  check_no_complaints();
}

static void relaxed(void** state) {
  (void)state;
  int solved[METHODS_MAX] = {0}, taken[METHODS_MAX] = {0};
  every_method_on_every_problem(CH_POSE_RELAXED, solved, taken);
  for (int k = 0; k < ch_method_count(); ++k) {
    const ChMethodInfo method = ch_method_info(k);
    if (is_auto(&method) || taken[k] == 0) continue;
    print_message("  relaxed  %-15s solved %d of %d\n", method.name, solved[k], taken[k]);
  }
  check_no_complaints();
}

// Pose frictionless: the velocity is unique for any symmetric W; only auto is asked.
static void frictionless(void** state) {
  (void)state;
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    if (item->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    ChTrial trial = try_auto(item->name, p, CH_POSE_FRICTIONLESS, 0);
    ch_trial_reset(&trial);
    ch_problem_destroy(p);
  }
  check_no_complaints();
}

// Every outer method with every inner solver on a few problems.
static void every_inner_solver(void** state) {
  (void)state;
  static const char* const names[] = {"rain-12", "tower-5", "disks-6", "beads-6", "skates-6", "door-2", "wheels-2"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
    ChContext context = {0};
    ChProblem* p = NULL;
    for (int i = 0; i < ch_case_count(); ++i)
      if (strcmp(ch_case_at(i)->name, names[n]) == 0) CHECK_OK(context, ch_case_generate(&context, ch_case_at(i), &p));
    assert_non_null(p);
    for (int k = 0; k < ch_method_count(); ++k)
      for (int j = 0; j < ch_method_count(); ++j) {
        const ChMethodInfo outer = ch_method_info(k), inner = ch_method_info(j);
        if (!outer.outer || !inner.inner) continue;
        const ChPose pose = outer.exact || outer.baseline ? CH_POSE_COULOMB : CH_POSE_RELAXED;
        ChTrial trial = try_method(p, &outer, inner.name, pose, ch_trial_sides(p, &inner));
        check_honest(names[n], &outer, inner.name, &trial);
        ch_trial_reset(&trial);
      }
    ch_problem_destroy(p);
  }
  check_no_complaints();
}

int main(void) {
  openblas_set_num_threads(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coulomb),
      cmocka_unit_test(relaxed),
      cmocka_unit_test(frictionless),
      cmocka_unit_test(every_inner_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
