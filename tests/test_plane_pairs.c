// Contacts in the plane: gaps are those of a slow independent reference, sides touch in two points, corners bisect, a
// chain is met as one curve.
#include <stdlib.h>

#include "collide/pairs.h"
#include "model/mesh/mesh.h"
#include "support/near.h"
#include "support/pair_rig.h"
#include "support/random.h"
#include "support/slow_distance.h"

static const double pi = 3.14159265358979323846;

static ChShape disk(double radius) { return (ChShape){.type = CH_SHAPE_DISK, .radius = radius, .bound = radius}; }
static ChShape ellipse(double x, double y) {
  return (ChShape){.type = CH_SHAPE_ELLIPSE, .half = ch_vec(x, y, 0), .bound = fmax(x, y)};
}
static ChShape rectangle(Rig* rig, double x, double y) {
  return (ChShape){.type = CH_SHAPE_RECTANGLE,
                   .half = ch_vec(x, y, 0),
                   .polytope = ch_polytope_rectangle(rig->arena, x, y),
                   .bound = hypot(x, y)};
}
static ChShape polygon(Rig* rig, int count, double radius) {
  ChVec3 points[64];
  ChPolytope* polytope = NULL;
  for (int k = 0; k < count; ++k) {
    const double t = 2.0 * pi * (k + 0.2 * sin(k * k)) / count;
    points[k] = ch_vec(radius * cos(t), radius * sin(t), 0.0);
  }
  CHECK_OK(rig->context, ch_polytope_polygon(&rig->context, rig->arena, count, points, &polytope));
  return (ChShape){.type = CH_SHAPE_POLYGON, .polytope = polytope, .bound = radius};
}
static ChShape chain(Rig* rig, int count, const ChVec3* points) {
  int cells[2 * 256];
  ChMesh* mesh = NULL;
  for (int k = 0; k + 1 < count; ++k) cells[2 * k] = k, cells[2 * k + 1] = k + 1;
  CHECK_OK(rig->context, ch_mesh_create(&rig->context, rig->arena, count, points, count - 1, cells, 2, &mesh));
  return (ChShape){.type = CH_SHAPE_CHAIN, .mesh = mesh};
}

static ChPosed at(const ChShape* shape, double x, double y, double angle) {
  return ch_posed(shape, (ChFrame){ch_vec(x, y, 0.0), ch_quat_about(ch_axis(2), angle)});
}

static int collide(Rig* rig, const ChPosed* a, const ChPosed* b, double margin) {
  rig->list.count = 0;
  ch_pair_collide(a, b, margin, &rig->list);
  return rig->list.count;
}

static double least_gap(const Rig* rig) {
  double least = INFINITY;
  for (int k = 0; k < rig->list.count; ++k) least = fmin(least, rig->list.points[k].gap);
  return least;
}

// The largest separation over a fine fan of directions, refined by golden section about the best of them.
static double slow_gap(const ChPosed* a, const ChPosed* b) {
  enum { FAN = 4000 };
  double best = -INFINITY, where = 0.0, width = 2.0 * pi / FAN;
  for (int k = 0; k < FAN; ++k) {
    const double value = ch_slow_separation(a, b, ch_vec(cos(k * width), sin(k * width), 0.0));
    if (value > best) best = value, where = k * width;
  }
  double low = where - width, high = where + width;
  for (int k = 0; k < 80; ++k) {
    const double left = low + 0.382 * (high - low), right = low + 0.618 * (high - low);
    const double at_left = ch_slow_separation(a, b, ch_vec(cos(left), sin(left), 0.0));
    const double at_right = ch_slow_separation(a, b, ch_vec(cos(right), sin(right), 0.0));
    best = fmax(best, fmax(at_left, at_right));
    if (at_left < at_right)
      low = left;
    else
      high = right;
  }
  return best;
}

static void check_pairs(Rig* rig, const ChShape* first, const ChShape* second) {
  ChRandom random = ch_random_seeded(31);
  for (int k = 0; k < 60; ++k) {
    const double angle = ch_random_uniform(&random, -pi, pi), far = ch_random_uniform(&random, 0.5, 2.2);
    const ChPosed a = at(first, 0.3, -0.2, ch_random_uniform(&random, -pi, pi));
    const ChPosed b = at(second, 0.3 + far * cos(angle), -0.2 + far * sin(angle), ch_random_uniform(&random, -pi, pi));
    const double wanted = slow_gap(&a, &b), margin = 0.5;
    const int count = collide(rig, &a, &b, margin);
    if (wanted > margin - 1e-9) continue;
    assert_true(count > 0);
    CHECK_NEAR(least_gap(rig), wanted, 1e-10);
    const ChVec3 n = rig->list.points[0].normal;
    CHECK_NEAR(ch_slow_separation(&a, &b, n), wanted, 1e-10);
    CHECK_NEAR(ch_norm(n), 1.0, 1e-14);
    CHECK_AT_MOST(fabs(n.z) + fabs(rig->list.points[0].point.z), 0.0);
  }
}

