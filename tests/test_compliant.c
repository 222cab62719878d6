// The law compliant: 0 <= r_n _|_ u_n + c r_n >= 0 with Coulomb's cone, which is Coulomb's law on W + C.
//
// Every statement of docs/theory/compliant.md that a machine can check.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/delassus.h"
#include "cardhouse/files.h"
#include "cardhouse/friction_matrix.h"
#include "step/brake.h"
#include "step/push_apart.h"
#include "support/largest_w.h"
#include "support/random.h"
#include "support/small.h"
#include "support/solved.h"
#include "support/temporary.h"

static ChContext context;
static ChSolved a, b;

static bool same_bits(const double* x, const double* y, int n) {
  return n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

static double difference(const double* x, const double* y, int n) {
  double sum = 0.0, size = 0.0;
  for (int k = 0; k < n; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]), size += y[k] * y[k];
  return sqrt(sum / size);
}

// The same bodies, and contacts that yield: all along their normals, two of three along their tangents, too.
static ChProblem* make(const char* family, const char* settings, ChForm form, double relative) {
  ChProblem* problem = ch_make(family, settings, form, 0);
  CHECK_OK(context, ch_problem_set_compliance(&context, problem, relative));
  for (int i = 0; i < problem->block_count; ++i)
    if (i % 3 && problem->blocks[i].law == CH_LAW_COMPLIANT)
      problem->blocks[i].shear = (i % 3) * 0.4 * problem->blocks[i].compliance;
  return problem;
}

// The problem with W + C in place of W and rigid contacts: what the law is said to be.
static ChProblem* shifted(const ChProblem* problem) {
  ChProblem *local, *out;
  CHECK_OK(context, ch_problem_condense(&context, problem, &local));
  const int n = local->rows;
  double* W = calloc((size_t)n * (size_t)n, sizeof *W);
  ChBlock* blocks = malloc((size_t)local->block_count * sizeof *blocks);
  for (int j = 0; j < n; ++j)
    for (int k = local->W.start[j]; k < local->W.start[j + 1]; ++k) W[local->W.index[k] * n + j] += local->W.value[k];
  for (int i = 0; i < local->block_count; ++i) {
    blocks[i] = local->blocks[i];
    W[blocks[i].row * (n + 1)] += ch_block_compliance(&blocks[i]);
    for (int t = 1; t < blocks[i].dimension; ++t) W[(blocks[i].row + t) * (n + 1)] += ch_block_shear(&blocks[i]);
    if (ch_law_info(blocks[i].law)->friction) blocks[i].law = CH_LAW_CONTACT;
  }
  out = ch_small_local(local->dimension, local->block_count, blocks, W, local->w);
  ch_problem_destroy(local);
  free(blocks);
  free(W);
  return out;
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// A block of mass m on the ground, pressed with p and pushed along with f: m v_n = p' + r_n and v_n = -c r_n.
static void a_block_sinks_by_what_its_contact_yields(void** state) {
  (void)state;
  const double m = 2.0, W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}, mu = 0.5;
  for (int k = 0; k < 4; ++k) {
    const double c = k / m, push = k % 2 ? 0.1 : 3.0, q[3] = {-1.0, push, 0.0};
    const ChBlock block = {.law = CH_LAW_COMPLIANT, .dimension = 3, .mu = {mu, mu}, .compliance = c};
    ChProblem* problem = ch_small_local(3, 1, &block, W, q);
    const ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-12);
    ch_must_solve(problem, &options, &a);
    const double normal = 1.0 / (1.0 / m + c), stick = -m * push, slide = -mu * normal;
    CHECK_NEAR(a.r[0], normal, 1e-12);
    CHECK_NEAR(a.u[0], -c * normal, 1e-12);
    CHECK_NEAR(a.r[1], fmax(stick, slide), 1e-12);
    CHECK_AT_MOST(a.info.certificate.signorini, 1e-12);
    if (c == 0.0) CHECK_NEAR(a.info.certificate.rigid, a.info.certificate.natural, 0.0);
    if (c > 0.0) assert_true(a.info.certificate.rigid > 0.1);
    ch_problem_destroy(problem);
  }
}

