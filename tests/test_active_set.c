// Facts about the dual active-set method: as a quadratic programme of its own, and on contact problems.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardhouse/solve.h"
#include "linalg/principal_factor.h"
#include "linalg/sparse.h"
#include "problem/polygon.h"
#include "solve/method.h"
#include "solve/qp/active_set_rays.h"
#include "solve/qp/convex_qp.h"
#include "support/random.h"
#include "support/solved.h"

enum { N = 12, M = 30 };

static ChArena* make_arena(void) {
  ChArena* arena = ch_arena_create(NULL);
  assert_non_null(arena);
  return arena;
}

typedef struct Qp {
  int n, m, equalities;
  double H[N * N], c[N], A[M * N], b[M], x[N], y[M];
  long changes;
  int proximal_steps;
} Qp;

static ChDualEnd solve_qp(Qp* p) {
  ChArena* arena = make_arena();
  const ChConvexQp qp = {.n = p->n,
                         .m = p->m,
                         .equalities = p->equalities,
                         .H = p->H,
                         .c = p->c,
                         .N = p->A,
                         .b = p->b,
                         .tolerance = 1e-10,
                         .deadline = ch_deadline_in(10.0, INFINITY)};
  ChConvexQpAnswer answer = {.x = p->x, .y = p->y};
  ChDualEnd end = ch_convex_qp_solve(arena, &qp, &answer);
  p->changes = answer.changes;
  p->proximal_steps = answer.proximal_steps;
  ch_arena_destroy(arena);
  return end;
}

// H x + c = A'y, slack >= 0, y >= 0, slack y = 0; rows of size about 1
static void check_optimal(const Qp* p, double tolerance) {
  for (int i = 0; i < p->n; ++i) {
    double gradient = p->c[i];
    for (int k = 0; k < p->n; ++k) gradient += p->H[i * p->n + k] * p->x[k];
    for (int j = 0; j < p->m; ++j) gradient -= p->A[j * p->n + i] * p->y[j];
    CHECK_NEAR(gradient, 0.0, tolerance);
  }
  for (int j = 0; j < p->m; ++j) {
    double slack = -p->b[j];
    for (int k = 0; k < p->n; ++k) slack += p->A[j * p->n + k] * p->x[k];
    if (j < p->equalities) {
      CHECK_NEAR(slack, 0.0, tolerance);
      continue;
    }
    CHECK_AT_MOST(-slack, tolerance);
    CHECK_AT_MOST(-p->y[j], 0.0);
    CHECK_NEAR(slack * p->y[j], 0.0, tolerance);
  }
}

// Constraints that x = `inside` meets; H = B'B of the given rank, plus the unit matrix where that is full.
static Qp random_qp(double seed, int rank, int m, int equalities) {
  ChRandom random = ch_random_seeded(seed);
  Qp p = {.n = N, .m = m, .equalities = equalities};
  double B[N * N] = {0}, inside[N];
  for (int k = 0; k < rank * N; ++k) B[k] = ch_random_normal(&random);
  for (int i = 0; i < N; ++i) {
    p.c[i] = 3.0 * ch_random_normal(&random);
    inside[i] = ch_random_normal(&random);
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < rank; ++k) p.H[i * N + j] += B[k * N + i] * B[k * N + j] / N;
    if (rank == N) p.H[i * N + i] += 0.1;
  }
  for (int j = 0; j < m; ++j) {
    double value = j < equalities ? 0.0 : -ch_random_uniform(&random, 0.0, 1.0);
    for (int i = 0; i < N; ++i) {
      p.A[j * N + i] = ch_random_normal(&random) / 3.0;
      value += p.A[j * N + i] * inside[i];
    }
    p.b[j] = value;
  }
  return p;
}

// The point of the simplex sum x = 1, x >= 0 nearest to (0.8, 0.6, -1): (0.6, 0.4, 0).
static void qp_projects_on_a_simplex(void** state) {
  (void)state;
  Qp p = {.n = 3,
          .m = 4,
          .equalities = 1,
          .H = {1, 0, 0, 0, 1, 0, 0, 0, 1},
          .c = {-0.8, -0.6, 1.0},
          .A = {1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1},
          .b = {1, 0, 0, 0}};
  assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
  const double wanted[3] = {0.6, 0.4, 0.0};
  for (int i = 0; i < 3; ++i) CHECK_NEAR(p.x[i], wanted[i], 1e-14);
  assert_int_equal(p.proximal_steps, 0);
}

