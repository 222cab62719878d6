// Facts about Lemke's method: piles at every friction, how a path may end, crossover, and the mixed problem (C1) beside
// the eliminated one (C18).
#include <math.h>
#include <string.h>

#include "cardhouse/dense.h"
#include "cardhouse/solve.h"
#include "solve/lcp/lcp_crossover.h"
#include "solve/lcp/lemke_path.h"
#include "solve/lcp/mixed_lcp.h"
#include "support/families.h"
#include "support/near.h"
#include "support/random.h"
#include "support/small.h"
#include "support/solved.h"

enum { ROWS_MAX = 2048, DOF_MAX = 1024, LCP_MAX = 1024, DENSE_MAX = 8 };

typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
  double r[ROWS_MAX], u[ROWS_MAX], v[DOF_MAX];
} Answer;

static ChSolveOptions options(int crash) {
  ChSolveOptions o = ch_solve_options_default();
  o.method = "lemke";
  o.tolerance = 1e-10;
  static ChSetting setting = {"lemke.crash", 0};
  setting.value = crash;
  o.settings = &setting;
  o.setting_count = 1;
  return o;
}

static void solve(const ChProblem* problem, const ChSolveOptions* o, Answer* a) {
  ChContext context = {0};
  a->status = ch_solve(&context, problem, o, a->v, a->u, a->r, &a->info);
}

static ChProblem* generate(const char* name, double n, double mu) {
  ChContext context = {0};
  const ChFamily* family = ch_family_find(name);
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = n;
  recipe.mu = mu;
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  CHECK_OK(context, ch_problem_set_polygon(&context, p, 8, false));
  return p;
}

static void check_pile(int n, double mu, int crash) {
  static Answer a;
  ChProblem* p = generate("disks", n, mu);
  ChSolveOptions o = options(crash);
  solve(p, &o, &a);
  if (a.status != CH_OK)
    fail_msg("%d disks in the bottom row, mu %g, crash %d: %s (%s)", n, mu, crash, ch_status_text(a.status),
             a.info.note);
  CHECK_AT_MOST(a.info.certificate.natural, 1e-10);
  ch_problem_destroy(p);
}

static void I51_frictionless_piles_take_fewer_pivots_than_variables(void** state) {
  (void)state;
  static Answer a;
  for (int n = 4; n <= 10; ++n) {
    ChProblem* p = generate("disks", n, 0.0);
    ChSolveOptions o = options(0);
    solve(p, &o, &a);
    assert_int_equal(a.status, CH_OK);
    assert_true(a.info.inner < p->block_count);
    if (n < 6) {  // sweeps are slow, not wrong
      o.method = "pgs";
      solve(p, &o, &a);
      assert_int_equal(a.status, CH_OK);
    }
    ch_problem_destroy(p);
  }
}

static void I1_piles_are_solved_at_every_friction(void** state) {
  (void)state;
  for (int n = 4; n <= 10; ++n)
    for (int tenths = 0; tenths <= 8; ++tenths) check_pile(n, 0.1 * tenths, 1);
}

static void small_piles_are_solved_from_slacks_and_from_solutions(void** state) {
  (void)state;
  for (int n = 2; n <= 6; n += 2)
    for (int tenths = 0; tenths <= 8; tenths += 2)
      for (int crash = 0; crash <= 2; crash += 2) check_pile(n, 0.1 * tenths, crash);
}

static void H4_210_disks_are_solved_where_the_authors_gave_up(void** state) {
  (void)state;
  check_pile(20, 0.2, 1);
  check_pile(20, 0.8, 1);
}

static void polygons_in_space_are_solved(void** state) {
  (void)state;
  static const struct {
    const char* family;
    int n;
  } cases[] = {{"cards", 2}, {"arch", 9}, {"pile", 5}, {"pyramid", 3}, {"wall", 2}, {"wheels", 2}, {"door", 2}};
  static Answer a;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    for (int crash = 0; crash <= 2; ++crash) {
      ChProblem* p = generate(cases[k].family, cases[k].n, 0.6);
      ChSolveOptions o = options(crash);
      solve(p, &o, &a);
      if (a.status != CH_OK) fail_msg("%s %d, crash %d: %s", cases[k].family, cases[k].n, crash, a.info.note);
      ch_problem_destroy(p);
    }
}

