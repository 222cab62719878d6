// Projections: they land in the set, are idempotent, decompose with the polar cone (Moreau), are nearest points, and
// keep NaN.
#include "problem/cones.h"

#include "support/near.h"
#include "support/random.h"

enum { SAMPLES = 2000 };

static const double frictions[][2] = {{0.7, 0.7}, {0.0, 0.0}, {0.5, 0.1},  {0.01, 2.0},       {3.0, 0.3},
                                      {0.0, 0.5}, {0.8, 0.0}, {1e-3, 1.0}, {1.0, 1.0 + 1e-12}};
enum { FRICTIONS = sizeof frictions / sizeof frictions[0] };

static double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static ChBlock contact(int dimension, const double mu[2]) {
  return (ChBlock){.law = CH_LAW_CONTACT, .dimension = dimension, .mu = {mu[0], mu[1]}};
}

// How far r is outside its cone: section of the ellipse minus r_n, in units of r.
static double outside(const ChBlock* block, const double* r) {
  double section = 0.0;
  for (int k = 1; k < block->dimension; ++k) {
    const double mu = block->mu[k - 1];
    section += mu > 0.0 ? r[k] * r[k] / (mu * mu) : r[k] == 0.0 ? 0.0 : INFINITY;
  }
  return sqrt(section) - r[0];
}

static void sample(ChRandom* random, int n, double* x) {
  const double scale = pow(10.0, ch_random_uniform(random, -6.0, 6.0));
  for (int i = 0; i < n; ++i) x[i] = scale * ch_random_normal(random);
  if (ch_random_uniform(random, 0, 1) < 0.1) x[ch_random_bits(random) % (unsigned)n] = 0.0;
}

// x = y + z with y in K, z in the polar cone and y . z = 0 holds for the projection and nothing else. z is polar when
// sigma(z_T) <= -z_n.
static void check_moreau(const ChBlock* block, const double* x) {
  double y[3], z[3], again[3];
  const int n = block->dimension;
  const double size = sqrt(dot(n, x, x));
  ch_block_project(block, CH_POSE_COULOMB, x, y);
  for (int k = 0; k < n; ++k) z[k] = x[k] - y[k];
  CHECK_AT_MOST(outside(block, y), 1e-15 * size / (block->mu[0] > 0 ? fmin(block->mu[0], 1.0) : 1.0) * 4.0);
  CHECK_AT_MOST(ch_block_support(block, CH_POSE_COULOMB, z) + z[0], 1e-14 * size);  // a dozen roundings
  CHECK_AT_MOST(fabs(dot(n, y, z)), 1e-14 * size * size);
  ch_block_project(block, CH_POSE_COULOMB, y, again);
  for (int k = 0; k < n; ++k) CHECK_NEAR(again[k], y[k], 1e-14 * size);
}

static void moreau_holds_for_all_cones(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(11);
  for (int f = 0; f < FRICTIONS; ++f)
    for (int k = 0; k < SAMPLES; ++k) {
      const int n = k % 2 ? 3 : 2;
      const ChBlock block = contact(n, frictions[f]);
      double x[3];
      sample(&random, n, x);
      check_moreau(&block, x);
    }
}

// Nearest among many points of the boundary, refined around the best: brute force needs no multiplier.
static double brute_force_distance(const double mu[2], const double* x) {
  double best = sqrt(dot(3, x, x)), centre = 0.0, width = 3.141592653589793;  // the apex to begin with
  for (int round = 0; round < 12; ++round) {
    double best_angle = centre;
    for (int k = -100; k <= 100; ++k) {
      const double angle = centre + width * k / 100.0;
      const double ray[3] = {1.0, mu[0] * cos(angle), mu[1] * sin(angle)};
      const double along = fmax(dot(3, x, ray), 0.0) / dot(3, ray, ray);
      const double gap[3] = {x[0] - along * ray[0], x[1] - along * ray[1], x[2] - along * ray[2]};
      const double distance = sqrt(dot(3, gap, gap));
      if (distance < best) best = distance, best_angle = angle;
    }
    centre = best_angle;
    width *= 0.05;
  }
  return best;
}

