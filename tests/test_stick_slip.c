// Friction that depends on the speed of slip, problem by problem: one contact against its closed form, the certificate
// against hand-made answers, generated problems, and small ones with every pattern of sticking and slipping tried.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/files.h"
#include "cardhouse/solve.h"
#include "problem/contact_problem.h"
#include "support/families.h"
#include "support/near.h"
#include "support/random.h"
#include "support/temporary.h"

static ChContext context;

static const ChFrictionCurve static_dynamic = {.count = 1, .share = {2.0 / 3.0}};

// One contact with W = 1, pressed with 1 and pulled with `pull`.
static ChProblem* one_contact(int space, double mu, const ChFrictionCurve* curve, double pull) {
  const int index[3] = {0, 1, 2};
  const double ones[3] = {1.0, 1.0, 1.0}, q[3] = {-1.0, pull, 0.0};
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = space, .mu = {mu, mu}, .curve = 1};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = space,
                            .block_count = 1,
                            .blocks = &block,
                            .W = {space, space, space, index, index, ones},
                            .w = q,
                            .curve_count = 1,
                            .curves = curve};
  ChProblem* problem;
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  return problem;
}

static ChSolveInfo solve(const ChProblem* problem, const char* method, double* u, double* r) {
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.method = method;
  CHECK_OK(context, ch_solve(&context, problem, &options, NULL, u, r, &info));
  assert_true(ch_certificate_met(&info.certificate, options.tolerance));
  return info;
}

// r_n = 1. Up to the static limit it holds what pulls; beyond, mu(s) with s = pull - mu(s).
static void one_contact_sticks_or_slips_by_its_curve(void** state) {
  (void)state;
  const char* const methods[] = {"auto", "nsgs", "newton", "admm", "ipm"};
  const ChFrictionCurve stribeck = {.count = 3, .speed = {0.0, 0.1, 0.5}, .share = {1.0, 0.5, 0.75}};
  for (int m = 0; m < 5; ++m)
    for (int space = 2; space <= 3; ++space)
      for (double pull = 0.05; pull < 2.0; pull += 0.1) {
        double u[3] = {0.0}, r[3] = {0.0};
        ChBranch branch;
        ChProblem* problem = one_contact(space, 0.6, &static_dynamic, pull);
        solve(problem, methods[m], u, r);
        CHECK_NEAR(r[1], pull <= 0.6 ? -pull : -0.4, 1e-7);
        CHECK_OK(context, ch_problem_branches(&context, problem, r, u, &branch));
        assert_int_equal(branch, pull <= 0.6 ? CH_BRANCH_STICK : CH_BRANCH_SLIP);
        ch_problem_destroy(problem);
        problem = one_contact(space, 0.8, &stribeck, pull);
        solve(problem, methods[m], u, r);
        CHECK_NEAR(r[1] + pull, u[1], 1e-7);
        CHECK_NEAR(r[1], pull <= 0.8 ? -pull : -0.8 * ch_friction_share(&stribeck, u[1]), 1e-7);
        ch_problem_destroy(problem);
      }
}

// An answer of the other branch does not pass: slipping with mu of what sticks, sticking with more than that.
static void the_certificate_takes_no_other_coefficient(void** state) {
  (void)state;
  ChCertificate grade;
  ChProblem* problem = one_contact(3, 0.6, &static_dynamic, 1.0);
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, (double[]){1.0, -0.4, 0.0}, NULL, &grade));
  CHECK_AT_MOST(grade.natural, 1e-15);
  assert_true(grade.cone == 0.0);
  CHECK_AT_MOST(grade.dissipation, 1e-15);
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, (double[]){1.0, -0.6, 0.0}, NULL, &grade));
  assert_true(grade.natural > 0.1 && grade.siconos > 0.1 && !(grade.cone > 0.0));
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, (double[]){1.0, -1.0, 0.0}, NULL, &grade));
  assert_true(grade.natural > 0.1 && grade.cone > 0.1);
  ch_problem_destroy(problem);
}