// Pose relaxed: the same pivots on the convex problem (000 (12)-(13)), which has one velocity.
static void relaxed_pose_agrees_with_newton(void** state) {
  (void)state;
  static Answer a, b;
  for (int tenths = 1; tenths <= 8; tenths += 3) {
    ChProblem* p = generate("disks", 5, 0.1 * tenths);
    ChSolveOptions o = options(0);
    o.pose = CH_POSE_RELAXED;
    solve(p, &o, &a);
    assert_int_equal(a.status, CH_OK);
    o.method = "newton";
    solve(p, &o, &b);
    assert_int_equal(b.status, CH_OK);
    for (int k = 0; k < p->dof; ++k) CHECK_NEAR(a.v[k], b.v[k], 1e-9);  // velocities of some 1e-2 m/s
    ch_problem_destroy(p);
  }
}

// Two rows that cannot both hold: y1 - y2 >= 1 and y2 - y1 >= 1.
static void a_ray_is_told_from_a_cap(void** state) {
  (void)state;
  static Answer a;
  const double W[4] = {1, -1, -1, 1}, q[2] = {-1, -1};
  const ChBlock blocks[2] = {{.law = CH_LAW_UNILATERAL, .dimension = 1}, {.law = CH_LAW_UNILATERAL, .dimension = 1}};
  ChProblem* p = ch_small_local(2, 2, blocks, W, q);
  ChSolveOptions o = options(0);
  solve(p, &o, &a);
  assert_int_equal(a.status, CH_MAX_ITER);
  assert_non_null(strstr(a.info.note, "ray"));
  ch_problem_destroy(p);

  p = generate("disks", 5, 0.5);
  o.max_iterations = 7;
  solve(p, &o, &a);
  assert_int_equal(a.status, CH_MAX_ITER);
  assert_non_null(strstr(a.info.note, "7 pivots"));
  assert_non_null(strstr(a.info.note, "limit"));
  ch_problem_destroy(p);
}

// A dense problem for the kernel; A by rows.
static ChLcp dense(ChArena* arena, int n, const double* A, const double* b) {
  int row[DENSE_MAX * DENSE_MAX], column[DENSE_MAX * DENSE_MAX];
  for (int k = 0; k < n * n; ++k) row[k] = k / n, column[k] = k % n;
  ChTriplets t = {n, n, (long)n * n, row, column, A};
  ChLcp lcp = {n, ch_sparse_from_triplets(arena, &t), CH_TAKE(arena, n, double), CH_TAKE(arena, n, unsigned char)};
  memcpy(lcp.b, b, (size_t)n * sizeof *b);
  return lcp;
}

static ChPathEnd path_from_slacks(ChArena* arena, const ChLcp* lcp, double perturbation, long cap, double* y,
                                  long* pivots) {
  ChLcpBasis basis;
  ChPathLimits limits = {1e-9, perturbation, cap, {INFINITY, INFINITY}};
  *pivots = 0;
  ch_lcp_basis_init(&basis, arena, lcp, 50);
  assert_true(ch_lemke_enter_free(&basis));
  ChPathEnd end = ch_lemke_path(&basis, &limits, pivots);
  assert_true(ch_lemke_point(&basis, y));
  return end;
}

