// Errata of the documents: the corrected form holds, the printed one does not (docs/errata.md, whose numbers head the
// names). What has no number in it is not here: the page says how it was checked instead.
//
// 000 Anitescu and Hart 2004, 001 Negrut and Serban 2016, 002 Anitescu's slides, 003 Andreani et al., 004 Kaufman 2009.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/problem.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "reproduce/single_contact.h"
#include "support/families.h"
#include "support/near.h"
#include "support/random.h"

#define PI 3.14159265358979323846
static const double G = 9.81;

// Written so that NaN does not count as a difference that was seen.
#define CHECK_FAR(value, wrong, distance)                                                                        \
  do {                                                                                                           \
    const double value_ = (value), wrong_ = (wrong);                                                             \
    if (!(fabs(value_ - wrong_) >= (distance))) fail_msg("%s is %.17g, too near %.17g", #value, value_, wrong_); \
  } while (0)

// --- 000: Anitescu and Hart 2004 -------------------------------------------------------------------------------------

// A body of mass 2 on six corners, each of which carries h m g / 6: the momentum of a step at rest.
static double momentum_left(double m, double h, double force) {
  double sum = h * force;
  for (int corner = 0; corner < 6; ++corner) sum += h * m * G / 6.0;
  return sum;
}

static void X1_gravity_carries_the_mass(void** state) {
  (void)state;
  const double m = 2.0, h = 0.05;
  CHECK_NEAR(momentum_left(m, h, -m * G), 0.0, 1e-15);
  CHECK_FAR(momentum_left(m, h, -G), 0.0, 0.1);
}

// A particle that falls for a step: step 9 with the position, and with what step 3 calls by the same name.
static void X2_position_and_linear_term_are_two_things(void** state) {
  (void)state;
  const double m = 2.0, h = 0.05, position = 10.0, v = 0.0, k = -m * G, next = v + h * k / m;
  const double linear_term = -m * v - h * k;
  CHECK_NEAR(position + h * next, 10.0 - h * h * G, 1e-14);
  CHECK_FAR(linear_term + h * next, 10.0 - h * h * G, 1.0);
}

// Falls from 1 m on the table at 0. The active set holds the contact where Phi <= eps.
static double fallen_to(bool rebuilt, int steps) {
  const double h = 0.05, eps = 0.2;
  double q = 1.0, v = 0.0;
  bool active = q <= eps;
  for (int l = 0; l < steps; ++l) {
    if (rebuilt) active = q <= eps;
    v -= h * G;
    if (active) v = fmax(v, -q / h);
    q += h * v;
  }
  return q;
}

static void X3_the_active_set_is_rebuilt_every_step(void** state) {
  (void)state;
  CHECK_NEAR(fallen_to(true, 40), 0.0, 1e-12);
  CHECK_AT_MOST(fallen_to(false, 40), -1.0);
}

static void X4_time_advances_by_the_step_that_was_made(void** state) {
  (void)state;
  const double h[] = {0.1, 0.05, 0.02, 0.01}, speed = 3.0;
  double q = 0.0, t = 0.0, printed = 0.0;
  for (int l = 0; l < 3; ++l) {
    q += h[l] * speed;
    t += h[l];
    printed += h[l + 1];
  }
  CHECK_NEAR(q, speed * t, 1e-15);
  CHECK_FAR(q, speed * printed, 0.1);
}

// Lambda(v) of (17) over `count` directions, evenly spread over `turn`.
static double largest_along(int count, double turn, const double v[2]) {
  double most = -INFINITY;
  for (int i = 0; i < count; ++i) {
    double angle = turn * i / count;
    most = fmax(most, cos(angle) * v[0] + sin(angle) * v[1]);
  }
  return most;
}

// D'v + lambda e >= 0 of (14) and (4) asks for lambda >= max_i -d_i'v.
static double row_left(int count, double turn, const double v[2]) {
  const double back[2] = {-v[0], -v[1]};
  return largest_along(count, turn, v) - largest_along(count, turn, back);
}

// Symmetric directions make (17) nonnegative and feasible in (14); three directions, or half a fan, do not.
static void X5_lambda_needs_symmetric_directions(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(5);
  for (int k = 0; k < 1000; ++k) {
    const double v[2] = {ch_random_normal(&random), ch_random_normal(&random)};
    assert_true(largest_along(8, 2.0 * PI, v) >= 0.0);
    CHECK_NEAR(row_left(8, 2.0 * PI, v), 0.0, 1e-14);
  }
  const double v[2] = {-1.0, -0.1};
  CHECK_AT_MOST(row_left(3, 2.0 * PI, v), -0.1);
  CHECK_AT_MOST(largest_along(2, PI, v), -0.1);
}

static void X6_contacts_of_a_triangular_pile(void** state) {
  (void)state;
  static const int rows[] = {4, 6, 8, 10, 20}, bodies[] = {10, 21, 36, 55, 210}, printed[] = {21, 52, 93, 146, 574};
  for (int k = 0; k < 5; ++k) {
    const int n = rows[k], formula = n + 3 * n * (n - 1) / 2;
    const ChFamily* family = ch_family_find("disks");
    ChRecipe recipe = ch_recipe_default(family);
    ChContext context = {0};
    ChProblem* p;
    recipe.n = n;
    CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
    assert_int_equal(p->dof, 3 * bodies[k]);
    assert_int_equal(p->block_count, formula);
    assert_int_not_equal(formula, printed[k]);
    ch_problem_destroy(p);
  }
}

// --- 002: Anitescu's slides ------------------------------------------------------------------------------------------

// Both tables fall, so that "no convergence" cannot be said of them.
static void X7_the_printed_tables_converge(void** state) {
  (void)state;
  static const double slow[] = {5.6314784e-2, 1.7416198e-2, 6.7389905e-3, 2.1011170e-3,
                                7.6112319e-4, 2.6647317e-4, 9.2498029e-5, 3.2649217e-5};
  static const double fast[] = {1.5736018e0,  7.2176724e-1, 1.4580267e-1, 9.2969637e-2,
                                5.5543025e-3, 4.3982975e-3, 3.7537593e-3, 3.7007014e-4};
  for (int k = 1; k < 8; ++k) {
    assert_true(slow[k] < slow[k - 1] && fast[k] < fast[k - 1]);
    double order = log2(slow[k - 1] / slow[k]);
    assert_true(order > 1.3 && order < 1.75);
  }
  CHECK_NEAR(log2(slow[6] / slow[7]), 1.5, 0.01);
}

// The two solutions of the slide "Nonconvex solution set" and their mean: sum of mu c_n lambda over the six corners.
static double complementarity_of_the_mean(double mu) {
  double sum = 0.0;
  for (int corner = 0; corner < 6; ++corner) {
    const double first_c = corner % 2 ? 0.0 : 1.0 / 3.0, first_lambda = corner % 2 ? 1.0 : 0.0;
    const double mean_c = 0.5 * (first_c + (1.0 / 3.0 - first_c)),
                 mean_lambda = 0.5 * (first_lambda + 1.0 - first_lambda);
    assert_true(mu * first_c * first_lambda == 0.0);
    sum += mu * mean_c * mean_lambda;
  }
  return sum;
}

static void X8_solution_sets_without_friction_are_convex(void** state) {
  (void)state;
  CHECK_NEAR(complementarity_of_the_mean(0.0), 0.0, 0.0);
  CHECK_FAR(complementarity_of_the_mean(0.1), 0.0, 0.01);
}

// A particle of mass m that arrives with speed v0 along the normal: two facets share one slack of weight C. The rows
// are v + zeta >= -bound; each facet carries half of the normal impulse.
static double penalised_velocity(double m, double v0, double C, double bound) {
  return fmin(-bound, v0 + C / m) > v0 ? fmin(-bound, v0 + C / m) : v0;
}

static void X9_the_weight_is_compared_with_the_sum_over_facets(void** state) {
  (void)state;
  const double m = 2.0, v0 = -3.0, impulse = m * fabs(v0), facet = 0.5 * impulse;
  CHECK_NEAR(penalised_velocity(m, v0, impulse, 0.0), 0.0, 0.0);  // C = c_n is enough, as the slide says
  CHECK_FAR(penalised_velocity(m, v0, facet, 0.0), 0.0, 1.0);     // the multiplier of one facet is not
  const double gamma = 0.5, h = 0.1, phi = -0.01;
  CHECK_NEAR(penalised_velocity(m, v0, 100.0, gamma * phi / h), -gamma * phi / h, 1e-15);
  CHECK_FAR(penalised_velocity(m, v0, 100.0, phi / h), -gamma * phi / h, 0.04);
}

// An error that both forms are to remove, after ten steps at gamma = 0.4.
static void X15_gamma_multiplies_the_gap(void** state) {
  (void)state;
  const double gamma = 0.4, h = 0.01;
  double scheme = 1e-3, linearised = 1e-3;
  for (int k = 0; k < 10; ++k) {
    scheme += h * (-gamma * scheme / h);
    linearised += h * (-linearised / (gamma * h));
  }
  CHECK_AT_MOST(fabs(scheme), 1e-5);
  assert_true(fabs(linearised) > 0.05);
}

static double pointed_with_squares(double a, double b) { return sqrt(a * a + b * b); }
static double pointed_as_printed(double a, double b) { return sqrt(a + b); }

static void X16_pointedness_is_of_first_degree(void** state) {
  (void)state;
  const double a = 0.3, b = 0.4;
  CHECK_NEAR(pointed_with_squares(7.0 * a, 7.0 * b), 7.0 * pointed_with_squares(a, b), 1e-14);
  CHECK_FAR(pointed_as_printed(7.0 * a, 7.0 * b), 7.0 * pointed_as_printed(a, b), 1.0);
  CHECK_NEAR(pointed_with_squares(-a, -b), 0.5, 1e-15);
  assert_true(isnan(pointed_as_printed(-a, -b)));
}

// --- 001: Negrut and Serban 2016 ------------------------------------------------------------------------------------

// A table on four legs: N = P' M^-1 P of its normal rows is symmetric, semidefinite and singular; P is 6 x 4.
static void X12_redundant_contacts_make_N_singular(void** state) {
  (void)state;
  static const double leg[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}, alternating[4] = {1, -1, 1, -1};
  double N[4][4], across = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)  // unit mass and inertia: normal (0, 0, 1), moment (y, -x, 0)
      N[i][j] = 1.0 + leg[i][1] * leg[j][1] + leg[i][0] * leg[j][0];
  for (int i = 0; i < 4; ++i) {
    double row = 0.0;
    for (int j = 0; j < 4; ++j) row += N[i][j] * alternating[j];
    CHECK_NEAR(row, 0.0, 0.0);
    for (int j = 0; j < 4; ++j) CHECK_NEAR(N[i][j], N[j][i], 0.0);
    across += N[i][i];
  }
  assert_true(across > 0.0);
}