// The same pushed along, on a contact that yields along its tangents alone: m v = push - r, v = c_t r up to mu r_n.
static void a_block_leans_on_what_its_tangent_yields(void** state) {
  (void)state;
  const double m = 2.0, W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}, mu = 0.5;
  for (int k = 1; k < 9; ++k) {
    const double c = k / m, push = k % 2 ? 0.1 : 3.0, q[3] = {-1.0, 0.6 * push, -0.8 * push};
    const ChBlock block = {.law = CH_LAW_COMPLIANT, .dimension = 3, .mu = {mu, mu}, .shear = c};
    ChProblem* problem = ch_small_local(3, 1, &block, W, q);
    const ChSolveOptions options = ch_options_for(k % 4 < 2 ? "auto" : "newton", CH_POSE_COULOMB, 1e-12);
    ch_must_solve(problem, &options, &a);
    const double load = fmin(push / (1.0 / m + c), mu * m);
    CHECK_NEAR(a.r[0], m, 1e-11);
    CHECK_NEAR(a.r[1], -0.6 * load, 1e-11);
    CHECK_NEAR(a.r[2], 0.8 * load, 1e-11);
    assert_true(a.info.certificate.rigid > 1e-3 || push > 1.0);
    ch_problem_destroy(problem);
  }
}

static void an_open_contact_stays_open(void** state) {
  (void)state;
  const double W[4] = {1.0, 0.0, 0.0, 1.0}, q[2] = {0.5, 1.0};
  const ChBlock block = {.law = CH_LAW_COMPLIANT, .dimension = 2, .mu = {0.3, 0.3}, .compliance = 7.0};
  ChProblem* problem = ch_small_local(2, 1, &block, W, q);
  const ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-12);
  ch_must_solve(problem, &options, &a);
  assert_true(a.r[0] == 0.0 && a.r[1] == 0.0 && a.info.certificate.rigid == 0.0);
  ch_problem_destroy(problem);
}

static void what_is_no_compliance_is_refused(void** state) {
  (void)state;
  const double bad[] = {NAN, -1e-300, -1.0, INFINITY, -INFINITY}, W[4] = {1, 0, 0, 1}, q[2] = {-1, 0};
  const ChBlock block = {.law = CH_LAW_COMPLIANT, .dimension = 2, .mu = {0.3, 0.3}, .compliance = 1.0};
  ChProblem* problem = ch_small_local(2, 1, &block, W, q);
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    ChBlock other = block;
    other.compliance = bad[k];
    assert_int_equal(ch_problem_set_block(&context, problem, 0, &other), CH_ERR_RANGE);
    assert_int_equal(ch_problem_set_compliance(&context, problem, bad[k]), CH_ERR_RANGE);
    assert_true(problem->blocks[0].compliance == 1.0);
    other = block;
    other.shear = bad[k];
    assert_int_equal(ch_problem_set_block(&context, problem, 0, &other), CH_ERR_RANGE);
  }
  ch_problem_destroy(problem);
}

// --- the law is Coulomb's on W + C -----------------------------------------------------------------------------------

// Families with spheres, boxes, joints, limits, elliptic friction, in the plane and in space, of both forms.
static const struct {
  const char *family, *settings;
} samples[] = {{"pile", "n=4 mu=0.3 noise=0.05"}, {"pyramid", "n=3 mu=0.4 noise=0.05"},
               {"wall", "n=3 noise=0.01"},        {"disks", "n=5 mu=0.4 noise=0.05"},
               {"cards", "n=2 mu=0.6"},           {"skates", "n=3"},
               {"door", "n=2 mu=0.5 noise=0.1"},  {"wheels", "n=1 noise=0.1"}};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static bool takes(const ChMethodInfo* method) { return method->exact && !method->polygons; }

