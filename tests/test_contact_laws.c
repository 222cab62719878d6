// What is true of every law, read from the table: a new row is tested by being there, and so is a law that is
// registered. The one of docs/your_own_law.md and a set that leaves zero out are.
//
// Blocks are drawn from the ranges that the row gives for its parameters. The certificate's half of a row is tested
// against definitions, the solvers' half against the certificate's.
#include "problem/laws/law.h"

#include "cardhouse/files.h"
#include "cardhouse/solve.h"
#include "linalg/small.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "solve/contact/contact_map.h"
#include "solve/contact/local_contact.h"
#include "support/arena_rig.h"
#include "support/near.h"
#include "support/random.h"
#include "support/sections.h"
#include "support/temporary.h"

#define main ch_example_main
#include "../docs/examples/your_own_law.c"
#undef main

enum { DRAWS = 40, POINTS = 50, COUPLED = 3, MOST_ROWS = COUPLED * CH_BLOCK_MAX };

static double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

static double distance(int n, const double* a, const double* b) {
  double d[MOST_ROWS];
  for (int k = 0; k < n; ++k) d[k] = a[k] - b[k];
  return sqrt(dot(n, d, d));
}

static void draw_point(ChRandom* random, int n, double* x) {
  const double scale = exp(ch_random_uniform(random, -2.0, 2.0));
  for (int k = 0; k < n; ++k) x[k] = scale * ch_random_normal(random);
}

// --- drawing blocks and problems -------------------------------------------------------------------------------------

static int space_of(int draw) { return 2 + draw % 2; }

static ChFrictionSection drawn_sections[8];  // of the blocks drawn last

static const ChFrictionSection* draw_section(ChRandom* random) {
  static int turn;
  turn = (turn + 1) % 8;
  drawn_sections[turn] = ch_draw_section(random, 1.0);
  return &drawn_sections[turn];
}

// A legal block: parameters between their bounds, or between -2 and 2 where these are wide.
static ChBlock draw_block(ChRandom* random, ChLaw law, int space) {
  const ChLawInfo* info = ch_law_info(law);
  const int low = info->dimension_lowest, choices = info->dimension_highest - low + 1;
  ChBlock block;
  do {
    block =
        (ChBlock){.law = law, .dimension = low > 0 ? low + (int)(ch_random_bits(random) % (unsigned)choices) : space};
    for (int k = 0; k < info->parameter_count; ++k) {
      const double lo = fmax(info->parameter[k].lowest, -2.0), hi = fmin(info->parameter[k].highest, 2.0);
      ch_block_set_parameter(&block, k, ch_random_uniform(random, lo, hi));
    }
    if (info->section) block.section = draw_section(random);
  } while (ch_law_rows[law]->check && ch_law_rows[law]->check(NULL, &block, 0) != CH_OK);
  return block;
}

// Blocks of one law, coupled by W = A A^T + 0.1.
static ChProblem* draw_problem(ChRandom* random, ChLaw law, int space, int blocks, int sides) {
  ChBlock block[COUPLED];
  double A[MOST_ROWS * MOST_ROWS], value[MOST_ROWS * MOST_ROWS], q[MOST_ROWS];
  int row[MOST_ROWS * MOST_ROWS], column[MOST_ROWS * MOST_ROWS], n = 0;
  for (int i = 0; i < blocks; ++i) {
    block[i] = draw_block(random, law, space);
    if (ch_law_info(law)->friction && space == 3) block[i].sides = sides;
    n += block[i].dimension;
  }
  for (int k = 0; k < n * n; ++k) A[k] = ch_random_normal(random);
  for (int i = 0; i < n; ++i) q[i] = ch_random_normal(random);
  for (int k = 0; k < n * n; ++k) {
    row[k] = k / n, column[k] = k % n;
    value[k] = (row[k] == column[k] ? 0.1 : 0.0) + dot(n, A + row[k] * n, A + column[k] * n);
  }
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = space,
                            .block_count = blocks,
                            .blocks = block,
                            .W = {n, n, n * n, row, column, value},
                            .w = q};
  ChProblem* problem;
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  return problem;
}