// The dual cone { d : d_n >= mu |d_t| }, by the library's projection on the cone: -d then has projection zero.
static bool in_dual_cone(double mu, const double d[3]) {
  const double back[3] = {-d[0], -d[1], -d[2]};
  double y[3];
  ch_project_circular3(mu, back, y);
  return fabs(y[0]) + fabs(y[1]) + fabs(y[2]) <= 1e-14;
}

static void X13_the_gradient_of_the_cone_points_into_its_dual(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(13);
  for (int k = 0; k < 200; ++k) {
    const double mu = ch_random_uniform(&random, 0.1, 2.0), psi = ch_random_uniform(&random, 0.1, 5.0);
    const double angle = ch_random_uniform(&random, 0.0, 2.0 * PI), n = ch_random_uniform(&random, 0.1, 3.0);
    const double gamma[3] = {n, mu * n * cos(angle), mu * n * sin(angle)};
    const double d[3] = {psi * mu, -psi * cos(angle), -psi * sin(angle)}, printed[3] = {-d[0], -d[1], -d[2]};
    assert_true(in_dual_cone(mu * (1.0 - 1e-12), d));
    CHECK_NEAR(d[0] * gamma[0] + d[1] * gamma[1] + d[2] * gamma[2], 0.0, 1e-12);
    assert_false(in_dual_cone(mu, printed));
    // At the apex |s| <= 1 takes the place of gamma_t / |gamma_t|: all of the dual cone, and nothing else.
    const double share = ch_random_uniform(&random, 0.0, 0.999);
    const double inside[3] = {psi * mu, -share * psi * cos(angle), -share * psi * sin(angle)};
    const double outside[3] = {psi * mu, -1.01 * psi * cos(angle), -1.01 * psi * sin(angle)};
    assert_true(in_dual_cone(mu, inside));
    assert_false(in_dual_cone(mu, outside));
  }
}