// Bit for bit: nothing is added where there is nothing to add.
static void without_compliance_every_method_has_the_bits_of_contact(void** state) {
  (void)state;
  for (int k = 0; k < SAMPLES; ++k)
    for (int m = 0; m < ch_method_count(); ++m) {
      const ChMethodInfo method = ch_method_info(m);
      const ChForm form = (k + m) % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL;
      if (!takes(&method)) continue;
      ChProblem* rigid = ch_make(samples[k].family, samples[k].settings, form, 0);
      ChProblem* soft = make(samples[k].family, samples[k].settings, form, 0.0);
      ChSolveOptions options = ch_options_for(method.name, CH_POSE_COULOMB, 1e-8);
      options.max_iterations = 60;
      const ChStatus one = ch_solve(&context, rigid, &options, a.v, a.u, a.r, &a.info);
      const ChStatus two = ch_solve(&context, soft, &options, b.v, b.u, b.r, &b.info);
      assert_int_equal(one, two);
      if (one <= CH_MAX_TIME) {
        assert_true(same_bits(a.r, b.r, rigid->rows));
        assert_true(same_bits(a.u, b.u, rigid->rows));
        assert_true(a.info.certificate.natural == b.info.certificate.natural);
        assert_true(b.info.certificate.rigid == b.info.certificate.natural);
      }
      ch_problem_destroy(rigid);
      ch_problem_destroy(soft);
    }
}

// The certificate of any r is that of the rigid law on W + C, and `rigid` is that on W.
static void the_certificate_is_that_of_contact_on_a_dense_sum(void** state) {
  (void)state;
  for (int k = 0; k < SAMPLES; ++k) {
    ChProblem* problem = make(samples[k].family, samples[k].settings, CH_FORM_GLOBAL, 0.3);
    ChProblem *dense = shifted(problem), *rigid = ch_make(samples[k].family, samples[k].settings, CH_FORM_GLOBAL, 0);
    ChCertificate one, two, three;
    for (int row = 0; row < problem->rows; ++row) a.r[row] = sin(row * row) * 1e-3;
    CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, a.r, NULL, &one));
    CHECK_OK(context, ch_certify(&context, dense, CH_POSE_COULOMB, a.r, NULL, &two));
    CHECK_OK(context, ch_certify(&context, rigid, CH_POSE_COULOMB, a.r, NULL, &three));
    CHECK_NEAR(one.natural / two.natural, 1.0, 1e-11);
    CHECK_NEAR(one.siconos / two.siconos, 1.0, 1e-9);  // relative to |u|, which is not the same u
    CHECK_NEAR(one.signorini / two.signorini, 1.0, 1e-11);
    CHECK_NEAR(one.rigid / three.natural, 1.0, 1e-11);
    ch_problem_destroy(problem);
    ch_problem_destroy(dense);
    ch_problem_destroy(rigid);
  }
}

// Methods that share no code, in both forms, with W and without, find what newton finds on the dense W + C.
static void every_method_solves_it(void** state) {
  (void)state;
  const double relative[] = {1e-2, 1.0, 100.0};
  for (int k = 0; k < SAMPLES; ++k)
    for (int m = 0; m < ch_method_count(); ++m) {
      const ChMethodInfo method = ch_method_info(m);
      const ChForm form = (k + m) % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL;
      if (!method.exact) continue;
      ChProblem* problem = make(samples[k].family, samples[k].settings, form, relative[(k + m) % 3]);
      if (method.polygons) CHECK_OK(context, ch_problem_set_polygon(&context, problem, 8, false));
      ChProblem* dense = shifted(problem);
      ChSolveOptions options = ch_options_for(method.name, CH_POSE_COULOMB, 1e-9);
      options.time_limit = method.polygons ? 0.3 : 20.0;
      large = m % 2 == 0;
      a.status = ch_solve(&context, problem, &options, a.v, a.u, a.r, &a.info);
      large = false;
      if (a.status == CH_OK) {
        ChCertificate grade;
        CHECK_OK(context, ch_certify(&context, dense, CH_POSE_COULOMB, a.r, NULL, &grade));
        CHECK_AT_MOST(grade.natural, 1.1e-9);
      } else if (a.status != CH_ERR_UNSUPPORTED && !method.polygons) {  // what misses misses on W + C, too
        b.status = ch_solve(&context, dense, &options, b.v, b.u, b.r, &b.info);
        // The last digits are the compiler's; the interior point stalls at some 1e-7 (ipm.md).
        bool close = a.info.certificate.natural <= (strcmp(method.name, "ipm") == 0 ? 1e-7 : 1e-8);
        if (b.status == CH_OK && !close)
          fail_msg("%s on %s: %g", method.name, samples[k].family, a.info.certificate.natural);
      }
      ch_problem_destroy(problem);
      ch_problem_destroy(dense);
    }
}