// One block in scaled variables; NULL where nothing drives it.
static ChComponent* prepare_one(const ChProblem* problem) {
  ChPrepared parts;
  CHECK_OK(context, ch_prepare(&context, arena, problem, CH_POSE_COULOMB, NULL, &parts));
  return parts.count > 0 ? &parts.component[0] : NULL;
}

// Runs a check on single blocks of every law, in scaled variables, smooth and, where it may be, polygonal.
static void for_scaled_blocks(void (*check)(ChRandom*, const ChProblem*, const ChComponent*)) {
  ChRandom random = ch_random_seeded(31);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int draw = 0; draw < DRAWS; ++draw) {
      ChArenaMark mark = ch_arena_mark(arena);
      const int sides = draw % 4 == 3 && ch_law_rows[law]->cone ? 6 : 0;
      ChProblem* problem = draw_problem(&random, (ChLaw)law, space_of(draw), 1, sides);
      const ChComponent* part = prepare_one(problem);
      if (part) check(&random, problem, part);
      ch_problem_destroy(problem);
      ch_arena_release(arena, mark);
    }
}

// --- what it is ------------------------------------------------------------------------------------------------------

static void every_law_is_named_once_and_found_again(void** state) {
  (void)state;
  for (int law = 0; law < ch_law_count(); ++law) {
    const ChLawInfo* info = ch_law_info((ChLaw)law);
    assert_true(info->name && info->plural && info->statement);
    assert_int_equal(ch_law_find(info->name), law);
    assert_true(info->dimension_lowest >= 0 && info->dimension_highest <= CH_BLOCK_MAX);
    assert_true(info->parameter_count <= CH_LAW_PARAMETERS);
    for (int k = 0; k < info->parameter_count; ++k) {
      assert_true(info->parameter[k].offset + sizeof(double) <= sizeof(ChBlock));
      assert_true(info->parameter[k].lowest < info->parameter[k].highest);
    }
  }
  assert_int_equal(ch_law_find("no such law"), CH_LAW_NONE);
  assert_int_equal(ch_law_find(NULL), CH_LAW_NONE);
  assert_null(ch_law_info((ChLaw)ch_law_count()));
  assert_null(ch_law_info((ChLaw)-1));
}

static void parameters_outside_their_range_are_refused(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(32);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int k = 0; k < ch_law_info((ChLaw)law)->parameter_count; ++k) {
      ChProblem *refused, *good = draw_problem(&random, (ChLaw)law, 3, 1, 0);
      ChBlock block = good->blocks[0];
      ChProblemDef def = {.form = CH_FORM_LOCAL, .dimension = 3, .block_count = 1, .blocks = &block, .w = good->w};
      ch_block_set_parameter(&block, k, NAN);
      assert_int_equal(ch_problem_build(&context, &def, &refused), CH_ERR_RANGE);
      assert_true(isnan(ch_block_parameter(&block, k)));
      assert_true(isnan(ch_block_parameter(&block, -1)));
      ch_problem_destroy(good);
    }
}

static void files_keep_every_parameter(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(33);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int space = 2; space <= 3; ++space) {
      ChProblem *back, *problem = draw_problem(&random, (ChLaw)law, space, COUPLED, 0);
      const char* path = ch_temporary_path("law.hdf5");
      CHECK_OK(context, ch_problem_write(&context, path, problem));
      CHECK_OK(context, ch_problem_read(&context, path, &back));
      assert_true(ch_same_blocks(problem, back));
      ch_problem_destroy(problem);
      ch_problem_destroy(back);
    }
}

// --- what the certificate reads --------------------------------------------------------------------------------------