// max |min(y, w)|, and |w| where the row is an equation
static double residual(ChArena* arena, const ChLcp* lcp, const double* y) {
  double worst = 0.0, *w = CH_TAKE(arena, lcp->n, double);
  memcpy(w, lcp->b, (size_t)lcp->n * sizeof *w);
  ch_sparse_multiply_add(&lcp->A, y, w);
  for (int i = 0; i < lcp->n; ++i) {
    double e = fabs(lcp->free[i] || w[i] < y[i] ? w[i] : y[i]);
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

// With all entries of b equal every ratio ties at first, and bare pivoting comes back to where it was.
static void perturbation_ends_a_cycle(void** state) {
  (void)state;
  const double A[9] = {1, 2, 3, 3, 1, 1, 0, -1, 1}, b[3] = {-1, -1, -1};
  double y[3];
  long pivots;
  ChArena* arena = ch_arena_create(NULL);
  ChLcp lcp = dense(arena, 3, A, b);
  assert_int_equal(path_from_slacks(arena, &lcp, 0.0, 1000, y, &pivots), CH_PATH_LIMIT);
  assert_int_equal(path_from_slacks(arena, &lcp, 1e-9, 1000, y, &pivots), CH_PATH_SOLVED);
  assert_true(pivots < 10);
  CHECK_AT_MOST(residual(arena, &lcp, y), 1e-12);
  ch_arena_destroy(arena);
}

static void an_unsolvable_problem_ends_on_a_ray(void** state) {
  (void)state;
  const double A[1] = {0}, b[1] = {-1};
  double y[1];
  long pivots;
  ChArena* arena = ch_arena_create(NULL);
  ChLcp lcp = dense(arena, 1, A, b);
  assert_int_equal(path_from_slacks(arena, &lcp, 1e-9, 1000, y, &pivots), CH_PATH_RAY);
  ch_arena_destroy(arena);
}

// 0 <= y1 + y2 - 1 _|_ y >= 0, twice the same row: solutions are a segment, its middle is no vertex.
static void crossover_ends_at_a_vertex(void** state) {
  (void)state;
  const double A[4] = {1, 1, 1, 1}, b[2] = {-1, -1};
  double point[4] = {0, 0, 0.5, 0.5}, y[2];
  ChArena* arena = ch_arena_create(NULL);
  ChLcp lcp = dense(arena, 2, A, b);
  ChLcpBasis basis;
  ch_lcp_basis_init(&basis, arena, &lcp, 50);
  assert_true(ch_lcp_push(&basis, 1e-12, 0, point));
  assert_int_equal(ch_lcp_complete(&basis, point), 0);
  assert_true(ch_lemke_point(&basis, y));
  assert_true((y[0] == 0.0) != (y[1] == 0.0));
  CHECK_NEAR(y[0] + y[1], 1.0, 1e-15);
  CHECK_AT_MOST(residual(arena, &lcp, y), 1e-15);
  ch_arena_destroy(arena);
}

// A basis that holds y1, zero at the solution y2 = 1, by a pivot of 1e-6: its row of the inverse is 1e6, and round-off
// of b, here 1e-12, makes y1 = -1e-6. After the push no zero variable has such a row.
static void zero_variables_have_small_rows_in_the_inverse(void** state) {
  (void)state;
  const double A[9] = {1, 1, 0, 1e-6, 0, 0, 0, 0, 1}, b[3] = {-1, 0, 1};
  double point[6] = {0, 0, 1, 0, 1, 0}, row[3];
  ChArena* arena = ch_arena_create(NULL);
  ChLcp lcp = dense(arena, 3, A, b);
  ChLcpBasis basis;
  ch_lcp_basis_init(&basis, arena, &lcp, 50);
  ch_lcp_basis_direct(&basis, 3);  // y1 in the place of w2: pivot 1e-6
  assert_true(ch_lcp_basis_exchange(&basis, 1, 3));
  ch_lcp_basis_row(&basis, 1, row);
  CHECK_NEAR(fabs(row[1]), 1e6, 1e-6);
  lcp.b[1] = 1e-12;  // round-off of b makes y1 = -1e-6
  assert_true(ch_lcp_push(&basis, 1e-10, 0, point));
  for (int i = 0; i < 3; ++i) {
    if (point[basis.basic[i]] != 0.0) continue;
    ch_lcp_basis_row(&basis, i, row);
    CHECK_AT_MOST(ch_lcp_largest(3, row), 10.0);
    CHECK_AT_MOST(fabs(basis.x[i]), 1e-11);
  }
  ch_arena_destroy(arena);
}

static void jitter(ChRandom* random, int n, double size, double* x) {
  for (int k = 0; k < n; ++k) x[k] *= 1.0 + ch_random_uniform(random, -size, size);
}

// The last bit of the data decides ties by the dozen in a pile; no such decision may spoil the basis.
static void crossover_does_not_hang_on_the_last_bit(void** state) {
  (void)state;
  static Answer a, other;
  ChRandom random = ch_random_seeded(7);
  ChProblem* p = generate("disks", 20, 0.2);
  ChSolveOptions o = options(2);
  o.method = "auto";
  solve(p, &o, &a);
  assert_int_equal(a.status, CH_OK);
  for (int draw = 0; draw < 6; ++draw) {
    jitter(&random, p->dof, 1e-15, p->f);
    jitter(&random, p->H.start[p->rows], 1e-15, p->H.value);
    jitter(&random, p->rows, 1e-7, a.r);
    o.method = "lemke";
    o.warm = a.r;
    solve(p, &o, &other);
    if (other.status != CH_OK) fail_msg("draw %d: %s", draw, other.info.note);
  }
  ch_problem_destroy(p);
}

// Solves the mixed problem from slacks; x = (v, y).
static ChMixedLcp solve_mixed(ChArena* arena, const ChProblem* p, double* x) {
  long pivots;
  ChMixedLcp mixed = ch_mixed_lcp(arena, p);
  assert_true(mixed.lcp.n <= LCP_MAX);
  ChPathEnd end = path_from_slacks(arena, &mixed.lcp, 1e-9, 20000, x, &pivots);
  if (end != CH_PATH_SOLVED) fail_msg("the path ended as %d after %ld pivots", (int)end, pivots);
  return mixed;
}

// C1 and C18 have the same solutions: whatever the mixed problem yields is certified, and where the velocity is unique
// (no friction; a block that slides alone) both yield the same.
static void C18_eliminating_velocities_keeps_the_solution(void** state) {
  (void)state;
  static const struct {
    const char* family;
    double n, mu;
    int unique;
  } cases[] = {{"disks", 5, 0.0, 1}, {"pile", 4, 0.0, 1},   {"incline", 1, 0.3, 1}, {"disks", 4, 0.5, 0},
               {"tower", 2, 0.5, 0}, {"wheels", 1, 0.5, 0}, {"door", 1, 0.5, 0},    {"chain", 4, 0.5, 0}};
  static Answer a;
  static double x[LCP_MAX];
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    ChContext context = {0};
    ChArena* arena = ch_arena_create(NULL);
    ChProblem* p = generate(cases[k].family, cases[k].n, cases[k].mu);
    ChMixedLcp mixed = solve_mixed(arena, p, x);
    ChCertificate certificate;
    ch_mixed_lcp_reactions(&mixed, x, a.r);
    CHECK_OK(context, ch_certify(&context, p, CH_POSE_COULOMB, a.r, x, &certificate));
    CHECK_AT_MOST(certificate.natural, 1e-9);
    ChSolveOptions o = options(0);
    solve(p, &o, &a);
    assert_int_equal(a.status, CH_OK);
    for (int i = 0; cases[k].unique && i < p->dof; ++i) CHECK_NEAR(a.v[i], x[i], 1e-9);
    ch_problem_destroy(p);
    ch_arena_destroy(arena);
  }
}

// Bodies without order: M = I, random directions, gaps >= 0, any friction.
static ChProblem* random_problem(ChRandom* random, int dimension, int dof, int contacts) {
  enum { ENTRIES = 16 * 8 * 3 };
  static int index[DENSE_MAX * 4], row[ENTRIES], column[ENTRIES];
  static double one[DENSE_MAX * 4], value[ENTRIES], f[DENSE_MAX * 4], w[ENTRIES];
  ChBlock blocks[8];
  int rows = contacts * dimension, count = 0;
  for (int i = 0; i < dof; ++i) index[i] = i, one[i] = 1.0, f[i] = ch_random_normal(random);
  for (int k = 0; k < contacts; ++k) {
    double mu = ch_random_uniform(random, 0.0, 3.0);
    blocks[k] =
        (ChBlock){.law = CH_LAW_CONTACT, .dimension = dimension, .mu = {mu, mu}, .sides = dimension == 3 ? 6 : 0};
  }
  for (int k = 0; k < rows; ++k) {
    w[k] = k % dimension == 0 ? fmax(0.0, ch_random_uniform(random, -1.0, 1.0)) : 0.0;
    for (int i = 0; i < dof; ++i, ++count) row[count] = i, column[count] = k, value[count] = ch_random_normal(random);
  }
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = dimension,
                            .block_count = contacts,
                            .blocks = blocks,
                            .M = {dof, dof, dof, index, index, one},
                            .H = {dof, rows, count, row, column, value},
                            .f = f,
                            .w = w};
  ChContext context = {0};
  ChProblem* p;
  CHECK_OK(context, ch_problem_build(&context, &def, &p));
  return p;
}