static void elliptic_is_nearest(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(5);
  for (int k = 0; k < 300; ++k) {
    const double mu[2] = {ch_random_uniform(&random, 0.05, 2.0), ch_random_uniform(&random, 0.05, 2.0)};
    double x[3], y[3];
    for (int i = 0; i < 3; ++i) x[i] = ch_random_normal(&random);
    const ChBlock block = contact(3, mu);
    if (outside(&block, x) <= 0.0) continue;
    ch_project_elliptic(mu, x, y);
    const double gap[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    CHECK_NEAR(sqrt(dot(3, gap, gap)), brute_force_distance(mu, x), 1e-9);  // the search resolves 1e-13 in angle
  }
}

static void closed_forms(void** state) {
  (void)state;
  const double x[3] = {1.0, 3.0, 4.0};
  double y[3];
  ch_project_circular3(0.5, x, y);  // n' = (1 + 0.5 * 5) / 1.25, |T'| = 0.5 n'
  CHECK_NEAR(y[0], 2.8, 1e-15);
  CHECK_NEAR(y[1], 0.84, 1e-15);
  CHECK_NEAR(y[2], 1.12, 1e-15);
  const double down[3] = {-1.0, 0.0, 0.0};  // without friction a negative normal is cut off, not kept
  ch_project_circular3(0.0, down, y);
  CHECK_NEAR(y[0], 0.0, 0.0);
  const double plane[2] = {0.0, -2.0};
  ch_project_circular2(1.0, plane, y);
  CHECK_NEAR(y[0], 1.0, 1e-15);
  CHECK_NEAR(y[1], -1.0, 1e-15);
  const double blades[2] = {0.0, 0.9}, sideways[3] = {1.0, 5.0, 0.3};
  ch_project_elliptic(blades, sideways, y);
  CHECK_NEAR(y[0], 1.0, 0.0);
  CHECK_NEAR(y[1], 0.0, 0.0);
  CHECK_NEAR(y[2], 0.3, 0.0);
}

static void laws_without_friction(void** state) {
  (void)state;
  double y[6];
  const double six[6] = {-1, 2, -3, 4, -5, 6}, below = -2.0, above = 7.0;
  const ChBlock joint = {.law = CH_LAW_BILATERAL, .dimension = 6};
  ch_block_project(&joint, CH_POSE_COULOMB, six, y);
  for (int k = 0; k < 6; ++k) CHECK_NEAR(y[k], six[k], 0.0);
  const ChBlock stop = {.law = CH_LAW_UNILATERAL, .dimension = 1};
  ch_block_project(&stop, CH_POSE_COULOMB, &below, y);
  CHECK_NEAR(y[0], 0.0, 0.0);
  const ChBlock motor = {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -1.0, .hi = 5.0};
  ch_block_project(&motor, CH_POSE_COULOMB, &above, y);
  CHECK_NEAR(y[0], 5.0, 0.0);
  const double mu[2] = {0.8, 0.8}, x[3] = {2.0, 1.0, 1.0};
  const ChBlock block = contact(3, mu);
  ch_block_project(&block, CH_POSE_FRICTIONLESS, x, y);
  CHECK_NEAR(y[0], 2.0, 0.0);
  CHECK_NEAR(y[1], 0.0, 0.0);
}

static void support_and_shift_follow_the_pose(void** state) {
  (void)state;
  const double mu[2] = {0.5, 0.25}, u[3] = {0.1, 3.0, 8.0};
  const ChBlock block = contact(3, mu);
  double shifted[3];
  CHECK_NEAR(ch_block_support(&block, CH_POSE_COULOMB, u), 2.5, 1e-15);  // |(1.5, 2)|
  CHECK_NEAR(ch_block_support(&block, CH_POSE_RELAXED, u), 2.5, 1e-15);
  CHECK_NEAR(ch_block_support(&block, CH_POSE_FRICTIONLESS, u), 0.0, 0.0);
  ch_block_shift(&block, CH_POSE_COULOMB, u, shifted);
  CHECK_NEAR(shifted[0], 2.6, 1e-15);
  ch_block_shift(&block, CH_POSE_RELAXED, u, shifted);
  CHECK_NEAR(shifted[0], 0.1, 0.0);
}

static void nan_stays_nan(void** state) {
  (void)state;
  for (int f = 0; f < FRICTIONS; ++f)
    for (int at = 0; at < 3; ++at)
      for (int sign = -1; sign <= 1; ++sign) {
        double x[3] = {sign, sign, sign}, y[3] = {0, 0, 0};
        x[at] = NAN;
        const ChBlock block = contact(3, frictions[f]), flat = contact(2, frictions[f]);
        ch_block_project(&block, CH_POSE_COULOMB, x, y);
        assert_true(isnan(y[0] + y[1] + y[2]));
        if (at == 2) continue;
        ch_block_project(&flat, CH_POSE_COULOMB, x, y);
        assert_true(isnan(y[0] + y[1]));
      }
  const ChBlock others[] = {{.law = CH_LAW_BILATERAL, .dimension = 1},
                            {.law = CH_LAW_UNILATERAL, .dimension = 1},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -1, .hi = 1}};
  for (int k = 0; k < 3; ++k) {
    double y = 0.0;
    const double x = NAN;
    ch_block_project(&others[k], CH_POSE_COULOMB, &x, &y);
    assert_true(isnan(y));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moreau_holds_for_all_cones),
      cmocka_unit_test(elliptic_is_nearest),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(laws_without_friction),
      cmocka_unit_test(support_and_shift_follow_the_pose),
      cmocka_unit_test(nan_stays_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