static ChVec3 random_vector(ChRandom* random) {
  double x = ch_random_normal(random), y = ch_random_normal(random), z = ch_random_normal(random);
  return ch_vec(x, y, z);
}

static ChQuat random_turn(ChRandom* random) { return ch_quat_exp(ch_scale(2.0, random_vector(random))); }

// Velocity of a point of a body with arm s and spin in the body's axes: rdot + A (omega x s).
static ChVec3 point_velocity(ChVec3 v, ChQuat A, ChVec3 spin, ChVec3 arm) {
  return ch_add(v, ch_rotate(A, ch_cross(spin, arm)));
}

// (7): D_i' v with the rows of (2), beside its second line with either arm in the term of body B.
static void X14_the_arm_of_body_B(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(14);
  ChVec3 v[2], spin[2], arm[2];
  ChQuat turn[2];
  for (int b = 0; b < 2; ++b) {
    v[b] = random_vector(&random), spin[b] = random_vector(&random), arm[b] = random_vector(&random);
    turn[b] = random_turn(&random);
  }
  ChVec3 n = ch_unit(random_vector(&random));
  ChVec3 moment[2];  // s x (A' n): the rows of the spin
  for (int b = 0; b < 2; ++b) moment[b] = ch_cross(arm[b], ch_rotate(ch_quat_conjugate(turn[b]), n));
  double rows = ch_dot(n, ch_sub(v[1], v[0])) + ch_dot(moment[1], spin[1]) - ch_dot(moment[0], spin[0]);
  ChVec3 a = point_velocity(v[0], turn[0], spin[0], arm[0]);
  CHECK_NEAR(rows, ch_dot(n, ch_sub(point_velocity(v[1], turn[1], spin[1], arm[1]), a)), 1e-13);
  CHECK_FAR(rows, ch_dot(n, ch_sub(point_velocity(v[1], turn[1], spin[1], arm[0]), a)), 0.01);
}

