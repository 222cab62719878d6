// Limit analysis against thresholds that are known in closed form or from the literature, and the diagnostics of
// coupling: Painleve's indicator, the principal angle, pointedness.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cardhouse/analysis.h"
#include "problem/contact_problem.h"
#include "support/families.h"
#include "support/near.h"

static const double PI = 3.14159265358979323846;
static const double G = 9.81, H_STEP = 0.001;

static ChProblem* generate(const char* family, ChForm form, int count, const char* const* names, const double* values) {
  const ChFamily* f = ch_family_find(family);
  ChRecipe recipe = ch_recipe_default(f);
  for (int k = 0; k < count; ++k) assert_true(ch_recipe_set(&recipe, names[k], values[k]));
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_family_generate(&context, f, &recipe, form, &problem));
  return problem;
}

static ChProblem* built(const ChRig* rig, ChForm form) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_rig_build(&context, rig, form, &problem));
  return problem;
}

static bool in_equilibrium(const ChProblem* problem) {
  ChContext context = {0};
  ChLimit limit;
  CHECK_OK(context, ch_equilibrium_find(&context, problem, NULL, (ChLimitState){0}, &limit));
  return limit.exists;
}

static double smallest_factor(const ChProblem* problem) {
  ChContext context = {0};
  ChLimit limit;
  CHECK_OK(context, ch_friction_smallest(&context, problem, NULL, (ChLimitState){0}, &limit));
  assert_true(limit.exists);
  return limit.value;
}

static bool has_self_stress(const ChProblem* problem, double factor) {
  ChContext context = {0};
  ChLimit limit;
  CHECK_OK(context, ch_self_stress_find(&context, problem, factor, NULL, (ChLimitState){0}, &limit));
  return limit.exists;
}

// mu = (tan theta - t / L) / 2, theta from the vertical, t / L = 0.0003 / 0.088. Bisection to 1e-6 sets the tolerance.
static void card_triangle_needs_its_friction(void** state) {
  (void)state;
  const char* names[] = {"n", "mu", "angle"};
  for (double angle = 50.0; angle <= 85.0; angle += 7.0) {
    const double values[] = {1, 1.0, angle};
    ChProblem* problem = generate("cards", CH_FORM_GLOBAL, 3, names, values);
    const double wanted = 0.5 * (tan((90.0 - angle) * PI / 180.0) - 0.0003 / 0.088);
    CHECK_NEAR(smallest_factor(problem), wanted, 2e-6);
    ch_problem_destroy(problem);
  }
}

static bool arch_stands(int n, double thickness) {
  const char* names[] = {"n", "mu", "thickness"};
  const double values[] = {n, 0.6, thickness};
  ChProblem* problem = generate("arch", CH_FORM_GLOBAL, 3, names, values);
  const bool stands = in_equilibrium(problem);
  ch_problem_destroy(problem);
  return stands;
}

// The thinnest semicircular arch: 0.1068 of the radius with 27 voussoirs, 0.1073 with 45 (0.1075 with infinitely many).
// Those are of sectors of a ring; quadrilaterals, as here, need 0.10672 and 0.10731.
static void thinnest_arch_is_that_of_the_literature(void** state) {
  (void)state;
  assert_false(arch_stands(27, 0.1067));
  assert_true(arch_stands(27, 0.1069));
  assert_false(arch_stands(45, 0.1072));
  assert_true(arch_stands(45, 0.1074));
}

// Three digits are known. The spheres' centres lie in a plane, so that disks must give the same.
static void piles_need_their_friction(void** state) {
  (void)state;
  static const struct {
    const char* family;
    double n, mu;
  } piles[] = {{"pile", 3, 0.434},  {"pile", 5, 0.498},   {"pile", 10, 0.541}, {"disks", 3, 0.434},
               {"disks", 5, 0.498}, {"disks", 10, 0.541}, {"disks", 20, 0.560}};
  const char* names[] = {"n", "mu"};
  for (size_t k = 0; k < sizeof piles / sizeof *piles; ++k) {
    const double values[] = {piles[k].n, 1.0};
    ChProblem* problem = generate(piles[k].family, CH_FORM_GLOBAL, 2, names, values);
    CHECK_NEAR(smallest_factor(problem), piles[k].mu, 6e-4);
    ch_problem_destroy(problem);
  }
}