// y = P(x) exactly when (x - y) . (z - y) <= 0 for every z of the convex set; nonexpansive and idempotent follow.
static void the_set_is_convex_and_the_projection_is_onto_it(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(34);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int draw = 0; draw < DRAWS; ++draw) {
      const ChBlock block = draw_block(&random, (ChLaw)law, space_of(draw));
      const int n = block.dimension;
      for (int point = 0; point < POINTS; ++point) {
        double x[CH_BLOCK_MAX], other[CH_BLOCK_MAX], y[CH_BLOCK_MAX], z[CH_BLOCK_MAX], again[CH_BLOCK_MAX], sum = 0.0;
        draw_point(&random, n, x);
        draw_point(&random, n, other);
        ch_block_project(&block, CH_POSE_COULOMB, x, y);
        ch_block_project(&block, CH_POSE_COULOMB, other, z);
        ch_block_project(&block, CH_POSE_COULOMB, y, again);
        const double size = 1.0 + dot(n, x, x) + dot(n, other, other);
        for (int k = 0; k < n; ++k) sum += (x[k] - y[k]) * (z[k] - y[k]);
        CHECK_AT_MOST(sum, 1e-13 * size);
        CHECK_AT_MOST(distance(n, y, again), 1e-14 * size);
        CHECK_AT_MOST(distance(n, y, z), distance(n, x, other) + 1e-13 * size);
        x[point % n] = NAN;
        ch_block_project(&block, CH_POSE_COULOMB, x, y);
        for (int k = 1; k < n; ++k) y[0] += y[k];
        assert_true(isnan(y[0]));
      }
    }
}

// sigma(u_T) = max { -r_T . u_T : r in the set, r_n = 1 above its lowest }, over points of the section that projections
// find.
static void support_is_the_largest_dissipation_of_the_section(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(35);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int draw = 0; draw < DRAWS; ++draw) {
      const ChBlock block = draw_block(&random, (ChLaw)law, space_of(draw));
      const int n = block.dimension;
      double u[CH_BLOCK_MAX], most = 0.0;
      draw_point(&random, n, u);
      const double sigma = ch_block_support(&block, CH_POSE_COULOMB, u), below[CH_BLOCK_MAX] = {-1e6};
      double lowest[CH_BLOCK_MAX];
      ch_block_project(&block, CH_POSE_COULOMB, below, lowest);
      if (!ch_law_grade(&block)->support) CHECK_NEAR(sigma, 0.0, 0.0);
      for (int sample = 0; ch_law_grade(&block)->support && sample < 4000; ++sample) {
        double r[CH_BLOCK_MAX];
        r[0] = 1.0;
        for (int k = 1; k < n; ++k) r[k] = 10.0 * ch_random_normal(&random);
        ch_block_project(&block, CH_POSE_COULOMB, r, r);
        if (r[0] > lowest[0]) most = fmax(most, -dot(n - 1, r + 1, u + 1) / (r[0] - lowest[0]));
      }
      CHECK_AT_MOST(most, sigma * (1.0 + 1e-12));
      CHECK_AT_MOST(0.98 * sigma, most);
    }
}

// --- what solvers use, against what the certificate reads ------------------------------------------------------------

// r = c g r', so that the scaled set is the problem's set in other variables.
static void scaled_points_are_points_of_the_set(ChRandom* random, const ChProblem* problem, const ChComponent* part) {
  const ChScaledBlock* b = part->system.block;
  for (int point = 0; point < POINTS; ++point) {
    double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], again[CH_BLOCK_MAX], r[CH_BLOCK_MAX] = {0.0}, inside[CH_BLOCK_MAX], lo, hi;
    draw_point(random, b->dim, x);
    b->law->project(b, x, y);
    b->law->project(b, y, again);
    CHECK_AT_MOST(distance(b->dim, y, again), 1e-14 * (1.0 + dot(b->dim, x, x)));
    b->law->interval(b, &lo, &hi);
    assert_true(y[0] >= lo && y[0] <= hi);
    for (int a = 0; a < b->dim && !b->law->together; ++a) CHECK_NEAR(b->law->clamp(b, a, x[a], x), y[a], 0.0);
    for (int a = 0; a < b->dim; ++a) r[part->source[a]] = part->c * part->g[a] * y[a];
    ch_block_project(problem->blocks, CH_POSE_COULOMB, r, inside);
    CHECK_AT_MOST(distance(problem->rows, r, inside), 1e-12 * (1.0 + sqrt(dot(problem->rows, r, r))));
  }
}