static void I1_lemke_solves_any_friction_with_gaps_not_negative(void** state) {
  (void)state;
  static double x[LCP_MAX];
  ChRandom random = ch_random_seeded(11);
  for (int draw = 0; draw < 300; ++draw) {
    ChArena* arena = ch_arena_create(NULL);
    ChProblem* p = random_problem(&random, 2 + draw % 2, 3 + draw % 9, 1 + draw % 8);
    ChMixedLcp mixed = solve_mixed(arena, p, x);
    CHECK_AT_MOST(residual(arena, &mixed.lcp, x), 1e-9);
    ch_problem_destroy(p);
    ch_arena_destroy(arena);
  }
}

// A pyramid of mass 1 on a table, its base a regular hexagon (000, figure 1); h = 0.01, g = 10.
static ChProblem* hexagonal_pyramid(double mu) {
  ChProblem* p = ch_make("hexagon", "h=0.01 gravity=10", CH_FORM_GLOBAL, 4);
  for (int k = 0; k < 6; ++k) p->blocks[k].mu[0] = p->blocks[k].mu[1] = mu;
  return p;
}

// v = 0, h m g / 3 on every other contact, lambda = 1 on the rest.
static void pyramid_solution(const ChMixedLcp* mixed, int parity, double* x) {
  memset(x, 0, (size_t)mixed->lcp.n * sizeof *x);
  for (int k = 0; k < 6; ++k) x[mixed->dof + 6 * k + (k % 2 == parity ? 0 : 5)] = k % 2 == parity ? 0.1 / 3.0 : 1.0;
}