// 590 contacts in space: the answer, and that one question takes a time of the order of a second.
static void large_pile_is_decided_quickly(void** state) {
  (void)state;
  const char* names[] = {"n", "mu"};
  for (int k = 0; k < 2; ++k) {
    const double values[] = {20, k ? 0.561 : 0.559};
    ChProblem* problem = generate("pile", CH_FORM_GLOBAL, 2, names, values);
    ChContext context = {0};
    ChLimit limit;
    CHECK_OK(context, ch_equilibrium_find(&context, problem, NULL, (ChLimitState){0}, &limit));
    assert_int_equal(limit.exists, k);
    CHECK_AT_MOST(limit.seconds, 20.0);  // 2 on an idle machine of today; the rest is for sanitizers and company
    ch_problem_destroy(problem);
  }
}

static void local_form_says_the_same(void** state) {
  (void)state;
  const char* names[] = {"n", "mu"};
  const double values[] = {3, 1.0};
  ChProblem* global = generate("pile", CH_FORM_GLOBAL, 2, names, values);
  ChProblem* local = generate("pile", CH_FORM_LOCAL, 2, names, values);
  CHECK_NEAR(smallest_factor(local), smallest_factor(global), 4e-6);
  ch_problem_destroy(global);
  ch_problem_destroy(local);
}

// --- a box on the floor, pushed --------------------------------------------------------------------------------------

// Box of 2 kg, 0.2 x 0.2 x `height`, on four contacts of friction mu; the floor slopes by `slope` along `heading`.
static ChRig* box_on_slope(double height, double mu, double slope, double heading) {
  const double gravity[3] = {G * sin(slope) * cos(heading), G * sin(slope) * sin(heading), -G * cos(slope)};
  ChRig* rig = ch_rig_create(3, H_STEP, gravity);
  const double size[3] = {0.2, 0.2, height}, centre[3] = {0.0, 0.0, 0.5 * height};
  const double low[2] = {-0.1, -0.1}, high[2] = {0.1, 0.1};
  ch_rig_add_face(rig, CH_RIG_GROUND, ch_rig_add_box_of_mass(rig, 2.0, size, NULL, centre), low, high, 0.0, mu, 0.0);
  return rig;
}

// tan(slope) whatever the heading: the cone is round, not a polygon. A polygon of 8 would be off by up to 8 percent.
static void slope_limit_is_the_same_all_round(void** state) {
  (void)state;
  for (double heading = 0.0; heading < 2.0 * PI; heading += 0.41) {
    ChRig* rig = box_on_slope(0.02, 1.0, 0.3, heading);
    ChProblem* problem = built(rig, CH_FORM_GLOBAL);
    CHECK_NEAR(smallest_factor(problem), tan(0.3), 2e-6);
    ch_problem_destroy(problem);
    ch_rig_destroy(rig);
  }
}

// How much friction a section gives along d (a unit vector).
static double reach_of(const ChFrictionSection* section, const double d[2]) {
  double least = INFINITY;
  for (int k = 0; k < section->count; ++k) {
    const double *a = section->corner[k], *b = section->corner[(k + 1) % section->count];
    const double normal[2] = {b[1] - a[1], a[0] - b[0]}, along = normal[0] * d[0] + normal[1] * d[1];
    if (along > 0.0) least = fmin(least, (normal[0] * a[0] + normal[1] * a[1]) / along);
  }
  return least;
}