static void random_qps_meet_their_conditions(void** state) {
  (void)state;
  for (int draw = 0; draw < 200; ++draw) {
    Qp p = random_qp(draw, N, M - draw % 20, draw % 5);
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    check_optimal(&p, 1e-9);
  }
}

// Every constraint twice, once doubled: dependent normals; the answer is that of the programme without the copies.
static void redundant_constraints_change_nothing(void** state) {
  (void)state;
  for (int draw = 0; draw < 100; ++draw) {
    Qp p = random_qp(1000 + draw, N, M / 2, 2), twice = p;
    twice.m = M;
    for (int j = 0; j < M / 2; ++j) {
      for (int i = 0; i < N; ++i) twice.A[(M / 2 + j) * N + i] = 2.0 * p.A[j * N + i];
      twice.b[M / 2 + j] = 2.0 * p.b[j];
    }
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    assert_int_equal(solve_qp(&twice), CH_DUAL_SOLVED);
    check_optimal(&twice, 1e-9);
    for (int i = 0; i < N; ++i) CHECK_NEAR(twice.x[i], p.x[i], 1e-9);
  }
}

static void contradictions_are_reported(void** state) {
  (void)state;
  Qp p = {.n = 2, .m = 3, .H = {1, 0, 0, 1}, .A = {1, 1, 1, 0, -1, -1}, .b = {1, 0, 0}};  // s >= 1 and s <= 0
  assert_int_equal(solve_qp(&p), CH_DUAL_INFEASIBLE);
}

// Without curvature in x_2: min 1/2 x_1^2 + x_2, x_2 >= -x_1 and x_2 >= x_1 - 4 meets the first at x_1 = 1.
// And a linear programme: min x_1 + 2 x_2 over x >= 0, x_1 + x_2 >= 1 ends in (1, 0).
static void semidefinite_programmes_end_in_their_solution(void** state) {
  (void)state;
  Qp p = {.n = 2, .m = 2, .H = {1, 0, 0, 0}, .c = {0, 1}, .A = {1, 1, -1, 1}, .b = {0, -4}};
  assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
  CHECK_NEAR(p.x[0], 1.0, 1e-9);
  CHECK_NEAR(p.x[1], -1.0, 1e-9);
  assert_true(p.proximal_steps > 0);
  Qp lp = {.n = 2, .m = 3, .c = {1, 2}, .A = {1, 0, 0, 1, 1, 1}, .b = {0, 0, 1}};
  assert_int_equal(solve_qp(&lp), CH_DUAL_SOLVED);
  CHECK_NEAR(lp.x[0], 1.0, 1e-9);
  CHECK_NEAR(lp.x[1], 0.0, 1e-9);
}

// A box makes any semidefinite programme bounded.
static void random_semidefinite_qps_meet_their_conditions(void** state) {
  (void)state;
  for (int draw = 0; draw < 50; ++draw) {
    Qp p = random_qp(2000 + draw, N / 3, 2 * N, 0);
    memset(p.A, 0, sizeof p.A);
    for (int i = 0; i < N; ++i) {
      p.A[2 * i * N + i] = 1.0, p.A[(2 * i + 1) * N + i] = -1.0;
      p.b[2 * i] = p.b[2 * i + 1] = -1.0;
    }
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    check_optimal(&p, 1e-8);
  }
}

static void hot_start_changes_nothing_twice(void** state) {
  (void)state;
  long cold = 0, hot = 0;
  for (int draw = 0; draw < 20; ++draw) {
    Qp p = random_qp(3000 + draw, N, M, 0);
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    assert_true(p.changes > 0);
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);  // from its own multipliers
    assert_int_equal(p.changes, 0);
    check_optimal(&p, 1e-9);
    for (int i = 0; i < N; ++i) p.c[i] *= 1.02;
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    hot += p.changes;
    check_optimal(&p, 1e-9);
    memset(p.y, 0, sizeof p.y);
    assert_int_equal(solve_qp(&p), CH_DUAL_SOLVED);
    cold += p.changes;
  }
  assert_true(4 * hot < cold);
}

