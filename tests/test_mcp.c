// Facts about the trust region on a box and about mixed complementarity problems solved through it (K1 .. K17).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
//
#include <cmocka.h>

#include "mcp/entries.h"
#include "mcp/grasp.h"
#include "mcp/mcp_kind.h"
#include "solve/lcp/complementarity.h"
#include "solve/qp/box_trust_region.h"

static int set_up(void** state) {
  *state = ch_arena_create(NULL);
  return *state == NULL;
}

static int tear_down(void** state) {
  ch_arena_destroy(*state);
  return 0;
}

static unsigned long long random_state;
static double uniform(void) {
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(random_state >> 11) / 4503599627370496.0 - 1.0;
}

static bool near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }

// --- the trust region ---

static double rosenbrock(void* user, const double* x) {
  (void)user;
  return 100.0 * pow(x[1] - x[0] * x[0], 2) + pow(1.0 - x[0], 2);
}

static double rosenbrock_at[2];
static void rosenbrock_gradient(void* user, const double* x, double* g) {
  (void)user;
  memcpy(rosenbrock_at, x, sizeof rosenbrock_at);
  g[1] = 200.0 * (x[1] - x[0] * x[0]);
  g[0] = -2.0 * x[0] * g[1] - 2.0 * (1.0 - x[0]);
}

static void rosenbrock_product(void* user, const double* d, double* out) {
  const double* x = rosenbrock_at;
  (void)user;
  out[0] = (1200.0 * x[0] * x[0] - 400.0 * x[1] + 2.0) * d[0] - 400.0 * x[0] * d[1];
  out[1] = -400.0 * x[0] * d[0] + 200.0 * d[1];
}

static void k5_rosenbrock_ends_in_its_valley_or_at_the_bound(void** state) {
  double lower[2] = {-INFINITY, -INFINITY}, upper[2] = {INFINITY, INFINITY}, x[2] = {-1.2, 1.0};
  ChBoxProblem problem = {.n = 2,
                          .lower = lower,
                          .upper = upper,
                          .value = rosenbrock,
                          .gradient = rosenbrock_gradient,
                          .product = rosenbrock_product};
  ChBoxOptions options = ch_box_options_default();
  ChBoxInfo info = {0};
  options.gradient_tolerance = 1e-10;
  assert_int_equal(ch_box_minimize(*state, &problem, &options, x, &info), CH_OK);
  assert_true(near(x[0], 1.0, 1e-8) && near(x[1], 1.0, 1e-8));
  assert_true(info.fe == info.it_box + 1 && info.mvp >= info.it_qua && info.it_qua >= info.it_box);
  upper[0] = 0.5;  // then x1 = 1/4 on the bound
  x[0] = -1.2;
  x[1] = 1.0;
  assert_int_equal(ch_box_minimize(*state, &problem, &options, x, &info), CH_OK);
  assert_true(x[0] == 0.5 && near(x[1], 0.25, 1e-10));
}

static double saddle(void* user, const double* x) {
  (void)user;
  return 0.5 * (x[0] * x[0] - x[1] * x[1]) + 0.1 * x[1];
}
static void saddle_gradient(void* user, const double* x, double* g) {
  (void)user;
  g[0] = x[0];
  g[1] = 0.1 - x[1];
}
static void saddle_product(void* user, const double* d, double* out) {
  (void)user;
  out[0] = d[0];
  out[1] = -d[1];
}

static void k5_negative_curvature_leads_to_the_bound(void** state) {
  double lower[2] = {-3.0, -3.0}, upper[2] = {3.0, 3.0}, x[2] = {2.0, 0.0};
  ChBoxProblem problem = {
      .n = 2, .lower = lower, .upper = upper, .value = saddle, .gradient = saddle_gradient, .product = saddle_product};
  ChBoxOptions options = ch_box_options_default();
  ChBoxInfo info = {0};
  assert_int_equal(ch_box_minimize(*state, &problem, &options, x, &info), CH_OK);
  assert_true(near(x[0], 0.0, 1e-5) && x[1] == -3.0);
}

static double undefined(void* user, const double* x) {
  (void)user;
  (void)x;
  return NAN;
}

