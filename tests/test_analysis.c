// Facts about ch_problem_analyze, from problems small enough to know by heart.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
//
#include <cmocka.h>

#include "base/arena.h"
#include "cardhouse/analysis.h"

// A local problem of `contacts` contacts in space with W = J J^T, J given by rows of `columns` entries.
static ChProblem* local_from_factor(int contacts, int columns, const double* J, double mu, double skew) {
  enum { MOST = 12 };
  int row[MOST * MOST], column[MOST * MOST], rows = 3 * contacts;
  double value[MOST * MOST], q[MOST];
  ChBlock blocks[MOST];
  long count = 0;
  for (int i = 0; i < rows; ++i) {
    q[i] = i % 3 == 0 ? -2.0 : 0.0;
    for (int j = 0; j < rows; ++j) {
      double sum = i < j ? skew : i > j ? -skew : 0.0;
      for (int k = 0; k < columns; ++k) sum += J[i * columns + k] * J[j * columns + k];
      if (sum == 0.0) continue;
      row[count] = i;
      column[count] = j;
      value[count++] = sum;
    }
  }
  for (int i = 0; i < contacts; ++i)
    blocks[i] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu, mu + 0.1 * i}};
  ChProblemDef def = {.form = CH_FORM_LOCAL,
                      .dimension = 3,
                      .block_count = contacts,
                      .blocks = blocks,
                      .W = {rows, rows, count, row, column, value},
                      .w = q};
  ChContext context = {0};
  ChProblem* problem = NULL;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_OK);
  return problem;
}

static ChAnalysis analysis_of(const ChProblem* problem) {
  ChContext context = {0};
  ChAnalysis analysis;
  assert_int_equal(ch_problem_analyze(&context, problem, &analysis), CH_OK);
  return analysis;
}

// Two contacts on one particle of mass 1 in the same place: each row twice, so three of six reactions are redundant.
static void doubled_contact_is_redundant(void** state) {
  (void)state;
  const double J[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  ChProblem* problem = local_from_factor(2, 3, J, 0.5, 0.0);
  ChAnalysis a = analysis_of(problem);
  assert_true(a.rank_known);
  assert_int_equal(a.rank, 3);
  assert_int_equal(a.redundant, 3);
  assert_int_equal(a.components, 1);
  assert_true(fabs(a.sigma_highest - 2.0) < 1e-14 && fabs(a.sigma_lowest - 2.0) < 1e-14);  // eigenvalues of [1 1; 1 1]
  assert_true(a.trace_lowest == 3.0 && a.rho_highest == 1.0);
  assert_true(a.mu_lowest == 0.5 && a.mu_highest == 0.6);
  assert_int_equal(a.elliptic, 1);
  assert_true(fabs(a.q_norm - sqrt(8.0)) < 1e-15 && a.q_highest == 2.0);
  assert_true(a.at_zero.natural == 1.0);  // doing nothing scores one by definition
  ch_problem_destroy(problem);
}

// The same two contacts on two particles of mass 1 and 1/4.
static void separate_particles_are_separate_parts(void** state) {
  (void)state;
  const double J[36] = {[0] = 1, [7] = 1, [14] = 1, [21] = 2, [28] = 2, [35] = 2};
  ChProblem* problem = local_from_factor(2, 6, J, 0.5, 0.0);
  ChAnalysis a = analysis_of(problem);
  assert_int_equal(a.components, 2);
  assert_int_equal(a.largest_rows, 3);
  assert_int_equal(a.rank, 6);
  assert_int_equal(a.redundant, 0);
  assert_true(a.trace_lowest == 3.0 && a.trace_highest == 12.0);
  assert_true(a.rho_lowest == 0.25 && a.rho_highest == 1.0);
  ch_problem_destroy(problem);
}

static void unsymmetric_matrix_is_flagged(void** state) {
  (void)state;
  const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  ChProblem* problem = local_from_factor(1, 3, J, 0.5, 0.25);
  ChAnalysis a = analysis_of(problem);
  assert_true(fabs(a.asymmetry - 0.5) < 1e-15);
  assert_int_equal(a.rank, 3);
  assert_true(fabs(a.sigma_lowest - 1.0) < 1e-14);  // I + skew: the axis of the skew part keeps its length
  ch_problem_destroy(problem);
}

// Two particles of mass 2 and 5; one contact on each, a third contact between fixed bodies.
static ChProblem* two_particles(double mass) {
  int diagonal[6] = {0, 1, 2, 3, 4, 5};
  double masses[6] = {mass, mass, mass, 5, 5, 5}, ones[6] = {1, 1, 1, 1, 1, 1};
  double f[6] = {-2 * mass, 0, 0, -10, 0, 0}, w[9] = {0};
  ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.3, 0.3}};
  ChBlock blocks[3] = {contact, contact, contact};
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = 3,
                      .block_count = 3,
                      .blocks = blocks,
                      .M = {6, 6, 6, diagonal, diagonal, masses},
                      .H = {6, 9, 6, diagonal, diagonal, ones},
                      .f = f,
                      .w = w};
  ChContext context = {0};
  ChProblem* problem = NULL;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_OK);
  return problem;
}

static void global_form_is_seen_through_its_bodies(void** state) {
  (void)state;
  ChProblem* problem = two_particles(2.0);
  ChAnalysis a = analysis_of(problem);
  assert_int_equal(a.components, 3);
  assert_int_equal(a.idle, 1);
  assert_int_equal(a.rank, 6);
  assert_int_equal(a.redundant, 3);
  assert_true(fabs(a.trace_lowest - 0.6) < 1e-15 && fabs(a.trace_highest - 1.5) < 1e-15);
  assert_true(fabs(a.q_highest - 2.0) < 1e-15);
  assert_int_equal(a.elliptic, 0);
  ch_problem_destroy(problem);
}

static void running_out_of_memory_is_reported(void** state) {
  (void)state;
  ChProblem* problem = two_particles(2.0);
  ChStatus status = CH_ERR_MEMORY;
  for (long n = 1; status == CH_ERR_MEMORY && n < 1000; ++n) {
    ChContext context = {0};
    ChAnalysis analysis;
    ch_arena_fail_after(n);
    status = ch_problem_analyze(&context, problem, &analysis);
    assert_true(status == CH_OK || (status == CH_ERR_MEMORY && context.message[0]));
  }
  ch_arena_fail_after(0);
  assert_int_equal(status, CH_OK);
  ch_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubled_contact_is_redundant),      cmocka_unit_test(separate_particles_are_separate_parts),
      cmocka_unit_test(unsymmetric_matrix_is_flagged),     cmocka_unit_test(global_form_is_seen_through_its_bodies),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