// Where the answer is unique, sweeps, splitting, Newton and interior points agree on it.
static void methods_that_share_no_code_agree(void** state) {
  (void)state;
  const char* const methods[] = {"nsgs", "ansgs", "newton", "admm"};
  for (int k = 0; k < SAMPLES; ++k)
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
      ChProblem* problem = make(samples[k].family, samples[k].settings, m % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL, 10.0);
      const ChSolveOptions options = ch_options_for(methods[m], CH_POSE_COULOMB, 1e-13);
      ch_run_solve(problem, &options, m == 0 ? &b : &a);
      ch_problem_add_compliance(problem, m == 0 ? b.r : a.r, m == 0 ? b.u : a.u);
      if (m > 0) CHECK_AT_MOST(difference(a.u, b.u, problem->rows), 1e-10);
      ch_problem_destroy(problem);
    }
}

// The relaxed pose is a convex programme on W + C: its own methods take it.
static void the_relaxed_pose_is_that_of_the_sum(void** state) {
  (void)state;
  const char* const methods[] = {"apgd", "ipm", "nsgs", "newton", "admm"};
  for (int k = 0; k < SAMPLES; ++k)
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
      ChProblem* problem = make(samples[k].family, samples[k].settings, m % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL, 0.1);
      ChProblem* dense = shifted(problem);
      const ChSolveOptions options = ch_options_for(methods[m], CH_POSE_RELAXED, 1e-6);  // rounding ends ipm near 1e-7
      ChCertificate grade;
      ch_must_solve(problem, &options, &a);
      CHECK_OK(context, ch_certify(&context, dense, CH_POSE_RELAXED, a.r, NULL, &grade));
      CHECK_AT_MOST(grade.natural, 1.1e-6);
      ch_problem_destroy(problem);
      ch_problem_destroy(dense);
    }
}

// Of all entries, or of the diagonal.
static double sum_of(const ChMixedProblem* mixed, bool diagonal) {
  double sum = 0.0;
  for (int j = 0; j < mixed->n; ++j)
    for (int k = mixed->A.start[j]; k < mixed->A.start[j + 1]; ++k)
      if (!diagonal || mixed->A.index[k] == j) sum += mixed->A.value[k];
  return sum;
}

// The mixed complementarity problem has c on the diagonal of its normals, and c_t d_i . d_j between directions of
// friction, which come in pairs of opposites: they add nothing to the sum of all.
static void the_mixed_problem_has_c_on_its_diagonal(void** state) {
  (void)state;
  for (int k = 0; k < SAMPLES; ++k) {
    ChProblem* problem = make(samples[k].family, samples[k].settings, CH_FORM_GLOBAL, 0.5);
    ChMixedProblem soft, rigid;
    double sum = 0.0, shear = 0.0;
    bool round = true;  // directions are of length 1
    CHECK_OK(context, ch_problem_set_polygon(&context, problem, 4, false));
    CHECK_OK(context, ch_mixed_problem_build(&context, problem, &soft));
    for (int i = 0; i < problem->block_count; ++i) {
      sum += ch_block_compliance(&problem->blocks[i]);
      shear += 2.0 * (problem->blocks[i].dimension - 1) * ch_block_shear(&problem->blocks[i]);
      problem->blocks[i].shear = 0.0;
      round = round && problem->blocks[i].mu[0] == problem->blocks[i].mu[1];
    }
    assert_true(shear > 0.0 || !round);
    CHECK_OK(context, ch_problem_set_compliance(&context, problem, 0.0));
    CHECK_OK(context, ch_mixed_problem_build(&context, problem, &rigid));
    CHECK_NEAR(sum_of(&soft, false) - sum_of(&rigid, false), sum, 1e-9 * sum);
    if (round) CHECK_NEAR(sum_of(&soft, true) - sum_of(&rigid, true), sum + shear, 1e-9 * sum);
    ch_mixed_problem_free(&soft);
    ch_mixed_problem_free(&rigid);
    ch_problem_destroy(problem);
  }
}