static void a_function_that_is_nowhere_defined_is_no_success(void** state) {
  double bound[2] = {0.0, 0.0}, x[2] = {0.0, 0.0};
  ChBoxProblem problem = {.n = 2,
                          .lower = bound,
                          .upper = bound,
                          .value = undefined,
                          .gradient = saddle_gradient,
                          .product = saddle_product};
  ChBoxOptions options = ch_box_options_default();
  ChBoxInfo info = {0};
  assert_int_equal(ch_box_minimize(*state, &problem, &options, x, &info), CH_ERR_NUMERIC);
}

// --- affine problems ---

// F = A x + b with A positive semidefinite (B B^T / n of rank n/2, plus a skew matrix), made to have a solution.
static ChMcp monotone(ChArena* arena, int n, unsigned seed) {
  ChEntries e = ch_entries_take(arena, n, (long)n * n);
  double* B = CH_TAKE(arena, n * n, double);
  double* A = CH_TAKE(arena, n * n, double);
  double* x = CH_TAKE(arena, n, double);
  random_state = seed;
  for (int i = 0; i < n * n; ++i) B[i] = uniform();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n / 2; ++k) A[i * n + j] += B[i * n + k] * B[j * n + k] / n;
      A[i * n + j] += i < j ? B[i * n + j] : i > j ? -B[j * n + i] : 0.0;
    }
  for (int i = 0; i < n; ++i) {  // a third free, a third on its lower bound 0, the rest inside or on the upper bound 1
    if (i % 3 == 0) ch_entries_free_variable(&e, i);
    if (i % 3 == 2) e.upper[i] = 1.0;
    x[i] = i % 3 == 0 ? uniform() : i % 3 == 1 ? 0.0 : i % 2 ? 1.0 : 0.5;
    e.b[i] = i % 3 == 1 ? 0.5 : i % 3 == 2 && i % 2 ? -0.5 : 0.0;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      ch_entries_add(&e, i, j, A[i * n + j]);
      e.b[i] -= A[i * n + j] * x[j];
    }
  return ch_entries_mcp(arena, &e);
}

static void I53_k3_affine_monotone_problems_are_solved_from_one_start(void** state) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    ChArenaMark mark = ch_arena_mark(*state);
    ChMcp mcp = monotone(*state, 36, seed);
    ChMcpOptions options = ch_mcp_options_default();
    ChMcpInfo info;
    double x[36];
    options.restarts = 0;  // theorem 2: every stationary point is a solution
    options.tolerance = 1e-8;
    assert_int_equal(ch_mcp_boxmin(*state, &mcp, &options, x, &info), CH_OK);
    assert_int_equal(info.dimension, 36 + 24 + 12);
    ch_arena_release(*state, mark);
  }
}

static void k2_a_problem_without_solution_is_not_solved(void** state) {
  ChEntries e = ch_entries_take(*state, 1, 1);  // x >= 0, F = -1 - x >= 0: there is none
  ch_entries_add(&e, 0, 0, -1.0);
  e.b[0] = -1.0;
  ChMcp mcp = ch_entries_mcp(*state, &e);
  ChMcpOptions options = ch_mcp_options_default();
  ChMcpInfo info;
  double x[1];
  assert_int_not_equal(ch_mcp_boxmin(*state, &mcp, &options, x, &info), CH_OK);
  assert_true(info.natural > 0.5);
}

// --- built-in models ---

static ChMcp build(ChArena* arena, const char* words) {
  ChContext context = {0};
  ChMcp mcp;
  if (ch_mcp_model_build(&context, arena, words, &mcp) != CH_OK) fail_msg("%s", context.message);
  return mcp;
}

static void derivatives_are_those_of_the_functions(void** state) {
  for (int k = 0; k < ch_mcp_model_count(); ++k) {
    ChMcp mcp = build(*state, ch_mcp_model_at(k)->name);
    double* work = CH_TAKE(*state, 6 * mcp.n, double);
    double *x = work, *d = x + mcp.n, *plus = d + mcp.n, *minus = plus + mcp.n, *product = minus + mcp.n,
           *turned = product + mcp.n, step = 1e-6, left = 0.0, right = 0.0;
    random_state = 7;
    for (int i = 0; i < mcp.n; ++i) x[i] = 1.5 + 0.5 * uniform();
    for (int i = 0; i < mcp.n; ++i) d[i] = uniform();
    mcp.multiply(mcp.user, x, d, product);
    mcp.multiply_transposed(mcp.user, x, x, turned);
    for (int i = 0; i < mcp.n; ++i) {
      left += x[i] * product[i];  // x . F' d = F'^T x . d
      right += turned[i] * d[i];
    }
    assert_true(near(left, right, 1e-10 * (1.0 + fabs(left))));
    for (int i = 0; i < mcp.n; ++i) x[i] += step * d[i];
    mcp.evaluate(mcp.user, x, plus);
    for (int i = 0; i < mcp.n; ++i) x[i] -= 2.0 * step * d[i];
    mcp.evaluate(mcp.user, x, minus);
    for (int i = 0; i < mcp.n; ++i)  // rounding 1e-16 |F| / step, truncation step^2
      assert_true(near((plus[i] - minus[i]) / (2.0 * step), product[i], 1e-6 * (1.0 + fabs(product[i]))));
  }
}