static void convex_shapes_have_the_gap_of_the_reference(void** state) {
  Rig* rig = *state;
  const ChShape shapes[] = {disk(0.5), rectangle(rig, 0.6, 0.3), polygon(rig, 7, 0.7), ellipse(0.8, 0.3)};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) check_pairs(rig, &shapes[i], &shapes[j]);
}

static void half_planes_meet_every_convex_shape(void** state) {
  Rig* rig = *state;
  const ChShape ground = {.type = CH_SHAPE_HALFPLANE, .normal = ch_vec(0.6, 0.8, 0), .offset = 0.1};
  const ChShape shapes[] = {disk(0.5), rectangle(rig, 0.6, 0.3), polygon(rig, 7, 0.7), ellipse(0.8, 0.3)};
  const int points[] = {1, 4, 7, 1};
  for (int k = 0; k < 4; ++k) {
    const ChPosed a = at(&shapes[k], 0.4, 0.5, 0.9), b = at(&ground, 0, 0, 0);
    assert_int_equal(collide(rig, &a, &b, 10.0), points[k]);
    const double wanted = 0.6 * 0.4 + 0.8 * 0.5 - 0.1 - ch_slow_support(&a, ch_vec(-0.6, -0.8, 0)) +
                          ch_dot(a.frame.at, ch_vec(-0.6, -0.8, 0));
    CHECK_NEAR(least_gap(rig), wanted, 1e-14);
    CHECK_NEAR(rig->list.points[0].normal.x, -0.6, 1e-15);
  }
}

static void sides_touch_in_two_points_and_corners_bisect(void** state) {
  Rig* rig = *state;
  const ChShape square = rectangle(rig, 0.5, 0.5);
  const ChPosed a = at(&square, 0, 0, 0);
  for (int k = -1; k <= 1; ++k) {
    const ChPosed above = at(&square, 0.3, 1.0 + 1e-9 * k, 0);
    assert_int_equal(collide(rig, &a, &above, 1e-3), 2);
    CHECK_NEAR(rig->list.points[0].normal.y, 1.0, 1e-15);
    CHECK_NEAR(rig->list.points[1].gap, 1e-9 * k, 1e-15);
    const ChPosed flush = at(&square, 1e-9 * k, 1.0, 0);
    assert_int_equal(collide(rig, &a, &flush, 1e-3), 2);
    const ChPosed corner = at(&square, 1.0 + 1e-9 * k, 1.0 - 2e-9 * k, 0);
    assert_int_equal(collide(rig, &a, &corner, 1e-3), 1);
    CHECK_NEAR(rig->list.points[0].normal.x, sqrt(0.5), 1e-8);
    CHECK_NEAR(rig->list.points[0].gap, 0.0, 1e-8);
  }
  // the apex of two leaning cards
  const double theta = 67.0 * pi / 180.0, dx = 0.5 * cos(theta) + 0.01 * sin(theta);
  const ChShape card = rectangle(rig, 0.5, 0.01);
  const ChPosed left = at(&card, -dx, 0, theta), right = at(&card, dx, 0, -theta);
  assert_int_equal(collide(rig, &left, &right, 1e-5), 1);
  CHECK_NEAR(rig->list.points[0].normal.x, 1.0, 1e-12);
  CHECK_NEAR(rig->list.points[0].gap, 0.0, 1e-14);
}

// --- chains ----------------------------------------------------------------------------------------------------------