// Rows come and go at random; both factors solve with what is in.
static void factors_follow_their_rows(void** state) {
  (void)state;
  ChArena* arena = make_arena();
  Qp p = random_qp(5, N, 0, 0);
  ChSparse A = {.rows = N, .columns = N, .start = CH_TAKE(arena, N + 1, int), .index = CH_TAKE(arena, N * N, int)};
  A.value = p.H;
  for (int k = 0; k < N * N; ++k) A.index[k] = k % N;
  for (int k = 0; k <= N; ++k) A.start[k] = k * N;
  for (int sparse = 0; sparse < 2; ++sparse) {
    ChPrincipalFactor* f = ch_principal_factor_create(arena, &A, N, sparse);
    ChRandom random = ch_random_seeded(9);
    for (int change = 0; change < 300; ++change) {
      int row = (int)ch_random_uniform(&random, 0.0, N);
      double d[N], x[N], b[N];
      if (ch_principal_factor_holds(f, row)) {
        ch_principal_factor_drop(f, row);
      } else {
        assert_true(ch_principal_factor_probe(f, row, d) > 0.0);
        ch_principal_factor_add(f, row);
      }
      for (int i = 0; i < N; ++i) b[i] = ch_random_normal(&random);
      ch_principal_factor_solve(f, b, x);
      for (int i = 0; i < N; ++i) {
        double sum = 0.0;
        for (int k = 0; k < N; ++k) sum += p.H[i * N + k] * x[k];
        CHECK_NEAR(ch_principal_factor_holds(f, i) ? sum - b[i] : x[i], 0.0, 1e-11);
      }
    }
  }
  ch_arena_destroy(arena);
}

// Round-off leaves up to 1.2e-11 in tower-heavy-top, less or more by how the processor at hand adds up.
static void solve(const ChProblem* problem, const char* method, ChSetting setting, ChSolved* a) {
  ChSolveOptions options = ch_options_for(method, CH_POSE_RELAXED, 3e-11);
  options.time_limit = 20.0;
  options.setting_count = setting.name != NULL;
  options.settings = &setting;
  ch_run_solve(problem, &options, a);
}

// Relative to the velocities without reactions.
static void check_same_velocity(const ChProblem* p, const ChSolved* a, const ChSolved* b, double tolerance) {
  static const double none[CH_SOLVED_MAX];
  static double u[CH_SOLVED_MAX], v[CH_SOLVED_MAX];
  ChContext context = {0};
  CHECK_OK(context, ch_problem_velocity(&context, p, none, v, u));
  double size = 0.0;
  for (int k = 0; k < p->rows; ++k) size = fmax(size, fabs(u[k]));
  for (int k = 0; k < p->rows; ++k) CHECK_NEAR(a->u[k], b->u[k], tolerance * size);
}

static const char* const contact_problems[] = {
    "incline-heading", "tower-heavy-top", "tower-slippery", "cards-3-shaken",     "arch-15-thin",
    "pile-6-shaken",   "pyramid-4",       "wall-3-shaken",  "planar-wall-shaken", "disks-shaken",
    "skates-6",        "chain-8",         "door-2-shaken",  "wheels-1-local",     "beads-5-shaken"};
enum { CONTACT_PROBLEMS = sizeof contact_problems / sizeof contact_problems[0] };

// The velocity of the convex problem is unique (I5): methods that share no code agree on it.
static void I5_methods_agree_on_the_convex_velocity(void** state) {
  (void)state;
  static ChSolved a, b;
  for (int k = 0; k < CONTACT_PROBLEMS; ++k) {
    ChProblem* p = ch_make_case(contact_problems[k], 8);
    solve(p, "active-set", (ChSetting){0}, &a);
    solve(p, "newton", (ChSetting){0}, &b);
    if (a.status != CH_OK) fail_msg("%s: natural %g", contact_problems[k], a.info.certificate.natural);
    if (b.status == CH_OK) check_same_velocity(p, &a, &b, 1e-9);
    ch_problem_destroy(p);
  }
}