// tan(slope) over what the section bears up the slope, corner or side; frames of contact are as the rig has them.
static void a_section_is_used_as_it_lies(void** state) {
  (void)state;
  const double corners[2][5][2] = {{{0.9, 0.1}, {-0.3, 0.5}, {-0.2, -0.4}},
                                   {{0.2, -0.3}, {0.2, 0.3}, {-0.6, 0.3}, {-0.7, 0.0}, {-0.6, -0.3}}};
  const int counts[2] = {3, 5};
  for (int kind = 0; kind < 2; ++kind)
    for (double heading = 0.1; heading < 2.0 * PI; heading += 0.7) {
      ChRig* rig = box_on_slope(0.02, 1.0, 0.3, heading);
      ChProblem* problem = built(rig, CH_FORM_GLOBAL);
      ChContext context = {0};
      ChFrictionSection section;
      CHECK_OK(context, ch_friction_section_make(&context, "test", counts[kind], corners[kind], &section));
      double r[64] = {0.0}, v[6], u[64];
      CHECK_OK(context, ch_problem_velocity(&context, problem, r, v, u));  // down the slope
      const double size = hypot(u[1], u[2]), up[2] = {-u[1] / size, -u[2] / size};
      for (int i = 0; i < problem->block_count; ++i) {
        const ChBlock block = {.law = CH_LAW_SECTION, .dimension = 3, .section = &section};
        CHECK_OK(context, ch_problem_set_block(&context, problem, i, &block));
      }
      CHECK_NEAR(smallest_factor(problem), tan(0.3) / reach_of(&section, up), 2e-5);
      assert_false(has_self_stress(problem, 1.0));
      ch_problem_destroy(problem);
      ch_rig_destroy(rig);
    }
}

static double largest_load(const ChProblem* problem, const double* load, double* r, double* v, double* u) {
  ChContext context = {0};
  ChLimit limit;
  CHECK_OK(context, ch_load_largest(&context, problem, load, NULL, (ChLimitState){.r = r, .v = v, .u = u}, &limit));
  assert_true(limit.exists);
  return limit.value;
}

// An elliptic cone: the share of each coefficient that a slope along `heading` uses adds up in squares.
static void elliptic_friction_is_used_along_its_ellipse(void** state) {
  (void)state;
  static const double mu[2] = {0.9, 0.4}, up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  for (double heading = 0.1; heading < 6.0; heading += 0.9) {
    const double slope = 0.2,
                 gravity[3] = {G * sin(slope) * cos(heading), G * sin(slope) * sin(heading), -G * cos(slope)};
    const double centre[3] = {0, 0, 0};
    ChRig* rig = ch_rig_create(3, H_STEP, gravity);
    const int sphere = ch_rig_add_sphere(rig, 1000.0, 0.1, centre);
    for (int k = 0; k < 3; ++k) {  // feet close below the centre, so that it slides and does not roll
      const double point[3] = {0.05 * cos(2.0 * PI * k / 3.0), 0.05 * sin(2.0 * PI * k / 3.0), 0.0};
      ch_rig_add_elliptic(rig, CH_RIG_GROUND, sphere, point, up, along, mu);
    }
    ChProblem* problem = built(rig, CH_FORM_GLOBAL);
    const double wanted = tan(slope) * hypot(cos(heading) / mu[0], sin(heading) / mu[1]);
    CHECK_NEAR(smallest_factor(problem), wanted, 2e-6);
    ch_problem_destroy(problem);
    ch_rig_destroy(rig);
  }
}

// An arm on a hinge, held level by a motor of limited strength: joints push and pull freely, the motor within bounds.
static void motor_holds_what_its_limit_allows(void** state) {
  (void)state;
  const double gravity[3] = {0, 0, -G}, size[3] = {0.4, 0.1, 0.1}, centre[3] = {0.3, 0, 0}, pin[3] = {0, 0, 0};
  const double axis[3] = {0, 1, 0}, moment = 2.0 * G * 0.3 * H_STEP;
  for (int k = 0; k < 2; ++k) {
    ChRig* rig = ch_rig_create(3, H_STEP, gravity);
    const int arm = ch_rig_add_box_of_mass(rig, 2.0, size, NULL, centre);
    ch_rig_add_hinge(rig, CH_RIG_GROUND, arm, pin, axis);
    ch_rig_add_motor(rig, CH_RIG_GROUND, arm, axis, 0.0, moment * (k ? 1.001 : 0.999));
    ChProblem* problem = built(rig, CH_FORM_GLOBAL);
    assert_int_equal(in_equilibrium(problem), k);
    const double more[6] = {0, 0, -2.0 * G * H_STEP, 0, 0, 0};  // as much again
    if (k) CHECK_NEAR(largest_load(problem, more, NULL, NULL, NULL), 0.001, 1e-8);
    ch_problem_destroy(problem);
    ch_rig_destroy(rig);
  }
}