// c mu slip / g_n is the shift of the certificate, and the gradient is that of slip.
static void scaled_slip_is_the_support(ChRandom* random, const ChProblem* problem, const ChComponent* part) {
  const ChScaledBlock* b = part->system.block;
  for (int point = 0; point < POINTS; ++point) {
    double u[CH_BLOCK_MAX], t[CH_BLOCK_MAX], given[CH_BLOCK_MAX] = {0.0};
    draw_point(random, b->dim, u);
    for (int a = 0; a < b->dim; ++a) given[part->source[a]] = part->c * u[a] / part->g[a];
    const double slip = ch_system_slip_gradient(&part->system, 0, u, t), shift = part->c * b->mu * slip / part->g[0];
    const double wanted = ch_block_support(problem->blocks, CH_POSE_COULOMB, given);
    CHECK_NEAR(shift, wanted, 1e-12 * (1.0 + wanted));
    CHECK_NEAR(ch_system_slip(&part->system, 0, u), slip, 0.0);
    double along = dot(b->dim, t, u);  // homogeneous of degree one
    CHECK_NEAR(along, slip, 1e-13 * (1.0 + slip));
  }
}

// D against central differences, away from kinks.
static void derivatives_are_differences(ChRandom* random, const ChProblem* problem, const ChComponent* part) {
  (void)problem;
  const int d = part->system.dim[0];
  const double h = 1e-6;
  for (int point = 0; point < POINTS; ++point)
    for (int map = 0; map < 2; ++map) {
      double x[CH_BLOCK_MAX], D[CH_BLOCK_MAX * CH_BLOCK_MAX], near[CH_BLOCK_MAX * CH_BLOCK_MAX];
      draw_point(random, d, x);
      ch_map_derivative(&part->system, (ChMap)map, 0, x, D);
      for (int c = 0; c < d; ++c) {
        double step[2][CH_BLOCK_MAX], y[2][CH_BLOCK_MAX], kink = 0.0;
        for (int side = 0; side < 2; ++side) {
          memcpy(step[side], x, sizeof x);
          step[side][c] += side ? h : -h;
          ch_map_value(&part->system, (ChMap)map, 0, step[side], y[side]);
          ch_map_derivative(&part->system, (ChMap)map, 0, step[side], near);
          kink = fmax(kink, distance(d * d < MOST_ROWS ? d * d : MOST_ROWS, near, D));
        }
        for (int a = 0; a < d && kink < 1e-3; ++a) CHECK_NEAR(D[a * d + c], (y[1][a] - y[0][a]) / (2.0 * h), 1e-5);
      }
    }
}

// The exact local solution is the problem's solution, and the certificate says so.
static void the_local_solution_is_certified(ChRandom* random, const ChProblem* problem, const ChComponent* part) {
  (void)random;
  const ChSystem* s = &part->system;
  if (s->polygonal) return;  // solved by other methods
  ChLocalBlock local;
  ChCertificate grade;
  double x[CH_BLOCK_MAX] = {0.0}, r[CH_BLOCK_MAX] = {0.0};
  ch_local_prepare(arena, s, 0, &local);
  for (int visit = 0; visit < 3; ++visit) ch_local_solve(s, 0, &local, s->q, x);
  for (int a = 0; a < s->rows; ++a) r[part->source[a]] = part->c * part->g[a] * x[a];
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, &grade));
  CHECK_AT_MOST(grade.natural, 1e-9);
  CHECK_AT_MOST(grade.cone, 1e-12);
  CHECK_AT_MOST(grade.signorini, 1e-9);
  CHECK_AT_MOST(grade.dissipation, 1e-9 * (1.0 + dot(problem->rows, r, r)));
}