static void dense_and_sparse_agree(void** state) {
  (void)state;
  static ChSolved a, b;
  for (int k = 0; k < CONTACT_PROBLEMS; ++k) {
    ChProblem* p = ch_make_case(contact_problems[k], 8);
    solve(p, "active-set", (ChSetting){"active-set.factor", 1}, &a);
    solve(p, "active-set", (ChSetting){"active-set.factor", 2}, &b);
    assert_int_equal(a.status, CH_OK);
    assert_int_equal(b.status, CH_OK);
    check_same_velocity(p, &a, &b, 1e-10);
    ch_problem_destroy(p);
  }
}

// With the default weight no slack is left, so that the elastic programme has the velocity of the other. With a weight
// far too small the method finds out and raises it.
static void I23_exact_penalty_gives_the_same_velocity(void** state) {
  (void)state;
  static ChSolved plain, elastic, raised;
  for (int k = 0; k < CONTACT_PROBLEMS; ++k) {
    ChProblem* p = ch_make_case(contact_problems[k], 8);
    solve(p, "active-set", (ChSetting){0}, &plain);
    solve(p, "active-set", (ChSetting){"active-set.penalty", 1.0}, &elastic);
    solve(p, "active-set", (ChSetting){"active-set.penalty", 1e-4}, &raised);
    if (elastic.status != CH_OK || raised.status != CH_OK)
      fail_msg("%s: natural %g and %g", contact_problems[k], elastic.info.certificate.natural,
               raised.info.certificate.natural);
    check_same_velocity(p, &plain, &elastic, 1e-10);
    check_same_velocity(p, &plain, &raised, 1e-10);
    assert_true(elastic.info.factorizations <= raised.info.factorizations);
    ch_problem_destroy(p);
  }
}

// The number of slacks that a weight leaves: none with C above the largest normal impulse, some with less.
static void I23_weight_above_the_largest_impulse_leaves_no_slack(void** state) {
  (void)state;
  ChArena* arena = make_arena();
  ChContext context = {0};
  ChProblem* p = ch_make_case("wall-3-shaken", 8);
  ChPrepared parts;
  CHECK_OK(context, ch_prepare(&context, arena, p, CH_POSE_RELAXED, NULL, &parts));
  const ChSystem* s = &parts.component[0].system;
  double *r = CH_TAKE(arena, s->rows, double), *u = CH_TAKE(arena, s->rows, double), largest = 0.0;
  for (int round = 0; round < 3; ++round) {
    const double C = round == 0 ? INFINITY : round == 1 ? 1.01 * largest : 0.5 * largest;
    ChRays rays;
    assert_true(ch_rays_create(arena, s, &(ChRaysDef){.penalty = C}, &rays));
    const ChDualActiveSetDef def = {
        .A = &rays.A, .free = rays.free, .cap = rays.bound, .rank_max = rays.rank_max, .tol_dependent = 1e-11};
    ChDualActiveSet* set = ch_dual_active_set_create(arena, &def);
    double *b = CH_TAKE(arena, rays.n, double), slack = 0.0;
    const ChDualLimits limits = {1e-13, 100000, ch_deadline_in(10.0, INFINITY)};
    memset(u, 0, (size_t)s->rows * sizeof *u);
    ch_rays_start(&rays, u, u, NULL);
    for (int step = 0; step < 50; ++step) {
      ch_rays_linear_term(&rays, b);
      assert_int_equal(ch_dual_active_set_solve(set, b, &limits), CH_DUAL_SOLVED);
      ch_rays_to_reaction(&rays, ch_dual_active_set_multipliers(set), r);
      if (ch_rays_update(&rays, ch_dual_active_set_multipliers(set), r) < 1e-12) break;
    }
    for (int i = 0; i < s->n && round == 0; ++i) largest = fmax(largest, r[s->row[i]]);
    for (int g = 0; g < rays.groups; ++g) slack = fmax(slack, rays.z[g]);
    if (round == 1) CHECK_NEAR(slack, 0.0, 1e-11);
    if (round == 2) assert_true(slack > 1e-6);
  }
  ch_problem_destroy(p);
  ch_arena_destroy(arena);
}