static ChMcpInfo solve(ChArena* arena, const char* words, int restarts, double* x) {
  ChMcp mcp = build(arena, words);
  ChMcpOptions options = ch_mcp_options_default();
  ChMcpInfo info;
  options.restarts = restarts;
  options.time_limit = 60.0;
  ChStatus status = ch_mcp_boxmin(arena, &mcp, &options, x, &info);
  if (status != CH_OK) info.natural = NAN;
  return info;
}

static void k7_spatial_price_models_are_solved(void** state) {
  static const int dimensions[4][2] = {{27, 47}, {27, 47}, {27, 47}, {69, 129}};
  double x[256], sold[5][3];
  for (int model = 1; model <= 4; ++model)
    for (int network = 1; network <= 2; ++network) {
      char words[64];
      snprintf(words, sizeof words, "spatial-price:model=%d,network=%d", model, network);
      ChMcpInfo info = solve(*state, words, 0, x);
      assert_true(info.natural <= 1e-8 && info.box.value < 1e-10);
      assert_int_equal(info.dimension, dimensions[model - 1][network - 1]);
      double total = 0.0;  // what the regions make
      for (int r = 0; r < 3; ++r) total += model == 4 ? x[r * (network == 1 ? 13 : 25)] : x[r];
      sold[model][network] = total;
    }
  for (int network = 1; network <= 2; ++network) {  // competition sells most, a monopoly least
    assert_true(sold[1][network] > sold[4][network] && sold[4][network] > sold[3][network]);
    assert_true(sold[3][network] > sold[2][network]);  // who reckons with its own congestion ships less
  }
}

static void k8_both_normalisations_find_the_same_prices(void** state) {
  double sum[15], numeraire[14];
  for (int start = 1; start <= 4; ++start) {
    char words[64];
    snprintf(words, sizeof words, "scarf-sum:start=%d", start);
    assert_true(solve(*state, words, 0, sum).natural <= 1e-8);
    snprintf(words, sizeof words, "scarf-numeraire:start=%d", start);
    ChMcpInfo info = solve(*state, words, 0, numeraire);
    assert_true(info.natural <= 1e-8);
    assert_int_equal(info.dimension, 28);
    for (int i = 0; i < 6; ++i) {
      assert_true(sum[i] > 1e-2);  // the bound 1e-4 plays no part
      assert_true(near(sum[i] / sum[0], numeraire[i], 1e-6 * numeraire[i]));
    }
    assert_true(near(sum[14], 0.0, 1e-8));  // Walras' law
  }
}

static void k9_control_is_solved_in_every_family_and_size(void** state) {
  static double x[5 * 300];
  static const int dimensions[3] = {70, 700, 2100};
  for (int family = 1; family <= 4; ++family)
    for (int k = 0; k < 3; ++k) {
      char words[64];
      snprintf(words, sizeof words, "control:dimension=%d,family=%d", dimensions[k], family);
      ChMcpInfo info = solve(*state, words, 0, x);
      assert_true(info.natural <= 1e-6 && info.box.value < 1e-10);
      assert_int_equal(info.dimension, dimensions[k]);
    }
}

static void k10_the_matrix_of_a_grasp_is_symmetric_and_positive(void** state) {
  (void)state;
  ChGrasp grasp = ch_grasp_make(3);
  random_state = 11;
  for (int i = 0; i < CH_GRASP_ROWS; ++i)
    for (int j = 0; j < CH_GRASP_ROWS; ++j) assert_true(near(grasp.W[i][j], grasp.W[j][i], 1e-12));
  for (int trial = 0; trial < 100; ++trial) {
    double c[CH_GRASP_ROWS], power = 0.0;
    for (int i = 0; i < CH_GRASP_ROWS; ++i) c[i] = uniform();
    for (int i = 0; i < CH_GRASP_ROWS; ++i)
      for (int j = 0; j < CH_GRASP_ROWS; ++j) power += c[i] * grasp.W[i][j] * c[j];
    assert_true(power > 0.0);
  }
}

