// Facts about walk and the piecewise linear paths under it.
#include <math.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "solve/contact/kink_path.h"
#include "support/random.h"
#include "support/rig.h"
#include "support/solved.h"

static ChArena* arena;

static int open_arena(void** state) {
  (void)state;
  arena = ch_arena_create(NULL);
  return arena ? 0 : -1;
}

static int close_arena(void** state) {
  (void)state;
  ch_arena_destroy(arena);
  return 0;
}

static const ChDeadline never = {INFINITY, INFINITY};

static double map_row(const ChKinkPath* p, int a, int parent, double bound) {
  if (parent < 0) return fmin(fmax(p->x[a], p->lo[a]), p->hi[a]);
  return fmin(fmax(p->slope[a] * p->x[a], -p->mu[a] * bound), p->mu[a] * bound);
}

// V y(x) + x
static void equation(const ChKinkPath* p, const double* V, double* G) {
  double y[64];
  for (int a = 0, parent = 0; a < p->rows; ++a) {
    if (p->tangents[a] >= 0) parent = a;
    y[a] = map_row(p, a, p->tangents[a] >= 0 ? -1 : parent, y[parent]);
  }
  for (int a = 0; a < p->rows; ++a) {
    G[a] = p->x[a];
    for (int b = 0; b < p->rows; ++b) G[a] += V[a * p->rows + b] * y[b];
  }
}

// 0 <= r _|_ W r + q >= 0 with W = [1 2; 2 1], q = (-1, -1) has the solutions (1, 0), (0, 1) and (1/3, 1/3). At the
// last one det W < 0: a Newton step from beside it goes there, the path goes away from it.
static void path_goes_on_as_the_determinant_says(void** state) {
  (void)state;
  ChKinkPath p = ch_kink_path_create(arena, 2);
  static const double W[4] = {1.0, 2.0, 2.0, 1.0};
  p.lo[0] = p.lo[1] = 0.0, p.hi[0] = p.hi[1] = INFINITY;
  p.x[0] = 0.3, p.x[1] = 0.35;
  for (int a = 0; a < 2; ++a) {
    p.y[a] = W[2 * a] * p.x[0] + W[2 * a + 1] * p.x[1] - 1.0;
    for (int b = 0; b < 2; ++b) p.T[p.stride * a + b] = W[2 * a + b] - (a == b);
  }
  long kinks = 0;
  assert_int_equal(ch_kink_path_follow(&p, 10, never, &kinks), CH_KINK_SOLVED);
  assert_int_equal(kinks, 1);
  double r[2] = {fmax(p.x[0], 0.0), fmax(p.x[1], 0.0)};
  CHECK_NEAR(fmax(r[0], r[1]), 1.0, 1e-15);
  CHECK_NEAR(fmin(r[0], r[1]), 0.0, 1e-15);
}

// Seven rows of their own, one with two bounds, and six tangents: no whole number of quads; W = A A' + a skew part.
// What a path calls its end is a solution of the piecewise linear problem, however many kinks it crossed, and there
// always is one.
static void paths_end_at_solutions(void** state) {
  (void)state;
  enum { ROWS = 13, INNER = 8 };
  ChRandom random = ch_random_seeded(3);
  ChKinkPath p = ch_kink_path_create(arena, ROWS);
  long kinks = 0;
  for (int trial = 0; trial < 300; ++trial) {
    double V[ROWS * ROWS], A[ROWS * INNER], constant[ROWS], G[ROWS];
    for (int k = 0; k < ROWS * INNER; ++k) A[k] = ch_random_uniform(&random, -1.0, 1.0);
    for (int a = 0; a < ROWS; ++a)
      for (int b = 0; b < ROWS; ++b) {
        V[a * ROWS + b] = (a == b) * (1e-6 - 1.0) + 0.05 * (a < b ? 1 : a > b ? -1 : 0);
        for (int k = 0; k < INNER; ++k) V[a * ROWS + b] += A[a * INNER + k] * A[b * INNER + k];
      }
    for (int a = 0; a < ROWS; ++a) {
      p.tangents[a] = a < 9 ? (a % 3 == 0 ? 2 : -1) : 0;
      p.lo[a] = a == 10 ? -INFINITY : 0.0, p.hi[a] = a == 11 ? 0.2 : INFINITY;
      p.mu[a] = 0.4, p.slope[a] = a % 3 == 2 ? ch_random_uniform(&random, 0.0, 1.0) : 1.0;
      p.x[a] = ch_random_uniform(&random, -1.0, 1.0);
      constant[a] = ch_random_uniform(&random, -1.0, 1.0);
    }
    equation(&p, V, p.y);
    for (int a = 0; a < ROWS; ++a) p.y[a] += constant[a];
    for (int a = 0; a < ROWS; ++a) memcpy(p.T + a * p.stride, V + a * ROWS, ROWS * sizeof *V);
    ChKinkEnd end = ch_kink_path_follow(&p, 1000, never, &kinks);
    if (end == CH_KINK_LOOP) continue;
    assert_int_equal(end, CH_KINK_SOLVED);
    equation(&p, V, G);
    for (int a = 0; a < ROWS; ++a) CHECK_NEAR(G[a] + constant[a], 0.0, 1e-7);
  }
  assert_true(kinks > 1000);
}