// --- few bodies of many degrees of freedom, as deformable ones are ---------------------------------------------------

enum { WIDE_BODIES = 2, WIDE_DOFS = 20, WIDE_CONTACTS = 30 };

static ChProblem* make_wide(void) {
  enum { DOF = WIDE_BODIES * WIDE_DOFS, ROWS = 3 * WIDE_CONTACTS };
  static int at[DOF], row[DOF * ROWS], column[DOF * ROWS], body[DOF];
  static double mass[DOF], value[DOF * ROWS], f[DOF], w[ROWS];
  static ChBlock blocks[WIDE_CONTACTS];
  ChRandom random = ch_random_seeded(5);
  ChProblem* problem;
  for (int j = 0; j < DOF; ++j)
    at[j] = j, mass[j] = ch_random_uniform(&random, 0.5, 2.0), body[j] = j / WIDE_DOFS,
    f[j] = ch_random_normal(&random);
  for (int k = 0; k < DOF * ROWS; ++k)
    row[k] = k / ROWS, column[k] = k % ROWS, value[k] = ch_random_normal(&random) / WIDE_DOFS;
  for (int k = 0; k < ROWS; ++k) w[k] = 0.1 * ch_random_normal(&random);
  for (int i = 0; i < WIDE_CONTACTS; ++i)
    blocks[i] = (ChBlock){.law = CH_LAW_COMPLIANT,
                          .dimension = 3,
                          .mu = {0.4, 0.4},
                          .compliance = 0.02 * i,
                          .shear = i % 3 ? 0.03 * i : 0.0};
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = 3,
                            .block_count = WIDE_CONTACTS,
                            .blocks = blocks,
                            .M = {DOF, DOF, DOF, at, at, mass},
                            .H = {DOF, ROWS, DOF * ROWS, row, column, value},
                            .f = f,
                            .w = w,
                            .body = body};
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  return problem;
}

static void wide_bodies_have_it_too(void** state) {
  (void)state;
  const char* const methods[] = {"auto", "newton", "leap", "working-set", "ipm",      "admm",
                                 "nsgs", "ansgs",  "walk", "seeded",      "condense", "trek"};
  ChProblem *problem = make_wide(), *dense = shifted(problem);
  for (size_t m = 0; m < 2 * sizeof methods / sizeof methods[0]; ++m) {
    const ChSolveOptions options = ch_options_for(methods[m / 2], CH_POSE_COULOMB, 1e-7);
    ChCertificate grade;
    large = m % 2 && strcmp(methods[m / 2], "walk") != 0;
    ch_must_solve(problem, &options, &a);
    large = false;
    CHECK_OK(context, ch_certify(&context, dense, CH_POSE_COULOMB, a.r, NULL, &grade));
    CHECK_AT_MOST(grade.natural, 1.1e-7);
  }
  ch_problem_destroy(problem);
  ch_problem_destroy(dense);
}

// --- what the law tends to -------------------------------------------------------------------------------------------

