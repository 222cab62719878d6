// Facts about polygonal friction and about Lemke's method on it.
#include <math.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "problem/polygon.h"
#include "support/families.h"
#include "support/near.h"
#include "support/random.h"
#include "support/suite.h"

enum { ROWS_MAX = 4096, DOF_MAX = 4096, DRAWS = 2000 };

static void random_point(ChRandom* random, double x[3]) {
  for (int k = 0; k < 3; ++k) x[k] = ch_random_uniform(random, -2.0, 2.0);
}

// Moreau: P(x) in K, x - P(x) in the polar cone, orthogonal. Generators decide both.
static void projection_splits_a_point(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(3);
  for (int draw = 0; draw < DRAWS; ++draw) {
    int sides = 4 + 2 * (draw % 9);
    double corners[2 * CH_SIDES_MAX], x[3], y[3], again[3],
        mu[2] = {ch_random_uniform(&random, 0.1, 2.0), ch_random_uniform(&random, 0.1, 2.0)};
    ch_polygon_corners(sides, corners);
    random_point(&random, x);
    ch_project_polygon(mu, sides, corners, x, y, NULL);
    ch_project_polygon(mu, sides, corners, y, again, NULL);
    double dot = 0.0;
    for (int k = 0; k < 3; ++k) {
      dot += (x[k] - y[k]) * y[k];
      CHECK_NEAR(again[k], y[k], 1e-12);  // a few roundings of numbers of size 2
    }
    CHECK_NEAR(dot, 0.0, 1e-12);
    for (int j = 0; j < sides; ++j) {
      double g[3] = {1.0, mu[0] * corners[2 * j], mu[1] * corners[2 * j + 1]}, rest = 0.0;
      for (int k = 0; k < 3; ++k) rest += (x[k] - y[k]) * g[k];
      assert_true(rest <= 1e-12);
    }
  }
}

// No friction along one tangent or both: the cone is a plane sector or a half-line.
static void flat_cones_have_no_inside(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(4);
  double corners[16];
  ch_polygon_corners(8, corners);
  for (int draw = 0; draw < DRAWS; ++draw) {
    const double mu[2] = {draw % 2 ? 0.5 : 0.0, 0.0};
    double x[3], y[3], sector[2];
    random_point(&random, x);
    if (draw % 3 == 0) x[2] = 0.0;
    ch_project_polygon(mu, 8, corners, x, y, NULL);
    ch_project_circular2(mu[0], x, sector);
    CHECK_NEAR(y[0], sector[0], 1e-12);
    CHECK_NEAR(y[1], sector[1], 1e-12);
    CHECK_NEAR(y[2], 0.0, 1e-15);
  }
}

static void derivative_is_that_of_the_projection(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(5);
  double corners[16], mu[2] = {0.6, 0.6};
  ch_polygon_corners(8, corners);
  for (int draw = 0; draw < DRAWS; ++draw) {
    double x[3], y[3], step = 1e-6;
    ChPolygonFace face, ahead;
    random_point(&random, x);
    ch_project_polygon(mu, 8, corners, x, y, &face);
    for (int b = 0; b < 3; ++b) {
      double moved[3], y_moved[3];
      memcpy(moved, x, sizeof moved);
      moved[b] += step;
      ch_project_polygon(mu, 8, corners, moved, y_moved, &ahead);
      if (memcmp(&face, &ahead, sizeof face) != 0) continue;  // another face: a kink in between
      for (int a = 0; a < 3; ++a) CHECK_NEAR((y_moved[a] - y[a]) / step, face.D[3 * a + b], 1e-8);
    }
  }
}

// inscribed < circle < circumscribed, and many sides come close to the circle
static void polygons_enclose_the_circle(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(7);
  const double mu = 0.7;
  for (int draw = 0; draw < DRAWS; ++draw) {
    double angle = ch_random_uniform(&random, 0.0, 6.28), u[3] = {0.0, cos(angle), sin(angle)};
    ChBlock smooth = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu, mu}}, inner = smooth, outer = smooth,
            fine = smooth;
    inner.sides = outer.sides = 8;
    outer.mu[0] = outer.mu[1] = mu / cos(acos(-1.0) / 8);
    fine.sides = 64;
    double circle = ch_block_support(&smooth, CH_POSE_COULOMB, u);
    assert_true(ch_block_support(&inner, CH_POSE_COULOMB, u) <= circle + 1e-15);
    assert_true(ch_block_support(&outer, CH_POSE_COULOMB, u) >= circle - 1e-15);
    CHECK_NEAR(ch_block_support(&fine, CH_POSE_COULOMB, u), circle, mu * 0.0013);  // 1 - cos(pi / 64)
  }
}

typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
  double r[ROWS_MAX], u[ROWS_MAX], v[DOF_MAX];
} Answer;

static void solve(const ChProblem* problem, const char* method, Answer* a) {
  ChContext context = {0};
  ChSolveOptions options = ch_solve_options_default();
  options.method = method;
  options.tolerance = 1e-10;
  options.time_limit = 10.0;
  a->status = ch_solve(&context, problem, &options, a->v, a->u, a->r, &a->info);
  if (a->status != CH_OK)
    fail_msg("%s: %s, natural %g", method, ch_status_text(a->status), a->info.certificate.natural);
}