// --- 004: Kaufman 2009 -----------------------------------------------------------------------------------------------

static double anisotropic(double c1, double c2, double b1, double b2) { return sqrt(c1 * b1 * b1 + c2 * b2 * b2); }
static double anisotropic_as_printed(double c1, double c2, double b1, double b2) { return sqrt(c1 * b1 + c2 * b2); }

static void X17_the_anisotropic_law_has_squares(void** state) {
  (void)state;
  CHECK_NEAR(anisotropic(1.0, 1.0, 0.3, -0.4), 0.5, 1e-15);  // c = 1 is the isotropic law
  assert_true(isnan(anisotropic_as_printed(1.0, 1.0, 0.3, -0.4)));
  CHECK_FAR(anisotropic_as_printed(1.0, 1.0, 0.3, 0.4), 0.5, 0.3);
  // The library's section has mu_i for mu / sqrt(c_i): its boundary meets the law with equality.
  const double mu = 0.6, c1 = 1.0, c2 = 4.0;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu / sqrt(c1), mu / sqrt(c2)}};
  const double far[3] = {1.0, 2.0, -3.0};
  double r[3];
  ch_block_project(&block, CH_POSE_COULOMB, far, r);
  CHECK_NEAR(anisotropic(c1, c2, r[1], r[2]), mu * r[0], 1e-12);
}

// Depth after a second by the implicit midpoint rule, which is exact in a field of constant slope.
static double depth_fallen(double mass, double slope_of_V) {
  const double h = 0.01;
  double q = 0.0, v = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double next = v - h * slope_of_V / mass;
    q += 0.5 * h * (v + next);
    v = next;
  }
  return -q;
}

static void X18_the_potential_needs_the_mass(void** state) {
  (void)state;
  const double m = 2.0;
  CHECK_NEAR(depth_fallen(m, m * G), 0.5 * G, 1e-12);  // V = m g q
  CHECK_FAR(depth_fallen(m, G), 0.5 * G, 2.0);         // V = g q
}

// The rod of Fig. 2.8: rows of Gamma_c (2.35) in q = (a, p1, p2), n up, t to the right; inertia 1/3, mass 1.
typedef struct Rod {
  double normal[3], tangent[3];
} Rod;

static Rod rod_at(double a) { return (Rod){{sin(a), 0.0, 1.0}, {cos(a), 1.0, 0.0}}; }