// One polygonal disc with W = 1: the reaction is the point of the octagon nearest to -q.
static void disc_is_projected_on_its_polygon(void** state) {
  (void)state;
  ChArena* arena = make_arena();
  double corners[16], q[2], W[4] = {1, 0, 0, 1};
  ChScaledBlock block = {.law = &ch_law_disc, .dim = 2, .mu = 0.7, .sides = 8, .corners = corners};
  int dim[1] = {2}, row[2] = {0, 2}, start[2] = {0, 1}, column[1] = {0}, diagonal[1] = {0};
  long offset[2] = {0, 4};
  ch_polygon_corners(8, corners);
  ChSystem s = {.n = 1,
                .rows = 2,
                .dim = dim,
                .row = row,
                .block = &block,
                .q = q,
                .formed = true,
                .symmetric = true,
                .polygonal = true,
                .relaxed = true,
                .W = {1, dim, row, start, column, offset, diagonal, W}};
  ChRandom random = ch_random_seeded(21);
  ChSolveOptions options = ch_solve_options_default();
  for (int draw = 0; draw < 100; ++draw) {
    double r[2] = {0.0, 0.0}, wanted[2], minus[2];
    for (int a = 0; a < 2; ++a) minus[a] = -(q[a] = ch_random_uniform(&random, -1.2, 1.2));
    ch_system_project_block(&s, 0, minus, wanted);
    ChShared shared = {.arena = arena, .system = &s};
    ChRun run = {.system = &s,
                 .arena = arena,
                 .options = &options,
                 .shared = &shared,
                 .tolerance = 1e-12,
                 .deadline = ch_deadline_in(5.0, INFINITY),
                 .scale = 1.0,
                 .error = INFINITY,
                 .r = r};
    ch_method_find("active-set")->solve(&run);
    for (int a = 0; a < 2; ++a) CHECK_NEAR(r[a], wanted[a], 1e-11);
  }
  ch_arena_destroy(arena);
}

// As the inner solver of the outer loops, also with an unsymmetric W; what ends is exact Coulomb over the polygon.
static void outer_loops_take_it(void** state) {
  (void)state;
  static const char* const outer[] = {"successive", "staggered"};
  static const char* const problems[] = {"bag-20", "door-2-shaken", "skates-6", "wheels-2", "cards-2", "tower-5"};
  static ChSolved a;
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k)
    for (int o = 0; o < 2; ++o) {
      ChContext context = {0};
      ChProblem* p = ch_make_case(problems[k], 8);
      ChSolveOptions options = ch_solve_options_default();
      options.method = outer[o];
      options.inner = "active-set";
      CHECK_OK(context, ch_solve(&context, p, &options, a.v, a.u, a.r, &a.info));
      assert_string_equal(a.info.inner_name, "active-set");
      ch_problem_destroy(p);
    }
}

static void what_it_cannot_take_is_refused(void** state) {
  (void)state;
  static ChSolved a;
  ChContext context = {0};
  ChProblem* p = ch_make_case("tower-5", 8);
  ChSolveOptions options = ch_solve_options_default();
  options.method = "active-set";
  assert_int_equal(ch_solve(&context, p, &options, a.v, a.u, a.r, &a.info), CH_ERR_UNSUPPORTED);
  assert_non_null(strstr(context.message, "relaxed"));
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(qp_projects_on_a_simplex),
      cmocka_unit_test(random_qps_meet_their_conditions),
      cmocka_unit_test(redundant_constraints_change_nothing),
      cmocka_unit_test(contradictions_are_reported),
      cmocka_unit_test(semidefinite_programmes_end_in_their_solution),
      cmocka_unit_test(random_semidefinite_qps_meet_their_conditions),
      cmocka_unit_test(hot_start_changes_nothing_twice),
      cmocka_unit_test(factors_follow_their_rows),
      cmocka_unit_test(I5_methods_agree_on_the_convex_velocity),
      cmocka_unit_test(dense_and_sparse_agree),
      cmocka_unit_test(I23_exact_penalty_gives_the_same_velocity),
      cmocka_unit_test(I23_weight_above_the_largest_impulse_leaves_no_slack),
      cmocka_unit_test(disc_is_projected_on_its_polygon),
      cmocka_unit_test(outer_loops_take_it),
      cmocka_unit_test(what_it_cannot_take_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