// A horizontal push at the centre of a flat box slides it at mu m g; of a tall one, tips it over at m g b / h.
static void push_slides_or_tips(void** state) {
  (void)state;
  for (int tall = 0; tall < 2; ++tall) {
    ChRig* rig = box_on_slope(tall ? 0.8 : 0.05, 0.5, 0.0, 0.0);
    ChProblem* problem = built(rig, CH_FORM_GLOBAL);
    const double push[6] = {3.0 * H_STEP, 0, 0, 0, 0, 0};
    double r[12], v[6], u[12];
    const double wanted = (tall ? 0.1 / 0.4 : 0.5) * 2.0 * G / 3.0;
    CHECK_NEAR(largest_load(problem, push, r, v, u), wanted, 1e-6 * wanted);
    assert_true(v[0] > 0.0);                    // it goes where it is pushed
    assert_int_equal(fabs(v[4]) > 1e-6, tall);  // about y when tall, not at all when flat
    assert_int_equal(fabs(u[0] - u[3]) > 1e-6, tall);
    ch_problem_destroy(problem);
    ch_rig_destroy(rig);
  }
}

static void push_downwards_has_no_limit(void** state) {
  (void)state;
  ChRig* rig = box_on_slope(0.1, 0.5, 0.0, 0.0);
  ChProblem* problem = built(rig, CH_FORM_GLOBAL);
  const double push[6] = {0.1, 0, -1.0, 0, 0, 0}, pull[6] = {0, 0, 1.0, 0, 0, 0}, nothing[6] = {0};
  assert_true(isinf(largest_load(problem, push, NULL, NULL, NULL)));
  CHECK_NEAR(largest_load(problem, pull, NULL, NULL, NULL), 2.0 * G * H_STEP, 1e-9);
  ChContext context = {0};
  ChLimit limit;
  assert_int_equal(ch_load_largest(&context, problem, nothing, NULL, (ChLimitState){0}, &limit), CH_ERR_RANGE);
  ch_problem_destroy(problem);
  ch_rig_destroy(rig);
}

// What is returned is what it is said to be: r balances inside its cones, v is admitted by them and the load works on
// it.
static void answers_prove_themselves(void** state) {
  (void)state;
  const char* names[] = {"n", "mu"};
  for (int k = 0; k < 2; ++k) {
    const double values[] = {5, k ? 0.52 : 0.47};
    ChProblem* p = generate("pile", CH_FORM_GLOBAL, 2, names, values);
    double* r = calloc((size_t)(2 * p->rows + 2 * p->dof), sizeof *r);
    double *u = r + p->rows, *v = u + p->rows, *left = v + p->dof;
    ChContext context = {0};
    ChLimit limit;
    CHECK_OK(context, ch_equilibrium_find(&context, p, NULL, (ChLimitState){.r = r, .v = v, .u = u}, &limit));
    assert_int_equal(limit.exists, k);
    double power = 0.0, largest_force = 0.0;
    for (int i = 0; i < p->dof; ++i) {
      left[i] = p->f[i];
      power += p->f[i] * v[i];
      largest_force = fmax(largest_force, fabs(p->f[i]));
    }
    for (int j = 0; j < p->rows; ++j)
      for (int l = p->H.start[j]; l < p->H.start[j + 1]; ++l) left[p->H.index[l]] += p->H.value[l] * r[j];
    for (int i = 0; k == 1 && i < p->dof; ++i) CHECK_AT_MOST(fabs(left[i]), 1e-7 * largest_force);
    for (int i = 0; i < p->block_count; ++i) {
      const double *ri = r + p->blocks[i].row, *ui = u + p->blocks[i].row;
      if (k == 1) CHECK_AT_MOST(hypot(ri[1], ri[2]), 0.52 * ri[0] + 1e-12);
      if (k == 0) CHECK_AT_MOST(0.47 * hypot(ui[1], ui[2]) - ui[0], 1e-7);
    }
    if (k == 0) assert_true(power > 1e-3 * largest_force);
    free(r);
    ch_problem_destroy(p);
  }
}

// --- pointedness, Painleve, angle ------------------------------------------------------------------------------------