// x_i (A x)_i <= 0 for all i, < 0 for one: A is not sufficient, which is what P* means. x = the difference of the two
// solutions does it; were A P*, their middle would be a solution.
static void I54_pyramid_with_friction_is_not_P_star(void** state) {
  (void)state;
  static double first[LCP_MAX], second[LCP_MAX], middle[LCP_MAX], x[LCP_MAX];
  for (double mu = 0.01; mu < 2.0; mu *= 3.0) {
    ChArena* arena = ch_arena_create(NULL);
    ChProblem* p = hexagonal_pyramid(mu);
    ChMixedLcp mixed = ch_mixed_lcp(arena, p);
    pyramid_solution(&mixed, 0, first);
    pyramid_solution(&mixed, 1, second);
    double *Ax = CH_TAKE(arena, mixed.lcp.n, double), least = 0.0;
    for (int i = 0; i < mixed.lcp.n; ++i) {
      x[i] = first[i] - second[i];
      middle[i] = 0.5 * (first[i] + second[i]);
    }
    ch_sparse_multiply_add(&mixed.lcp.A, x, Ax);
    for (int i = 0; i < mixed.lcp.n; ++i) {
      CHECK_AT_MOST(x[i] * Ax[i], 1e-15);
      least = fmin(least, x[i] * Ax[i]);
    }
    CHECK_NEAR(least, -mu * 0.1 / 3.0, 1e-15);
    CHECK_AT_MOST(residual(arena, &mixed.lcp, first), 1e-15);
    CHECK_AT_MOST(residual(arena, &mixed.lcp, second), 1e-15);
    assert_true(residual(arena, &mixed.lcp, middle) > 0.01 * mu);
    ch_problem_destroy(p);
    ch_arena_destroy(arena);
  }
}

// Smallest eigenvalue of (A + A') / 2, by the singular values of it plus a multiple of the identity.
static double smallest_eigenvalue(ChArena* arena, const ChSparse* A) {
  int n = A->columns;
  double *S = CH_TAKE(arena, n * n, double), *sigma = CH_TAKE(arena, n, double), shift = 100.0, least = INFINITY;
  for (int j = 0; j < n; ++j) {
    S[j * n + j] += shift;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      S[A->index[k] * n + j] += 0.5 * A->value[k];
      S[j * n + A->index[k]] += 0.5 * A->value[k];
    }
  }
  assert_true(ch_singular_values(n, S, true, sigma));
  for (int k = 0; k < n; ++k) least = fmin(least, sigma[k] - shift);
  return least;
}

static void I3_without_friction_the_matrix_is_positive_semidefinite(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChProblem* p = hexagonal_pyramid(0.0);
  ChMixedLcp mixed = ch_mixed_lcp(arena, p);
  CHECK_NEAR(smallest_eigenvalue(arena, &mixed.lcp.A), 0.0, 1e-12);  // round-off of numbers of size 100
  ch_problem_destroy(p);
  p = hexagonal_pyramid(0.5);
  mixed = ch_mixed_lcp(arena, p);
  assert_true(smallest_eigenvalue(arena, &mixed.lcp.A) < -0.1);  // mu / 2 off the diagonal, nothing on it: -mu / 2
  ch_problem_destroy(p);
  ch_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(I51_frictionless_piles_take_fewer_pivots_than_variables),
      cmocka_unit_test(I1_piles_are_solved_at_every_friction),
      cmocka_unit_test(small_piles_are_solved_from_slacks_and_from_solutions),
      cmocka_unit_test(H4_210_disks_are_solved_where_the_authors_gave_up),
      cmocka_unit_test(polygons_in_space_are_solved),
      cmocka_unit_test(relaxed_pose_agrees_with_newton),
      cmocka_unit_test(a_ray_is_told_from_a_cap),
      cmocka_unit_test(perturbation_ends_a_cycle),
      cmocka_unit_test(an_unsolvable_problem_ends_on_a_ray),
      cmocka_unit_test(crossover_ends_at_a_vertex),
      cmocka_unit_test(zero_variables_have_small_rows_in_the_inverse),
      cmocka_unit_test(crossover_does_not_hang_on_the_last_bit),
      cmocka_unit_test(C18_eliminating_velocities_keeps_the_solution),
      cmocka_unit_test(I1_lemke_solves_any_friction_with_gaps_not_negative),
      cmocka_unit_test(I54_pyramid_with_friction_is_not_P_star),
      cmocka_unit_test(I3_without_friction_the_matrix_is_positive_semidefinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
