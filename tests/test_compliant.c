// The law compliant: 0 <= r_n _|_ u_n + c r_n >= 0 with Coulomb's cone, which is Coulomb's law on W + C.
//
// Every statement of docs/theory/compliant.md that a machine can check.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/delassus.h"
#include "cardhouse/files.h"
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

// The same bodies, and contacts that yield.
static ChProblem* make(const char* family, const char* settings, ChForm form, double relative) {
  ChProblem* problem = ch_make(family, settings, form, 0);
  CHECK_OK(context, ch_problem_set_compliance(&context, problem, relative));
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

// Methods that share no code, in both forms, find what contact finds on the dense W + C.
static void every_method_solves_it(void** state) {
  (void)state;
  const double relative[] = {1e-2, 1.0, 100.0};
  for (int k = 0; k < SAMPLES; ++k)
    for (int m = 0; m < ch_method_count(); ++m) {
      const ChMethodInfo method = ch_method_info(m);
      const ChForm form = (k + m) % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL;
      if (!takes(&method)) continue;
      ChProblem* problem = make(samples[k].family, samples[k].settings, form, relative[(k + m) % 3]);
      ChProblem* dense = shifted(problem);
      const ChSolveOptions options = ch_options_for(method.name, CH_POSE_COULOMB, 1e-11);
      const ChStatus status = ch_solve(&context, problem, &options, a.v, a.u, a.r, &a.info);
      const ChStatus other = ch_solve(&context, dense, &options, b.v, b.u, b.r, &b.info);
      if (status == CH_OK && other == CH_OK) print_message("%.1e ", difference(a.u, b.u, problem->rows));
      print_message("%-12s %-9s %g %s %d %.1e | %d %.1e\n", method.name, samples[k].family, relative[(k + m) % 3],
                    form == CH_FORM_LOCAL ? "local" : "global", status, a.info.certificate.natural, other,
                    b.info.certificate.natural);
      ch_problem_destroy(problem);
      ch_problem_destroy(dense);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sinks_by_what_its_contact_yields),
      cmocka_unit_test(an_open_contact_stays_open),
      cmocka_unit_test(what_is_no_compliance_is_refused),
      cmocka_unit_test(without_compliance_every_method_has_the_bits_of_contact),
      cmocka_unit_test(the_certificate_is_that_of_contact_on_a_dense_sum),
      cmocka_unit_test(every_method_solves_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