static int grasps_solved(ChArena* arena, const char* form, int dimension, int restarts) {
  int solved = 0;
  double x[16];
  for (int seed = 1; seed <= 200; ++seed) {
    ChArenaMark mark = ch_arena_mark(arena);
    char words[64];
    snprintf(words, sizeof words, "grasp-%s:seed=%d", form, seed);
    ChMcpInfo info = solve(arena, words, restarts, x);
    assert_int_equal(info.dimension, dimension);
    solved += info.natural <= 1e-6 && info.box.value < 1e-10;
    ch_arena_release(arena, mark);
  }
  return solved;
}

static void k11_k12_k13_grasps_are_solved_as_often_as_promised(void** state) {
  assert_int_equal(grasps_solved(*state, "sliding", 4, 0), 200);
  assert_true(grasps_solved(*state, "coulomb", 16, 0) >= 183);  // the authors, from one start
  assert_true(grasps_solved(*state, "coulomb", 16, 20) >= 195);
  assert_true(grasps_solved(*state, "pyramid", 20, 0) >= 198);
}

static void k15_coulomb_forces_oppose_the_slip_and_lie_in_the_cone(void** state) {
  double x[12], c[CH_GRASP_ROWS];
  ChGraspContact contacts[CH_GRASP_CONTACTS];
  for (int seed = 1; seed <= 50; ++seed) {
    char words[64];
    snprintf(words, sizeof words, "grasp-coulomb:seed=%d", seed);
    ChGrasp grasp = ch_grasp_make(seed);
    assert_true(solve(*state, words, 20, x).natural <= 1e-6);
    ch_grasp_coulomb_forces(x, c);
    ch_grasp_judge(&grasp, c, contacts);
    for (int i = 0; i < CH_GRASP_CONTACTS; ++i) assert_true(contacts[i].opposed && !contacts[i].outside);
  }
}

static void words_that_are_not_understood_are_told(void** state) {
  static const char* const bad[] = {"contrl",
                                    "control:",
                                    "control:size=70",
                                    "control:dimension=69",
                                    "control:dimension=70x",
                                    "control:dimension=",
                                    "control:dimension=70,",
                                    ""};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    ChContext context = {0};
    ChMcp mcp;
    assert_int_not_equal(ch_mcp_model_build(&context, *state, bad[k], &mcp), CH_OK);
    assert_true(strlen(context.message) > 10);
  }
}

// --- files ---

static ChStatus read_text(ChArena* arena, const char* text, ChContext* context, ChMcp* mcp) {
  char path[] = "/tmp/cardhouse-mcp-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), (long)strlen(text));
  close(file);
  ChStatus status = ch_mcp_file_build(context, arena, path, mcp);
  unlink(path);
  return status;
}

static void a_file_is_read_and_solved(void** state) {
  // min (x-2)^2/2 + (y+1)^2/2 on 0 <= x <= 1, y free: x = 1 with F = -1, y = -1
  const char* text =
      "{\"cardhouse-mcp\": 1, \"n\": 2, \"matrix\": [[0, 0, 1], [1, 1, 1.0]], \"b\": [-2, 1],"
      " \"lower\": [0, null], \"upper\": [1, null]}";
  ChContext context = {0};
  ChMcp mcp;
  assert_int_equal(read_text(*state, text, &context, &mcp), CH_OK);
  ChMcpOptions options = ch_mcp_options_default();
  ChMcpInfo info;
  double x[2];
  assert_int_equal(ch_mcp_boxmin(*state, &mcp, &options, x, &info), CH_OK);
  assert_true(near(x[0], 1.0, 1e-8) && near(x[1], -1.0, 1e-8));
}