// A point mass pushed along the diagonal of a square: its side is mu / sqrt(2) away, so that u_T = d - mu c / sqrt(2).
static void square_cone_holds_less_on_its_diagonal(void** state) {
  (void)state;
  const int index[3] = {0, 1, 2};
  const double one[3] = {1, 1, 1}, c = 1.0, d = 1.0, mu = 0.5, half = sqrt(0.5), q[3] = {-c, d * half, d * half};
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu, mu}, .sides = 4};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 3,
                            .block_count = 1,
                            .blocks = &block,
                            .W = {3, 3, 3, index, index, one},
                            .w = q};
  const char* const methods[] = {"lemke", "newton", "admm", "auto", "apgd"};
  static Answer a;
  for (int m = 0; m < 5; ++m) {
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_problem_build(&context, &def, &p));
    solve(p, methods[m], &a);
    CHECK_NEAR(hypot(a.u[1], a.u[2]), d - mu * c * half, 1e-9);
    CHECK_NEAR(a.r[0], c, 1e-9);
    ch_problem_destroy(p);
  }
}

static ChProblem* plane_pile(int n, double mu) {
  ChContext context = {0};
  const ChFamily* family = ch_family_find("disks");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = n;
  recipe.mu = mu;
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  return p;
}

// I1: a solution exists for every mu, and pivoting finds it.
static void lemke_solves_plane_piles(void** state) {
  (void)state;
  static Answer a;
  for (int n = 2; n <= 6; ++n)
    for (double mu = 0.0; mu < 0.9; mu += 0.2) {
      ChProblem* p = plane_pile(n, mu);
      solve(p, "lemke", &a);
      ch_problem_destroy(p);
    }
}

// Methods that share nothing but the projection agree where the velocity is unique: blocks that slide side by side.
static void methods_agree_over_polygons(void** state) {
  (void)state;
  static Answer a, b;
  ChContext context = {0};
  const ChFamily* family = ch_family_find("incline");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.angle = 35;
  recipe.mu = 0.4;
  recipe.heading = 10;
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  for (int sides = 4; sides <= 16; sides *= 2) {
    CHECK_OK(context, ch_problem_set_polygon(&context, p, sides, false));
    solve(p, "lemke", &a);
    solve(p, "newton", &b);
    for (int k = 0; k < p->rows; ++k) CHECK_NEAR(a.u[k], b.u[k], 1e-9);
  }
  ch_problem_destroy(p);
}

// A polygon without friction is the normal itself.
static void frictionless_polygon_is_a_ray(void** state) {
  (void)state;
  const double mu[2] = {0.0, 0.0}, x[3] = {2.0, 1.0, -1.0}, below[3] = {-2.0, 1.0, 0.0};
  double corners[16], y[3];
  ch_polygon_corners(8, corners);
  ch_project_polygon(mu, 8, corners, x, y, NULL);
  assert_true(y[0] == 2.0 && y[1] == 0.0 && y[2] == 0.0);
  ch_project_polygon(mu, 8, corners, below, y, NULL);
  assert_true(y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0);
}

static void wrong_sides_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem* p = plane_pile(2, 0.5);
  assert_int_equal(ch_problem_set_polygon(&context, p, 3, false), CH_ERR_RANGE);
  assert_int_equal(ch_problem_set_polygon(&context, p, 66, false), CH_ERR_RANGE);
  CHECK_OK(context, ch_problem_set_polygon(&context, p, 8, true));  // plane contacts stay as they are
  assert_int_equal(p->blocks[0].sides, 0);
  CHECK_NEAR(p->blocks[0].mu[0], 0.5, 0.0);
  ch_problem_destroy(p);
}

static void smooth_cones_are_not_for_lemke(void** state) {
  (void)state;
  static Answer a;
  ChContext context = {0};
  ChProblem* p;
  const ChFamily* family = ch_family_find("incline");
  ChRecipe recipe = ch_recipe_default(family);
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  ChSolveOptions options = ch_solve_options_default();
  options.method = "lemke";
  assert_int_equal(ch_solve(&context, p, &options, a.v, a.u, a.r, &a.info), CH_ERR_UNSUPPORTED);
  assert_non_null(strstr(context.message, "polygon"));
  CHECK_OK(context, ch_problem_set_polygon(&context, p, 8, false));
  options.method = "nsgs";
  assert_int_equal(ch_solve(&context, p, &options, a.v, a.u, a.r, &a.info), CH_ERR_UNSUPPORTED);
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection_splits_a_point),
      cmocka_unit_test(flat_cones_have_no_inside),
      cmocka_unit_test(derivative_is_that_of_the_projection),
      cmocka_unit_test(polygons_enclose_the_circle),
      cmocka_unit_test(square_cone_holds_less_on_its_diagonal),
      cmocka_unit_test(lemke_solves_plane_piles),
      cmocka_unit_test(methods_agree_over_polygons),
      cmocka_unit_test(wrong_sides_are_refused),
      cmocka_unit_test(frictionless_polygon_is_a_ray),
      cmocka_unit_test(smooth_cones_are_not_for_lemke),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