// Sixty-four rows between their bounds, none of which need be entered when there is no time.
static void a_path_ends_where_time_has_run_out(void** state) {
  (void)state;
  enum { ROWS = 64 };
  ChKinkPath p = ch_kink_path_create(arena, ROWS);
  for (int a = 0; a < ROWS; ++a) {
    p.lo[a] = -INFINITY, p.hi[a] = INFINITY;
    p.x[a] = p.y[a] = 1.0;
    p.T[a * p.stride + a] = 1.0;
  }
  long kinks = 0;
  assert_int_equal(ch_kink_path_follow(&p, 10, (ChDeadline){0.0, INFINITY}, &kinks), CH_KINK_SINGULAR);
  CHECK_NEAR(p.T[0], 1.0, 0.0);
}

// A slab that comes down on 5 x 5 contacts, of which W sees six freedoms
static ChProblem* slab(const double velocity[6]) {
  static const double gravity[3] = {0.0, 0.0, -9.81}, up[3] = {0.0, 0.0, 1.0};
  static const double size[3] = {0.4, 0.4, 0.1}, centre[3] = {0.0, 0.0, 0.05};
  ChRig* rig = ch_rig_create(3, 0.01, gravity);
  int body = ch_rig_add_box(rig, 1000.0, size, NULL, centre);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      ch_rig_add_contact(rig, CH_RIG_GROUND, body, (double[3]){0.1 * i - 0.2, 0.1 * j - 0.2, 0.0}, up, 0.6);
  ch_rig_push(rig, body, velocity);
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_rig_build(&context, rig, CH_FORM_GLOBAL, &problem));
  ch_rig_destroy(rig);
  return problem;
}

// It slides on without turning: slip falls by mu (0.2 m/s + g h).
static void redundant_contacts_brake_a_slab(void** state) {
  (void)state;
  ChProblem* problem = slab((double[6]){0.5, 0.1, -0.2, 0.0, 0.0, 0.0});
  static ChSolved a;
  ChSolveOptions options = ch_options_for("walk", CH_POSE_COULOMB, 1e-12);
  ch_must_solve(problem, &options, &a);
  double share = 1.0 - 0.6 * (0.2 + 9.81 * 0.01) / hypot(0.5, 0.1), v[6] = {0.5 * share, 0.1 * share};
  for (int j = 0; j < 6; ++j) CHECK_NEAR(a.v[j], v[j], 1e-11);
  ch_problem_destroy(problem);
}

// Which of many reactions is found decides how it turns; each is a solution to the last digits.
static void redundant_contacts_of_a_slab_that_spins_and_tips(void** state) {
  (void)state;
  for (int k = 0; k < 20; ++k) {
    ChProblem* problem = slab((double[6]){0.5, 0.1, -0.2, 0.3, -0.6, 0.5 * k});
    static ChSolved a;
    ChSolveOptions options = ch_options_for("walk", CH_POSE_COULOMB, 1e-11);
    ch_must_solve(problem, &options, &a);
    ch_problem_destroy(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(path_goes_on_as_the_determinant_says, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(paths_end_at_solutions, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(a_path_ends_where_time_has_run_out, open_arena, close_arena),
      cmocka_unit_test(redundant_contacts_brake_a_slab),
      cmocka_unit_test(redundant_contacts_of_a_slab_that_spins_and_tips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