static void a_wrong_file_is_told_where(void** state) {
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"{\"cardhouse-mcp\": 1,\n \"n\": }", ":2:"},
      {"[]", "$ must be an object"},
      {"{\"cardhouse-mcp\": 2, \"n\": 1, \"matrix\": [], \"b\": [0]}", "$.cardhouse-mcp"},
      {"{\"cardhouse-mcp\": 1, \"n\": 0, \"matrix\": [], \"b\": []}", "$.n"},
      {"{\"cardhouse-mcp\": 1, \"n\": 1, \"matrix\": [[0, 1, 2]], \"b\": [0]}", "$.matrix[0]"},
      {"{\"cardhouse-mcp\": 1, \"n\": 1, \"matrix\": [[0, 0]], \"b\": [0]}", "$.matrix[0]"},
      {"{\"cardhouse-mcp\": 1, \"n\": 2, \"matrix\": [], \"b\": [0]}", "$.b"},
      {"{\"cardhouse-mcp\": 1, \"n\": 1, \"matrix\": [], \"b\": [null]}", "$.b[0]"},
      {"{\"cardhouse-mcp\": 1, \"n\": 1, \"matrix\": [], \"b\": [0], \"lower\": [2], \"upper\": [1]}", "$.lower[0]"},
      {"{\"cardhouse-mcp\": 1, \"n\": 1, \"matrix\": [], \"b\": [0], \"lowr\": [2]}", "$.lowr"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ChContext context = {0};
    ChMcp mcp;
    assert_int_equal(read_text(*state, cases[k].text, &context, &mcp), CH_ERR_FORMAT);
    assert_non_null(strstr(context.message, cases[k].says));
  }
  ChContext context = {0};
  ChMcp mcp;
  assert_int_equal(ch_mcp_file_build(&context, *state, "/nowhere/problem.json", &mcp), CH_ERR_FILE);
}

// x >= 0, 2 x - 3 >= 0, x (2 x - 3) = 0, by public functions alone.
static void what_a_caller_makes_is_solved_and_freed(void** state) {
  (void)state;
  ChContext context = {0};
  const int at = 0;
  double value = 2.0, b = -3.0, lower = 0.0, upper = INFINITY, x, F;
  const ChTriplets A = {1, 1, 1, &at, &at, &value}, wide = {1, 2, 0, NULL, NULL, NULL};
  ChMcp* mcp;
  ChMcpInfo info;
  assert_int_equal(ch_mcp_affine_create(&context, &A, &b, &lower, &upper, &mcp), CH_OK);
  assert_int_equal(ch_mcp_solve(&context, mcp, NULL, &x, &info), CH_OK);
  assert_true(near(x, 1.5, 1e-6) && near(ch_mcp_natural(mcp, &x, &F), info.natural, 0.0));
  ch_mcp_destroy(mcp);
  ch_mcp_destroy(NULL);
  assert_int_equal(ch_mcp_affine_create(&context, &wide, &b, &lower, &upper, &mcp), CH_ERR_SIZE);
  assert_null(mcp);
  value = NAN;
  assert_int_equal(ch_mcp_affine_create(&context, &A, &b, &lower, &upper, &mcp), CH_ERR_RANGE);
  assert_int_equal(ch_mcp_model_create(&context, "grasp-sliding:seed=3", &mcp), CH_OK);
  assert_int_equal(mcp->n, 2);
  ch_mcp_destroy(mcp);
  assert_null(ch_mcp_model_at(ch_mcp_model_count()));
}

int main(void) {
#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      FACT(k5_rosenbrock_ends_in_its_valley_or_at_the_bound),
      FACT(k5_negative_curvature_leads_to_the_bound),
      FACT(a_function_that_is_nowhere_defined_is_no_success),
      FACT(I53_k3_affine_monotone_problems_are_solved_from_one_start),
      FACT(k2_a_problem_without_solution_is_not_solved),
      FACT(derivatives_are_those_of_the_functions),
      FACT(k7_spatial_price_models_are_solved),
      FACT(k8_both_normalisations_find_the_same_prices),
      FACT(k9_control_is_solved_in_every_family_and_size),
      FACT(k10_the_matrix_of_a_grasp_is_symmetric_and_positive),
      FACT(k11_k12_k13_grasps_are_solved_as_often_as_promised),
      FACT(k15_coulomb_forces_oppose_the_slip_and_lie_in_the_cone),
      FACT(words_that_are_not_understood_are_told),
      FACT(a_file_is_read_and_solved),
      FACT(a_wrong_file_is_told_where),
      FACT(what_a_caller_makes_is_solved_and_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