static void a_share_of_one_is_coulombs_law(void** state) {
  (void)state;
  const ChFrictionCurve flat = {.count = 2, .speed = {0.0, 1.0}, .share = {1.0, 1.0}};
  for (double pull = 0.05; pull < 2.0; pull += 0.1) {
    double u[2][3], r[2][3];
    ChProblem* with = one_contact(3, 0.6, &flat, pull);
    ChProblem* without = one_contact(3, 0.6, &flat, pull);
    without->blocks[0].curve = without->curve_count = 0;
    solve(with, "nsgs", u[0], r[0]);
    solve(without, "nsgs", u[1], r[1]);
    CHECK_NEAR(r[0][1], r[1][1], 1e-8);
    ch_problem_destroy(with);
    ch_problem_destroy(without);
  }
}

static void what_is_no_curve_is_refused(void** state) {
  (void)state;
  const ChFrictionCurve wrong[] = {{.count = 0},
                                   {.count = 17},
                                   {.count = 1, .speed = {1.0}, .share = {0.5}},
                                   {.count = 1, .share = {1.5}},
                                   {.count = 1, .share = {-0.5}},
                                   {.count = 1, .share = {NAN}},
                                   {.count = 2, .speed = {0.0, 0.0}, .share = {1.0, 0.5}},
                                   {.count = 2, .speed = {0.0, NAN}, .share = {1.0, 0.5}},
                                   {.count = 2, .speed = {0.0, INFINITY}, .share = {1.0, 0.5}}};
  const double q[3] = {0.0};
  for (int k = 0; k < (int)(sizeof wrong / sizeof *wrong); ++k) {
    const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}, .curve = 1};
    ChProblemDef def = {.form = CH_FORM_LOCAL,
                        .dimension = 3,
                        .block_count = 1,
                        .blocks = &block,
                        .W = {.rows = 3, .columns = 3},
                        .w = q,
                        .curve_count = 1,
                        .curves = &wrong[k]};
    ChProblem* problem;
    assert_int_not_equal(ch_problem_build(&context, &def, &problem), CH_OK);
    assert_true(strstr(context.message, "curve 1") != NULL);
    def.curve_count = 0;
    assert_int_equal(ch_problem_build(&context, &def, &problem), CH_ERR_RANGE);
  }
}

static void files_keep_curves(void** state) {
  (void)state;
  const ChFrictionCurve curve[2] = {static_dynamic, {.count = 3, .speed = {0.0, 0.1, 0.5}, .share = {1.0, 0.5, 0.75}}};
  const int index[6] = {0, 1, 2, 3, 4, 5};
  const double ones[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, q[6] = {0.0};
  const ChBlock block[2] = {{.law = CH_LAW_COMPLIANT, .dimension = 3, .mu = {0.5, 0.5}, .curve = 2},
                            {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}, .curve = 1}};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 3,
                            .block_count = 2,
                            .blocks = block,
                            .W = {6, 6, 6, index, index, ones},
                            .w = q,
                            .curve_count = 2,
                            .curves = curve};
  ChProblem *problem, *back;
  const char* path = ch_temporary_path("curves.hdf5");
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  CHECK_OK(context, ch_problem_write(&context, path, problem));
  CHECK_OK(context, ch_problem_read(&context, path, &back));
  assert_true(ch_same_problem(problem, back));
  assert_int_equal(back->curve_count, 2);
  assert_memory_equal(back->curves, problem->curves, 2 * sizeof *problem->curves);
  ch_problem_destroy(problem);
  ch_problem_destroy(back);
}

// --- generated problems ----------------------------------------------------------------------------------------------

typedef struct Generated {
  const char* family;
  double least, most;  // of n
} Generated;

// 5 to 500 contacts: what rests, what slides, what strikes.
static const Generated generated[] = {{"pile", 3, 12},  {"pyramid", 2, 5}, {"rain", 5, 200},
                                      {"tower", 2, 12}, {"wall", 2, 4},    {"disks", 3, 13},
                                      {"cards", 1, 4},  {"chain", 5, 12},  {"incline", 2, 9}};