// r(c) - r(0) = O(c) where the rigid answer is unique: three spheres' contacts on a block, here disks in a pile of
// three.
static void it_tends_to_the_rigid_law_in_proportion_to_c(void** state) {
  (void)state;
  for (int form = 0; form < 2; ++form) {
    ChProblem* rigid = ch_make("pile", "n=3 mu=0.3 noise=0.3", (ChForm)form, 0);
    const ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-13);
    double last = NAN;
    ch_run_solve(rigid, &options, &b);
    for (double relative = 1e-3; relative > 1e-7; relative *= 0.1) {
      ChProblem* soft = make("pile", "n=3 mu=0.3 noise=0.3", (ChForm)form, relative);
      ch_run_solve(soft, &options, &a);
      const double off = difference(a.u, b.u, soft->rows);
      if (!isnan(last)) CHECK_NEAR(last / off, 10.0, 0.5);
      last = off;
      CHECK_AT_MOST(a.info.certificate.rigid, 10.0 * relative);
      ch_problem_destroy(soft);
    }
    ch_problem_destroy(rigid);
  }
}

// --- the safe end of a step ------------------------------------------------------------------------------------------

// A step that runs out of time is pushed apart, or braked, as far as its contacts ask and not as if they were rigid.
static void a_step_that_misses_ends_in_its_own_law(void** state) {
  (void)state;
  ChProblem* problem = make("pile", "n=4 mu=0.3 noise=0.05", CH_FORM_GLOBAL, 0.5);
  ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-10);
  ChCertificate grade;
  memset(a.r, 0, sizeof a.r);
  CHECK_OK(context, ch_push_apart(&context, problem, &options, a.r));
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_FRICTIONLESS, a.r, NULL, &grade));
  CHECK_AT_MOST(grade.natural, 1e-9);
  const ChBrake brake = {.problem = problem, .pose = CH_POSE_FRICTIONLESS};
  memset(a.r, 0, sizeof a.r);
  a.info.certificate.natural = NAN;
  CHECK_OK(context, ch_brake(&context, &brake, a.v, a.u, a.r, &a.info));
  CHECK_AT_MOST(a.info.certificate.natural, 1e-3);
  ch_problem_destroy(problem);
}

// --- files -----------------------------------------------------------------------------------------------------------

// Contacts of both laws, mixed with joints: what comes back is what went out, and others see the rigid contacts.
static void files_keep_compliant_contacts_among_the_contacts(void** state) {
  (void)state;
  for (int form = 0; form < 2; ++form) {
    ChProblem *back, *problem = ch_make("door", "n=2 mu=0.5", (ChForm)form, 0);
    for (int i = 0; i < problem->block_count; i += 2) {
      if (!ch_law_info(problem->blocks[i].law)->friction) continue;
      problem->blocks[i].law = CH_LAW_COMPLIANT;
      problem->blocks[i].compliance = 0.1 * i;
      problem->blocks[i].shear = 0.2 * i * form;  // all zero: files leave it out
    }
    const char* path = ch_temporary_path("compliant.hdf5");
    const ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-8);
    ch_must_solve(problem, &options, &a);
    CHECK_OK(context, ch_solution_write(&context, path, problem, a.v, a.u, a.r));
    CHECK_OK(context, ch_problem_read(&context, path, &back));
    assert_true(ch_same_blocks(problem, back));
    CHECK_OK(context, ch_reaction_read(&context, path, back, b.r));
    assert_true(same_bits(a.r, b.r, problem->rows));
    ch_problem_destroy(problem);
    ch_problem_destroy(back);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sinks_by_what_its_contact_yields),
      cmocka_unit_test(a_block_leans_on_what_its_tangent_yields),
      cmocka_unit_test(an_open_contact_stays_open),
      cmocka_unit_test(what_is_no_compliance_is_refused),
      cmocka_unit_test(without_compliance_every_method_has_the_bits_of_contact),
      cmocka_unit_test(the_certificate_is_that_of_contact_on_a_dense_sum),
      cmocka_unit_test(every_method_solves_it),
      cmocka_unit_test(methods_that_share_no_code_agree),
      cmocka_unit_test(the_relaxed_pose_is_that_of_the_sum),
      cmocka_unit_test(the_mixed_problem_has_c_on_its_diagonal),
      cmocka_unit_test(wide_bodies_have_it_too),
      cmocka_unit_test(it_tends_to_the_rigid_law_in_proportion_to_c),
      cmocka_unit_test(a_step_that_misses_ends_in_its_own_law),
      cmocka_unit_test(files_keep_compliant_contacts_among_the_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