static double kinetic(const double x[3], const double y[3]) { return 3.0 * x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

static double dot3(const double x[3], const double y[3]) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

static void X19_gravity_acts_along_the_normal(void** state) {
  (void)state;
  const Rod rod = rod_at(-0.8);
  const double down[3] = {0.0, 0.0, -G}, printed[3] = {0.0, -G, 0.0};
  CHECK_NEAR(dot3(rod.normal, down), -G, 0.0);  // the -g of (2.45)
  CHECK_FAR(dot3(rod.normal, printed), -G, 9.0);
}

// Friction mu alpha along +t: no alpha >= 0 satisfies (2.46) where the factor of alpha is not positive.
static void X19_the_paradox_needs_a_negative_product(void** state) {
  (void)state;
  const double mu = 3.0;
  int seen = 0;
  for (double a = -1.5; a < 1.5; a += 0.01) {
    const Rod rod = rod_at(a);
    const double product = kinetic(rod.normal, rod.tangent);
    const bool paradox = kinetic(rod.normal, rod.normal) + mu * product <= 0.0;
    assert_true(!paradox || product < 0.0);
    seen += paradox;
  }
  assert_true(seen > 10);
}

static void X20_the_evaluated_acceleration_is_minus_the_gradient(void** state) {
  (void)state;
  const double m = 2.0, h = 0.1, gradient = m * G, p = 0.0;
  CHECK_NEAR(p + h * m * (-gradient / m) - p + h * gradient, 0.0, 1e-15);  // (4.48) in (4.29), no contact
  CHECK_FAR(p + h * m * (gradient / m) - p + h * gradient, 0.0, 1.0);
}

// (q + q+) / 2 with q+ of (4.68) is what (4.56) to (4.63) split into a predictor and h/4 times the new velocity.
static void X21_the_predictor_is_a_quarter_step(void** state) {
  (void)state;
  const double q = 3.0, v = -0.7, next = 1.9, h = 0.1, midpoint = 0.5 * (q + q + 0.5 * h * (v + next));
  CHECK_NEAR(q + 0.25 * h * v + 0.25 * h * next, midpoint, 1e-15);
  CHECK_FAR(0.5 * (q + 0.5 * h * v) + 0.25 * h * next, midpoint, 1.0);
}

// Nothing touches: v+ = v + h a. The minimum of w v'Mv - v'(h M a + p) is (h a + v) / (2 w).
static void X22_the_quadratic_term_is_halved(void** state) {
  (void)state;
  const double v = -0.7, h = 0.1, a = -G, free = v + h * a;
  CHECK_NEAR((h * a + v) / (2.0 * 0.5), free, 1e-15);
  CHECK_FAR((h * a + v) / (2.0 * 1.0), free, 0.5);
}

// A particle that arrives at -1: N'delta >= 0 with delta = (v + v+) / 2 turns it round, N'v+ >= 0 stops it.
static void X22_the_two_contact_conditions_differ(void** state) {
  (void)state;
  const double v = -1.0, delta = fmax(0.0, v), reflected = 2.0 * delta - v, stopped = fmax(0.0, v);
  CHECK_NEAR(reflected, 1.0, 0.0);
  CHECK_NEAR(stopped, 0.0, 0.0);
}

// 0 in sign G + dI(alpha) over alpha >= 0: sign G (a - alpha) >= 0 for every a >= 0.
static bool multiplier_is_stationary(double sign, double gap, double alpha) {
  for (double a = 0.0; a < 10.0; a += 0.5)
    if (!(sign * gap * (a - alpha) >= 0.0)) return false;
  return alpha >= 0.0;
}

// (3.8) fixes the sign of alpha G: at rest 0 = -m g + alpha, alpha >= 0. (3.9) then fixes that of the indicator: an
// open gap has alpha = 0, a closed one any alpha, an overlap none.
static void X23_multiplier_and_indicator_add_to_the_action(void** state) {
  (void)state;
  const double weight = 2.0 * G;
  assert_true(multiplier_is_stationary(1.0, 0.0, weight));    // + alpha G: alpha = m g
  assert_false(multiplier_is_stationary(1.0, 0.0, -weight));  // - alpha G: alpha = -m g
  assert_true(multiplier_is_stationary(1.0, 0.1, 0.0));       // + alpha G + I
  assert_false(multiplier_is_stationary(1.0, -0.1, 0.0));
  assert_false(multiplier_is_stationary(-1.0, 0.1, 0.0));  // + alpha G - I: open gaps forbidden, overlaps allowed
  assert_true(multiplier_is_stationary(-1.0, -0.1, 0.0));
}

// min over f in [-mu alpha, mu alpha] of v f, + I: the ends. With - I everything outside counts as minus infinity.
static void X23_the_indicator_is_added_and_friction_scales_with_alpha(void** state) {
  (void)state;
  const double mu = 0.5, alpha = 10.0, v = 0.3;
  double least = INFINITY, at = NAN, printed = INFINITY;
  for (double f = -20.0; f <= 20.0; f += 0.5) {
    const double indicator = fabs(f) <= mu * alpha ? 0.0 : INFINITY;
    if (v * f + indicator < least) least = v * f + indicator, at = f;
    printed = fmin(printed, v * f - indicator);
  }
  CHECK_NEAR(at, -mu * alpha, 0.0);
  assert_true(isinf(printed) && printed < 0.0);
  CHECK_FAR(at, -mu, 1.0);  // (5.17) without alpha
}

// From f = 0 both orders give the same pairs; from a warm start they do not.
static void X24_the_order_matters_with_a_warm_start_only(void** state) {
  (void)state;
  const ChSingle s = {PI / 5.0, 0.6, 0.4, 0.9};
  double contact_first = 0.0, alpha = 0.0;
  for (int i = 0; i < 10; ++i) {
    contact_first = ch_single_friction(&s, ch_single_contact(&s, contact_first)).f;
    const double f = ch_single_friction(&s, alpha).f;  // (5.20): friction for the last alpha, then contact
    alpha = ch_single_contact(&s, f);
    CHECK_NEAR(ch_single_friction(&s, alpha).f, contact_first, 1e-15);
  }
  const double warm = 0.2;  // algorithm 1 takes it; (5.20) has no place for it and starts from an alpha
  CHECK_FAR(ch_single_contact(&s, warm), ch_single_contact(&s, 0.0), 0.1);
}

// Where the iteration does not converge the best friction, which line 15 returns, is not the last one.
static void X24_the_best_friction_is_returned(void** state) {
  (void)state;
  const ChSingle s = {PI / 5.0, 2.0, 0.9, 0.9};
  double f = 0.0, lowest = INFINITY, last = INFINITY;
  for (int i = 0; i < 60; ++i) {
    const ChSinglePair pair = ch_single_friction(&s, ch_single_contact(&s, f));
    last = fabs(pair.alpha * (pair.alpha + cos(s.theta) * pair.f - s.y));  // (5.22)
    lowest = fmin(lowest, last);
    f = pair.f;
  }
  CHECK_FAR(last, lowest, 0.1);
}

// The product y_i (A'y)_i of all components for y = (alpha, 0, lambda), A of (5.28): only that of alpha is not zero.
static void X25_only_the_contact_rows_count(void** state) {
  (void)state;
  const double mu = 0.5, a = 2.0, c = 0.3, t = 3.0;  // W = [a c; c t], directions +1 and -1
  const double A[4][4] = {{a, c, -c, 0}, {c, t, -t, 1}, {-c, -t, t, 1}, {mu, -1, -1, 0}};
  const double y[4] = {1.0, 0.0, 0.0, -(a + 1.0) / mu};
  double product[4];
  for (int i = 0; i < 4; ++i) {
    double sum = 0.0;
    for (int j = 0; j < 4; ++j) sum += A[j][i] * y[j];
    product[i] = y[i] * sum;
  }
  CHECK_NEAR(product[0], a + mu * y[3], 1e-15);  // (5.35)
  CHECK_NEAR(product[0], -1.0, 1e-15);           // (5.36) fails: not zero
  for (int i = 1; i < 4; ++i) CHECK_NEAR(product[i], 0.0, 0.0);
}

// Case 2(c) of section 6.5.3: gamma > 0, gamma > delta, gamma + delta > 0.
static void X26_case_2c_has_gamma_above_delta(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(26);
  int seen = 0;
  for (int k = 0; k < 1000; ++k) {
    const double gamma = ch_random_uniform(&random, 0.0, 1.0), delta = ch_random_uniform(&random, -2.0, 2.0);
    if (!(gamma > 0.0 && gamma > delta && gamma + delta > 0.0)) continue;
    assert_true(fabs(gamma) > fabs(delta));
    ++seen;
  }
  assert_true(seen > 100);
}

// Two unit columns at an angle: B = [1 c; c 1] has |B^-1| = 1 / (1 - |c|), which is 1 for orthonormal columns only.
static void X26_the_norm_of_the_inverse_needs_orthonormal_columns(void** state) {
  (void)state;
  for (double c = 0.0; c < 0.95; c += 0.1) {
    const double determinant = 1.0 - c * c, norm = (1.0 + c) / determinant;  // eigenvalues (1 -+ c) / det
    CHECK_NEAR(norm, 1.0 / (1.0 - c), 1e-12);
    if (c > 0.05) CHECK_FAR(norm, 1.0, 0.1);
  }
}

// A contact without load: beta = 0, and any lambda >= max -D'v is a multiplier of the friction problem (5.24).
static void X26_lambda_is_not_unique(void** state) {
  (void)state;
  const double mu = 0.5, alpha = 0.0, beta = 0.0, slip[2] = {0.3, -0.3};
  for (double lambda = 0.3; lambda < 5.0; lambda += 0.7) {
    assert_true(slip[0] + lambda >= 0.0 && slip[1] + lambda >= 0.0);
    CHECK_NEAR(lambda * (mu * alpha - beta), 0.0, 0.0);
  }
}

// Fig. 6.1 with M = 1: U of (6.57), n up, t along the table. (6.58), and the cosine of (6.42).
static void cosines_of_the_rod(double a, double* printed, double* kinetic_cosine) {
  const double c = cos(a), s = sin(a), U_tt = 1.0 + c * c, U_nt = c * s, U_nn = 1.0 + s * s;
  *printed = fabs(U_nt) / hypot(U_tt, U_nt);
  *kinetic_cosine = fabs(U_nt) / sqrt(U_nn * U_tt);
}

static void X27_the_formula_is_a_cosine_and_not_in_the_kinetic_metric(void** state) {
  (void)state;
  double printed, kinetic_cosine;
  cosines_of_the_rod(0.0, &printed, &kinetic_cosine);  // upright: n and t stay orthogonal
  CHECK_NEAR(acos(kinetic_cosine), 0.5 * PI, 1e-15);
  CHECK_NEAR(printed, 0.0, 0.0);
  cosines_of_the_rod(PI / 4.0, &printed, &kinetic_cosine);
  CHECK_NEAR(kinetic_cosine, 1.0 / 3.0, 1e-12);
  CHECK_NEAR(printed, 0.31623, 1e-5);
  CHECK_FAR(acos(printed), acos(kinetic_cosine), 0.01);
}

// A predictor that leaves the table: without alpha >= 0 the minimum of (6.55) pulls.
static void X28_the_contact_problem_has_a_bound(void** state) {
  (void)state;
  const ChSingle s = {PI / 5.0, 0.6, 0.2, -0.5};  // y is the negative of the predicted normal velocity
  CHECK_NEAR(ch_single_contact(&s, 0.0), 0.0, 0.0);
  CHECK_AT_MOST(s.y, -0.5);  // argmin of alpha^2 / 2 - alpha y
}

// (5.32) that (5.21) <= 1e-7 leaves over [-1, 1] x (0, 1].
static double objective_left(double theta, double mu, bool squared) {
  double worst = 0.0;
  for (int i = 0; i <= 40; ++i)
    for (int j = 1; j <= 20; ++j) {
      const ChSingle s = {theta, mu, -1.0 + i / 20.0, j / 20.0};
      const ChSingleRun run = ch_single_run(&s, 1e-7, squared, 2000, NULL, NULL);
      assert_true(run.converged);
      worst = fmax(worst, fabs(ch_single_objective(&s, run.last)));
    }
  return worst;
}

// The printed residual is 1e-6. Squared, as printed, the rule leaves hundreds of times more, and thousands at a small
// angle; its root leaves less.
static void X29_the_squared_rule_leaves_far_more_than_the_printed_residual(void** state) {
  (void)state;
  CHECK_NEAR(objective_left(PI / 5.0, 0.6, true), 4.7e-4, 0.1e-4);
  CHECK_NEAR(objective_left(PI / 5.0, 0.6, false), 1.7e-7, 0.1e-7);
  CHECK_NEAR(objective_left(PI / 9.0, 0.8, true), 3.1e-3, 0.1e-3);
  CHECK_NEAR(objective_left(PI / 9.0, 0.8, false), 9.5e-7, 0.1e-7);
}

// V = r^2 (r^2 - 1)^2: second derivative 30 r^4 - 24 r^2 + 2 along the radius, V'/r = 6 r^4 - 8 r^2 + 2 across it.
static double radial_curvature(double r) { return 30.0 * pow(r, 4) - 24.0 * r * r + 2.0; }
static double oscillator(double r) { return r * r * (r * r - 1.0) * (r * r - 1.0); }

static void X30_the_oscillator_is_not_convex(void** state) {
  (void)state;
  const double r = 0.5, step = 1e-4;
  const double seen = (oscillator(r + step) - 2.0 * oscillator(r) + oscillator(r - step)) / (step * step);
  CHECK_NEAR(seen, radial_curvature(r), 1e-5);
  CHECK_AT_MOST(seen, -2.0);
  CHECK_AT_MOST(6.0 * pow(0.8, 4) - 8.0 * 0.8 * 0.8 + 2.0, -0.5);
}

// --- found while checking --------------------------------------------------------------------------------------------

// (5.32) of one contact in the plane, W = [A C; C T], friction along one direction; M_ are the multipliers gamma of
// (5.33). The Lagrangian as a function of alpha, and what (5.33) says of its slope.
static const double A = 2.0, C = 0.3, T = 3.0, MU = 0.5, Q_N = -1.0, Q_T = 0.4, BETA = 0.2, LAMBDA = 0.7;
static const double M_N = 0.6, M_T = 0.1, M_LAMBDA = 1.1;

static double lagrangian(double alpha) {
  const double u_n = A * alpha + C * BETA + Q_N, u_t = C * alpha + T * BETA + Q_T;
  const double value = alpha * u_n + BETA * u_t + LAMBDA * MU * alpha;
  return value - M_N * u_n - M_T * (u_t + LAMBDA) - M_LAMBDA * (MU * alpha - BETA);
}

static double first_row(double alpha, double sign) {
  return Q_N + A * (2.0 * alpha - M_N) + C * (2.0 * BETA - M_T) + sign * MU * (LAMBDA - M_LAMBDA);
}

static void further_the_first_row_of_5_33_has_plus_mu(void** state) {
  (void)state;
  const double step = 1e-5, slope = (lagrangian(1.0 + step) - lagrangian(1.0 - step)) / (2.0 * step);
  CHECK_NEAR(first_row(1.0, 1.0), slope, 1e-8);
  CHECK_FAR(first_row(1.0, -1.0), slope, 0.3);
}

// (8c) of 001 asks for v_t = -a gamma_t: an open contact, gamma = 0, could not slide. mu gamma_n v_t = -|v_t| gamma_t
// says the same of sliding contacts and nothing of open ones.
static void further_an_open_contact_may_slide(void** state) {
  (void)state;
  const double mu = 0.5, v[2] = {0.3, -0.4}, open[3] = {0.0, 0.0, 0.0};
  const double sliding[3] = {2.0, -mu * 2.0 * v[0] / 0.5, -mu * 2.0 * v[1] / 0.5};
  for (int i = 0; i < 2; ++i) {
    CHECK_NEAR(mu * open[0] * v[i] + 0.5 * open[1 + i], 0.0, 0.0);
    CHECK_NEAR(mu * sliding[0] * v[i] + 0.5 * sliding[1 + i], 0.0, 1e-15);
    for (double a = 0.0; a < 100.0; a += 1.0) CHECK_FAR(v[i], -a * open[1 + i], 0.1);
  }
}

// The last line but one of the proof in section 4.1 of 001: with v_t = -a gamma_t both terms are a |gamma_t|^2.
static void further_the_proof_of_orthogonality_has_squares(void** state) {
  (void)state;
  const double a = 0.7, g[2] = {0.3, -0.4}, v[2] = {-a * g[0], -a * g[1]}, norm = hypot(g[0], g[1]);
  CHECK_NEAR(norm * hypot(v[0], v[1]), a * norm * norm, 1e-15);
  CHECK_NEAR(v[0] * g[0] + v[1] * g[1], -a * norm * norm, 1e-15);
  CHECK_FAR(norm * hypot(v[0], v[1]), a * norm, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(X1_gravity_carries_the_mass),
      cmocka_unit_test(X2_position_and_linear_term_are_two_things),
      cmocka_unit_test(X3_the_active_set_is_rebuilt_every_step),
      cmocka_unit_test(X4_time_advances_by_the_step_that_was_made),
      cmocka_unit_test(X5_lambda_needs_symmetric_directions),
      cmocka_unit_test(X6_contacts_of_a_triangular_pile),
      cmocka_unit_test(X7_the_printed_tables_converge),
      cmocka_unit_test(X8_solution_sets_without_friction_are_convex),
      cmocka_unit_test(X9_the_weight_is_compared_with_the_sum_over_facets),
      cmocka_unit_test(X12_redundant_contacts_make_N_singular),
      cmocka_unit_test(X13_the_gradient_of_the_cone_points_into_its_dual),
      cmocka_unit_test(X14_the_arm_of_body_B),
      cmocka_unit_test(X15_gamma_multiplies_the_gap),
      cmocka_unit_test(X16_pointedness_is_of_first_degree),
      cmocka_unit_test(X17_the_anisotropic_law_has_squares),
      cmocka_unit_test(X18_the_potential_needs_the_mass),
      cmocka_unit_test(X19_gravity_acts_along_the_normal),
      cmocka_unit_test(X19_the_paradox_needs_a_negative_product),
      cmocka_unit_test(X20_the_evaluated_acceleration_is_minus_the_gradient),
      cmocka_unit_test(X21_the_predictor_is_a_quarter_step),
      cmocka_unit_test(X22_the_quadratic_term_is_halved),
      cmocka_unit_test(X22_the_two_contact_conditions_differ),
      cmocka_unit_test(X23_multiplier_and_indicator_add_to_the_action),
      cmocka_unit_test(X23_the_indicator_is_added_and_friction_scales_with_alpha),
      cmocka_unit_test(X24_the_order_matters_with_a_warm_start_only),
      cmocka_unit_test(X24_the_best_friction_is_returned),
      cmocka_unit_test(X25_only_the_contact_rows_count),
      cmocka_unit_test(X26_case_2c_has_gamma_above_delta),
      cmocka_unit_test(X26_the_norm_of_the_inverse_needs_orthonormal_columns),
      cmocka_unit_test(X26_lambda_is_not_unique),
      cmocka_unit_test(X27_the_formula_is_a_cosine_and_not_in_the_kinetic_metric),
      cmocka_unit_test(X28_the_contact_problem_has_a_bound),
      cmocka_unit_test(X29_the_squared_rule_leaves_far_more_than_the_printed_residual),
      cmocka_unit_test(X30_the_oscillator_is_not_convex),
      cmocka_unit_test(further_the_first_row_of_5_33_has_plus_mu),
      cmocka_unit_test(further_an_open_contact_may_slide),
      cmocka_unit_test(further_the_proof_of_orthogonality_has_squares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