// Static over dynamic, a curve that falls, one that falls and rises, one that rises.
enum { KINDS = 4 };
static ChFrictionCurve draw_curve(ChRandom* random, int kind) {
  const double low = ch_random_uniform(random, 0.2, 0.95), v = pow(10.0, ch_random_uniform(random, -3.0, 0.0));
  if (kind == 0) return (ChFrictionCurve){.count = 1, .share = {low}};
  if (kind == 1)
    return (ChFrictionCurve){.count = 3, .speed = {0.0, v, 10.0 * v}, .share = {1.0, 0.5 + 0.5 * low, low}};
  if (kind == 2) return (ChFrictionCurve){.count = 3, .speed = {0.0, v, 100.0 * v}, .share = {0.95, low, 1.3}};
  return (ChFrictionCurve){.count = 2, .speed = {0.0, v}, .share = {1.0, 1.0 + low}};
}

static ChProblem* generate(ChRandom* random, int index, int kind) {
  const Generated* g = &generated[index % (int)(sizeof generated / sizeof *generated)];
  const double speeds[] = {0.0, 0.3, 3.0};
  const ChFamily* family = ch_family_find(g->family);
  ChRecipe recipe = ch_recipe_default(family);
  ChProblem* problem;
  recipe.n = floor(ch_random_uniform(random, g->least, g->most + 1.0));
  recipe.mu = ch_random_uniform(random, 0.1, 1.0);
  recipe.angle = strcmp(g->family, "incline") == 0 ? ch_random_uniform(random, 5.0, 50.0) : recipe.angle;
  recipe.noise = speeds[ch_random_bits(random) % 3];
  recipe.seed = index + 1;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &problem));
  const ChFrictionCurve curve = draw_curve(random, kind);
  ch_problem_set_curves(problem, 1, &curve);
  for (int i = 0; i < problem->block_count; ++i)
    if (ch_law_info(problem->blocks[i].law)->friction) problem->blocks[i].curve = 1;
  return problem;
}

enum { PROBLEMS = 14, MOST_SIZE = 20000 };

// A part of those that docs/theory/stick_slip.md tells of; CH_STICK_SLIP_PROBLEMS asks for more, and says how each did.
static void auto_solves_what_is_generated(void** state) {
  (void)state;
  static double u[MOST_SIZE], v[MOST_SIZE], r[MOST_SIZE];
  const char* asked = getenv("CH_STICK_SLIP_PROBLEMS");
  const int problems = asked ? atoi(asked) : PROBLEMS;
  for (int kind = 0; kind < KINDS; ++kind) {
    ChRandom random = ch_random_seeded(71 + kind);
    for (int k = 0; k < problems; ++k) {
      ChProblem* problem = generate(&random, k, kind);
      ChSolveOptions options = ch_solve_options_default();
      ChSolveInfo info;
      options.work_limit = 0.0;
      assert_true(problem->rows <= MOST_SIZE && problem->dof <= MOST_SIZE);
      const ChStatus status = ch_solve(&context, problem, &options, v, u, r, &info);
      if (asked)
        printf("kind %d problem %d: %s, %d blocks, natural %.2e, %s, %.2g s, work %.2e\n", kind, k,
               ch_status_text(status), problem->block_count, info.certificate.natural, info.note,
               info.seconds_setup + info.seconds_solve, info.work);
      else if (!ch_certificate_met(&info.certificate, options.tolerance))
        fail_msg("kind %d, problem %d: natural is %g, %s", kind, k, info.certificate.natural, info.note);
      ch_problem_destroy(problem);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_sticks_or_slips_by_its_curve),
      cmocka_unit_test(the_certificate_takes_no_other_coefficient),
      cmocka_unit_test(a_share_of_one_is_coulombs_law),
      cmocka_unit_test(what_is_no_curve_is_refused),
      cmocka_unit_test(files_keep_curves),
      cmocka_unit_test(auto_solves_what_is_generated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