// A sphere held by two contacts whose normals rise by phi towards each other: their forces may cancel along the line
// through both points when the friction angle reaches phi.
static void I13_sphere_jams_at_its_friction_angle(void** state) {
  (void)state;
  const double phi = PI / 6.0, gravity[3] = {0, 0, -G}, centre[3] = {0, 0, 0};
  ChRig* rig = ch_rig_create(3, H_STEP, gravity);
  const int sphere = ch_rig_add_sphere(rig, 1000.0, 0.1, centre);
  for (int side = -1; side <= 1; side += 2) {
    const double normal[3] = {side * cos(phi), 0.0, sin(phi)};
    const double point[3] = {-0.1 * normal[0], 0.0, -0.1 * normal[2]};
    ch_rig_add_contact(rig, CH_RIG_GROUND, sphere, point, normal, 1.0);
  }
  ChProblem* problem = built(rig, CH_FORM_GLOBAL);
  assert_false(has_self_stress(problem, 0.0));
  assert_false(has_self_stress(problem, tan(phi) - 1e-4));
  assert_true(has_self_stress(problem, tan(phi) + 1e-4));
  ch_problem_destroy(problem);
  ch_rig_destroy(rig);
}

// Between two walls a sphere cannot be freed even without friction.
static void I13_sphere_between_walls_cannot_be_taken_out(void** state) {
  (void)state;
  const double gravity[3] = {0, 0, -G}, centre[3] = {0, 0, 0};
  ChRig* rig = ch_rig_create(3, H_STEP, gravity);
  const int sphere = ch_rig_add_sphere(rig, 1000.0, 0.1, centre);
  for (int side = -1; side <= 1; side += 2) {
    const double normal[3] = {-side, 0.0, 0.0}, point[3] = {0.1 * side, 0.0, 0.0};
    ch_rig_add_contact(rig, CH_RIG_GROUND, sphere, point, normal, 0.5);
  }
  ChProblem* problem = built(rig, CH_FORM_GLOBAL);
  assert_true(has_self_stress(problem, 0.0));
  assert_true(in_equilibrium(problem));  // pressed as hard as it takes
  ch_problem_destroy(problem);
  ch_rig_destroy(rig);
}