// The scaling is symmetric and positive definite; in a cone it takes r to u, G r = u, as the Hessian of a
// self-concordant barrier at the scaling point does. The longest step is where r or u reaches its boundary.
static void barriers_scale_and_stop_at_the_boundary(ChRandom* random, const ChProblem* problem,
                                                    const ChComponent* part) {
  (void)problem;
  const ChScaledBlock* b = part->system.block;
  const ChBarrier* barrier = b->law->barrier;
  if (!barrier) {
    assert_true(ch_law_is_unusual(b->law));
    return;
  }
  double v[6][CH_BLOCK_MAX] = {{0.0}}, G[CH_BLOCK_MAX * CH_BLOCK_MAX], Gr[CH_BLOCK_MAX], sum = 0.0;
  ChInteriorCones cones = {0};
  ChInterior x = {.r = v[0], .u = v[1], .dr = v[2], .du = v[3], .c = v[4], .lambda = v[5], .cones = &cones};
  const bool bounded = barrier->start(b, 0.5, &x);
  for (int a = 1; a < b->dim && barrier->cone; ++a) x.r[a] = 0.1 * (a + 1), x.u[a] = -0.2;
  const int pairs = barrier->complementarity(b, &x, 0.0, &sum);
  assert_true(bounded == (pairs > 0));
  assert_true(pairs == 0 || sum > 0.0);
  barrier->scale(b, &x, G);
  ch_small_multiply(b->dim, G, x.r, Gr);
  for (int a = 0; a < b->dim; ++a) {
    assert_true(G[a * b->dim + a] > 0.0);
    for (int c = 0; c < a; ++c) CHECK_NEAR(G[a * b->dim + c], G[c * b->dim + a], 1e-15 * G[0]);
    if (barrier->cone) CHECK_NEAR(Gr[a], x.u[a], 1e-14);
  }
  draw_point(random, b->dim, x.dr);
  const double step = barrier->longest(b, &x, INFINITY);
  assert_true(step > 0.0 && (bounded || step == INFINITY));
  if (!(step < INFINITY) || !barrier->cone) return;
  double end[CH_BLOCK_MAX];
  for (int a = 0; a < b->dim; ++a) end[a] = x.r[a] + step * x.dr[a];  // du = 0: r it is
  CHECK_NEAR(end[0], ch_lorentz_tail(b->dim, end), 1e-12 * (1.0 + fabs(end[0])));
}

// A point of a polygonal set is its base and a sum of rays, and r = G y + base for y of the complementarity problem.
static void polygons_make_up_their_points(ChRandom* random, const ChProblem* problem, const ChComponent* part) {
  (void)problem;
  const ChScaledBlock* b = part->system.block;
  if (ch_block_is_curved(b)) return;
  const ChLawPolygon* polygon = b->law->polygon;
  enum { MOST = 64 };
  double x[CH_BLOCK_MAX], r[CH_BLOCK_MAX], u[CH_BLOCK_MAX];
  draw_point(random, b->dim, x);
  draw_point(random, b->dim, u);
  b->law->project(b, x, r);
  double G[CH_RAY_ROWS * MOST] = {0.0}, bound[MOST], base[CH_BLOCK_MAX] = {0.0}, weight[MOST] = {0.0};
  unsigned char free[MOST] = {0};
  double made[CH_BLOCK_MAX];
  for (int k = 0; k < MOST; ++k) bound[k] = INFINITY;
  polygon->fill(b, (ChRayRows){.G = G, .free = free, .bound = bound, .base = base});
  polygon->split(b, base, r, weight);
  memcpy(made, base, sizeof made);
  for (int p = 0; p < polygon->rays(b); ++p) {
    assert_true(free[p] || weight[p] >= -1e-14);
    CHECK_AT_MOST(weight[p], bound[p] * (1.0 + 1e-14) + 1e-14);
    if (!b->law->together) made[p] += G[CH_RAY_ROWS * p] * weight[p];
    for (int a = 0; a < b->dim && b->law->together; ++a) made[a] += G[CH_RAY_ROWS * p + a] * weight[p];
  }
  for (int a = 0; a < b->dim; ++a) CHECK_NEAR(made[a], r[a], 1e-8 * (1.0 + fabs(r[a])));
  int row[MOST * CH_BLOCK_MAX], column[MOST * CH_BLOCK_MAX], row_C[4 * MOST], column_C[4 * MOST];
  double value[MOST * CH_BLOCK_MAX], value_C[4 * MOST], y[MOST] = {0.0}, bias[MOST] = {0.0};
  ChEntryList g = {row, column, value, 0}, c = {row_C, column_C, value_C, 0};
  polygon->list(b, &(ChLcpPlace){.G = &g, .C = &c});
  polygon->point(b, r, u, y);
  memset(made, 0, sizeof made);
  polygon->bounds(b, free, made, bias);
  for (int k = 0; k < polygon->variables(b); ++k) assert_true(free[k] || y[k] >= 0.0);
  for (long k = 0; k < g.count; ++k) made[row[k]] += value[k] * y[column[k]];
  for (int a = 0; a < b->dim; ++a) CHECK_NEAR(made[a], r[a], 1e-13 * (1.0 + fabs(r[a])));
}