static void a_flat_chain_is_a_plane(void** state) {
  Rig* rig = *state;
  ChVec3 points[21];
  for (int k = 0; k <= 20; ++k) points[k] = ch_vec(k - 10.0, 0.0, 0.0);  // solid on the right, which is below
  const ChShape ground = chain(rig, 21, points), box = rectangle(rig, 0.7, 0.3), ball = disk(0.4),
                egg = ellipse(0.5, 0.2);
  const ChPosed floor = at(&ground, 0, 0, 0);
  for (double x = -3.0; x <= 3.0; x += 0.0625)
    for (int k = -1; k <= 1; ++k) {
      const double gap = 1e-4 * k;
      const ChPosed b = at(&box, x, 0.3 + gap, 0.0), d = at(&ball, x, 0.4 + gap, 0.0),
                    e = at(&egg, x, 0.5 + gap, 0.5 * pi);
      assert_int_equal(collide(rig, &b, &floor, 1e-3), 2);
      for (int i = 0; i < 2; ++i) {
        CHECK_NEAR(rig->list.points[i].gap, gap, 1e-14);
        CHECK_NEAR(rig->list.points[i].normal.y, -1.0, 1e-15);
      }
      assert_int_equal(collide(rig, &d, &floor, 1e-3), 1);
      CHECK_NEAR(rig->list.points[0].gap, gap, 1e-14);
      assert_int_equal(collide(rig, &e, &floor, 1e-3), 1);
      CHECK_NEAR(rig->list.points[0].gap, gap, 1e-12);
      CHECK_NEAR(rig->list.points[0].normal.y, -1.0, 1e-12);
    }
}

// Inside a bowl and on a hill of many segments a disk's normal is the chain's, and its gap the true distance.
static void a_disk_on_a_smooth_chain_sees_one_curve(void** state) {
  Rig* rig = *state;
  enum { COUNT = 101 };
  ChVec3 bowl[COUNT], hill[COUNT];
  for (int k = 0; k < COUNT; ++k) {
    const double t = pi * (k / (COUNT - 1.0) - 0.5);
    bowl[k] = ch_vec(2.0 * sin(t), -2.0 * cos(t), 0.0);
    hill[k] = ch_vec(2.0 * sin(t), 2.0 * cos(t), 0.0);
  }
  const ChShape inner = chain(rig, COUNT, bowl), outer = chain(rig, COUNT, hill), ball = disk(0.3);
  const ChPosed b = at(&inner, 0, 0, 0), h = at(&outer, 0, 0, 0);
  const double sagitta = 2.0 * (1.0 - cos(0.5 * pi / (COUNT - 1)));
  for (double t = -1.0; t <= 1.0; t += 0.013) {
    const ChPosed in = at(&ball, 1.7 * sin(t), -1.7 * cos(t), 0.0), on = at(&ball, 2.3 * sin(t), 2.3 * cos(t), 0.0);
    assert_in_range(collide(rig, &in, &b, 1e-3), 1, 3);
    for (int k = 0; k < rig->list.count; ++k) CHECK_AT_MOST(fabs(rig->list.points[k].gap), 2.0 * sagitta);
    assert_int_equal(collide(rig, &on, &h, 1e-3), 1);
    CHECK_AT_MOST(fabs(rig->list.points[0].gap), sagitta + 1e-12);
    CHECK_AT_MOST(ch_norm(ch_add(rig->list.points[0].normal, ch_vec(sin(t), cos(t), 0))), 0.02);
  }
}

static void a_plank_lies_on_the_corner_of_a_ridge(void** state) {
  Rig* rig = *state;
  const ChVec3 ridge[] = {{-1, -1, 0}, {0, 0, 0}, {1, -1, 0}};
  const ChShape roof = chain(rig, 3, ridge), plank = rectangle(rig, 1.0, 0.1);
  const ChPosed r = at(&roof, 0, 0, 0), level = at(&plank, 0.2, 0.1 - 1e-6, 0.0),
                tilted = at(&plank, 0, 0.1 / cos(0.2), 0.2);
  assert_int_equal(collide(rig, &level, &r, 1e-3), 1);
  CHECK_NEAR(rig->list.points[0].gap, -1e-6, 1e-15);
  CHECK_NEAR(rig->list.points[0].normal.y, -1.0, 1e-15);
  assert_int_equal(collide(rig, &tilted, &r, 1e-3), 1);
  CHECK_NEAR(rig->list.points[0].gap, 0.0, 1e-15);
  CHECK_NEAR(rig->list.points[0].normal.x, sin(0.2), 1e-14);
  // a square standing on its corner exactly over the ridge
  const ChShape square = rectangle(rig, 0.5, 0.5);
  const ChPosed standing = at(&square, 0, sqrt(0.5), pi / 4);
  assert_int_equal(collide(rig, &standing, &r, 1e-3), 1);
  CHECK_NEAR(rig->list.points[0].normal.y, -1.0, 1e-9);
}

int main(void) {
#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      FACT(convex_shapes_have_the_gap_of_the_reference),  FACT(half_planes_meet_every_convex_shape),
      FACT(sides_touch_in_two_points_and_corners_bisect), FACT(a_flat_chain_is_a_plane),
      FACT(a_disk_on_a_smooth_chain_sees_one_curve),      FACT(a_plank_lies_on_the_corner_of_a_ridge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