// A rod of length 2 l leaning at theta from the floor: W_nn = (1 + 3 cos^2) / m, W_nT = 3 sin cos / m,
// W_TT = (1 + 3 sin^2) / m; Painleve's critical mu is never below 4/3.
static void I49_rod_has_painleves_numbers(void** state) {
  (void)state;
  for (double theta = 0.3; theta < 1.5; theta += 0.3) {
    const double c = cos(theta), s = sin(theta), gravity[3] = {0, -G, 0};
    const double inertia[9] = {[8] = 2.0 / 3.0}, centre[3] = {c, s, 0}, foot[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    ChRig* rig = ch_rig_create(2, H_STEP, gravity);
    const int rod = ch_rig_add_body(rig, 2.0, inertia, centre);
    ch_rig_add_contact(rig, CH_RIG_GROUND, rod, foot, up, 1.4);
    for (int form = 0; form < 2; ++form) {
      ChProblem* problem = built(rig, form ? CH_FORM_GLOBAL : CH_FORM_LOCAL);
      double indicator, critical;
      ChContext context = {0};
      ChAnalysis a;
      CHECK_OK(context, ch_problem_painleve(&context, problem, &indicator, &critical));
      CHECK_OK(context, ch_problem_analyze(&context, problem, &a));
      const double nn = 0.5 * (1.0 + 3.0 * c * c), nt = 1.5 * s * c, tt = 0.5 * (1.0 + 3.0 * s * s);
      CHECK_NEAR(indicator, nn - 1.4 * nt, 1e-13);
      CHECK_NEAR(critical, nn / nt, 1e-12);
      CHECK_NEAR(a.critical_mu_lowest, critical, 0.0);
      CHECK_NEAR(a.coupling_cosine, nt / sqrt(nn * tt), 1e-12);
      assert_int_equal(a.painleve_contacts, nn - 1.4 * nt <= 0.0);
      CHECK_AT_MOST(4.0 / 3.0, critical + 1e-12);
      ch_problem_destroy(problem);
    }
    ch_rig_destroy(rig);
  }
}

// A sphere on the floor: its normal and its tangents have nothing to do with one another.
static void sphere_does_not_couple(void** state) {
  (void)state;
  const char* names[] = {"n"};
  const double values[] = {3};
  ChProblem* problem = generate("rain", CH_FORM_GLOBAL, 1, names, values);
  ChContext context = {0};
  ChAnalysis a;
  CHECK_OK(context, ch_problem_analyze(&context, problem, &a));
  CHECK_AT_MOST(a.coupling_cosine, 1e-14);
  assert_true(isinf(a.critical_mu_lowest) && a.painleve_lowest == 1.0);
  ch_problem_destroy(problem);
}

// --- mistakes and failures -------------------------------------------------------------------------------------------

static void bad_options_and_a_spent_clock_are_told(void** state) {
  (void)state;
  const char* names[] = {"n"};
  const double values[] = {3};
  ChProblem* problem = generate("pile", CH_FORM_GLOBAL, 1, names, values);
  ChContext context = {0};
  ChLimit limit;
  ChLimitOptions options = ch_limit_options_default();
  options.tolerance = NAN;
  assert_int_equal(ch_friction_smallest(&context, problem, &options, (ChLimitState){0}, &limit), CH_ERR_RANGE);
  options = ch_limit_options_default();
  options.time_limit = 1e-12;
  assert_int_equal(ch_friction_smallest(&context, problem, &options, (ChLimitState){0}, &limit), CH_MAX_TIME);
  assert_int_equal(ch_self_stress_find(&context, problem, -1.0, NULL, (ChLimitState){0}, &limit), CH_ERR_RANGE);
  ch_problem_destroy(problem);
}

// Without friction nothing holds the leaning cards, whatever the factor: a factor on zero is zero.
static void no_factor_on_zero_friction_helps(void** state) {
  (void)state;
  const char* names[] = {"n", "mu"};
  const double values[] = {1, 0.0};
  ChProblem* problem = generate("cards", CH_FORM_GLOBAL, 2, names, values);
  ChContext context = {0};
  ChLimit limit;
  CHECK_OK(context, ch_friction_smallest(&context, problem, NULL, (ChLimitState){0}, &limit));
  assert_false(limit.exists);
  assert_true(isnan(limit.value));
  ch_problem_destroy(problem);
}

static void every_failed_allocation_is_told(void** state) {
  (void)state;
  const char* names[] = {"n"};
  const double values[] = {3};
  ChProblem* problem = generate("pile", CH_FORM_GLOBAL, 1, names, values);
  ChStatus status = CH_ERR_MEMORY;
  for (int n = 1; status != CH_OK; ++n) {
    assert_true(n < 100);
    ch_arena_trim();
    ch_arena_fail_after(n);
    ChContext context = {0};
    ChLimit limit;
    status = ch_equilibrium_find(&context, problem, NULL, (ChLimitState){0}, &limit);
    ch_arena_fail_after(0);
    if (status != CH_OK) assert_int_equal(status, CH_ERR_MEMORY);
  }
  ch_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(card_triangle_needs_its_friction),
      cmocka_unit_test(thinnest_arch_is_that_of_the_literature),
      cmocka_unit_test(piles_need_their_friction),
      cmocka_unit_test(large_pile_is_decided_quickly),
      cmocka_unit_test(local_form_says_the_same),
      cmocka_unit_test(slope_limit_is_the_same_all_round),
      cmocka_unit_test(a_section_is_used_as_it_lies),
      cmocka_unit_test(elliptic_friction_is_used_along_its_ellipse),
      cmocka_unit_test(motor_holds_what_its_limit_allows),
      cmocka_unit_test(push_slides_or_tips),
      cmocka_unit_test(push_downwards_has_no_limit),
      cmocka_unit_test(answers_prove_themselves),
      cmocka_unit_test(I13_sphere_jams_at_its_friction_angle),
      cmocka_unit_test(I13_sphere_between_walls_cannot_be_taken_out),
      cmocka_unit_test(I49_rod_has_painleves_numbers),
      cmocka_unit_test(sphere_does_not_couple),
      cmocka_unit_test(bad_options_and_a_spent_clock_are_told),
      cmocka_unit_test(no_factor_on_zero_friction_helps),
      cmocka_unit_test(every_failed_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