static void scaled_sets_are_the_problem_s(void** state) {
  (void)state;
  for_scaled_blocks(scaled_points_are_points_of_the_set);
}
static void slips_are_supports(void** state) {
  (void)state;
  for_scaled_blocks(scaled_slip_is_the_support);
}
static void derivatives_are_true(void** state) {
  (void)state;
  for_scaled_blocks(derivatives_are_differences);
}
static void local_solutions_are_certified(void** state) {
  (void)state;
  for_scaled_blocks(the_local_solution_is_certified);
}
static void barriers_are_true(void** state) {
  (void)state;
  for_scaled_blocks(barriers_scale_and_stop_at_the_boundary);
}
static void polygons_are_true(void** state) {
  (void)state;
  for_scaled_blocks(polygons_make_up_their_points);
}

// --- registered laws -------------------------------------------------------------------------------------------------

// A ball of `radius` about (2, 0, 0, 0): the dual of a spring that is set under load.
static void project_ball(const double* parameter, const double* x, double* y) {
  const double from[4] = {x[0] - 2.0, x[1], x[2], x[3]}, size = sqrt(dot(4, from, from));
  const double shrink = size <= parameter[0] ? 1.0 : parameter[0] / size;
  for (int k = 0; k < 4; ++k) y[k] = (k == 0 ? 2.0 : 0.0) + shrink * from[k];
}

static const ChOwnLaw ball = {.name = "off-centre",
                              .dimension = 4,
                              .parameter_count = 1,
                              .parameter = {{"radius", 0.0, 1e3}},
                              .project = project_ball};

static int register_laws(void** state) {
  ChLaw law;
  CHECK_OK(context, ch_law_register(&context, &stadium, &law));
  assert_int_equal(law, CH_LAW_OWN);
  CHECK_OK(context, ch_law_register(&context, &ball, NULL));
  assert_int_equal(ch_law_count(), CH_LAW_COUNT + 2);
  return ch_temporary_create(state);
}

// --- whole problems --------------------------------------------------------------------------------------------------

static void coupled_blocks_are_solved_and_certified(void** state) {
  (void)state;
  static const char* const methods[] = {"auto", "nsgs", "newton"};
  ChRandom random = ch_random_seeded(36);
  for (int law = 0; law < ch_law_count(); ++law)
    for (int draw = 0; draw < DRAWS; ++draw)
      for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        ChProblem* problem = draw_problem(&random, (ChLaw)law, space_of(draw), COUPLED, 0);
        ChSolveOptions options = ch_solve_options_default();
        ChSolveInfo info;
        double u[MOST_ROWS], r[MOST_ROWS];
        options.method = methods[m];
        CHECK_OK(context, ch_solve(&context, problem, &options, NULL, u, r, &info));
        if (m == 0 && !ch_certificate_met(&info.certificate, options.tolerance))
          fail_msg("%s by %s: natural is %g", ch_law_info((ChLaw)law)->name, methods[m], info.certificate.natural);
        ch_problem_destroy(problem);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_is_named_once_and_found_again),
      cmocka_unit_test(parameters_outside_their_range_are_refused),
      cmocka_unit_test(files_keep_every_parameter),
      cmocka_unit_test(the_set_is_convex_and_the_projection_is_onto_it),
      cmocka_unit_test(support_is_the_largest_dissipation_of_the_section),
      cmocka_unit_test_setup_teardown(scaled_sets_are_the_problem_s, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(slips_are_supports, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(derivatives_are_true, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(local_solutions_are_certified, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(barriers_are_true, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(polygons_are_true, open_arena, close_arena),
      cmocka_unit_test(coupled_blocks_are_solved_and_certified),
  };
  return cmocka_run_group_tests(tests, register_laws, ch_temporary_remove);
}
