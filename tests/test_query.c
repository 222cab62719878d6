// Rays, closest points and overlaps against closed forms.
#include "cardhouse/query.h"

#include <math.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/random.h"
#include "support/worlds.h"

static const ChVec3 still = {0.0, 0.0, 0.0};
static ChContext context;

static int fixed(ChWorld* world, ChShapeDef shape, ChVec3 at, ChQuat turn) {
  ChBodyDef body = ch_body_def_default();
  body.kind = CH_BODY_FIXED;
  body.position = at;
  body.orientation = turn;
  return ch_test_body(world, &body, &shape);
}

static ChShapeDef of_type(ChShapeType type) {
  ChShapeDef shape = ch_shape_def_default();
  shape.type = type;
  shape.radius = 0.3;
  shape.half_length = 0.5;
  shape.half = ch_vec(0.4, 0.3, 0.2);
  return shape;
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

static ChRayHit cast(const ChSimulation* s, ChVec3 from, ChVec3 direction, double reach) {
  ChRayHit hit;
  CHECK_OK(context, ch_simulation_cast_ray(&context, s, from, direction, reach, &hit));
  return hit;
}

static void check_vector(ChVec3 a, ChVec3 b, double tolerance) { CHECK_NEAR(ch_norm(ch_sub(a, b)), 0.0, tolerance); }

// Along x at height z and depth y, from x = -10, against one shape at the origin.
typedef struct Shot {
  ChShapeType type;
  double y, z, x;  // x: where it hits; NAN: it misses
  ChVec3 normal;
} Shot;

static void rays_meet_shapes_where_they_begin(void** state) {
  (void)state;
  const double s = 0.1 / 0.3, c = sqrt(1.0 - s * s);
  const Shot shots[] = {
      {CH_SHAPE_SPHERE, 0.0, 0.1, -0.3 * c, {-c, 0.0, s}},
      {CH_SHAPE_SPHERE, 0.2, 0.23, NAN, {0.0, 0.0, 0.0}},
      {CH_SHAPE_BOX, 0.29, -0.19, -0.4, {-1.0, 0.0, 0.0}},
      {CH_SHAPE_BOX, 0.31, 0.0, NAN, {0.0, 0.0, 0.0}},
      {CH_SHAPE_CYLINDER, 0.1, 0.49, -0.3 * c, {-c, s, 0.0}},
      {CH_SHAPE_CYLINDER, 0.1, 0.51, NAN, {0.0, 0.0, 0.0}},
      {CH_SHAPE_CAPSULE, 0.1, 0.49, -0.3 * c, {-c, s, 0.0}},
      {CH_SHAPE_CAPSULE, 0.0, 0.6, -0.3 * c, {-c, 0.0, s}},
      {CH_SHAPE_CAPSULE, 0.0, 0.81, NAN, {0.0, 0.0, 0.0}},
      {CH_SHAPE_ELLIPSOID, 0.0, 0.0, -0.4, {-1.0, 0.0, 0.0}},
      {CH_SHAPE_ELLIPSOID, 0.0, 0.1, -0.4 * sqrt(0.75), {-0.5 * sqrt(3.0) / 0.4, 0.0, 0.5 / 0.2}},
  };
  for (size_t k = 0; k < sizeof shots / sizeof *shots; ++k) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    ChQuat turn = ch_quat_unit((ChQuat){0.8, 0.2, -0.3, 0.4});
    ChVec3 at = ch_vec(1.0, 2.0, 3.0);
    fixed(world, of_type(shots[k].type), at, turn);
    ChSimulation* sim = start(world);
    ChFrame frame = {at, turn};
    ChVec3 from = ch_frame_point(frame, ch_vec(-10.0, shots[k].y, shots[k].z));
    ChRayHit hit = cast(sim, from, ch_rotate(turn, ch_vec(5.0, 0.0, 0.0)), INFINITY);
    assert_int_equal(ch_body_id_is_none(hit.body), isnan(shots[k].x));
    if (!isnan(shots[k].x)) {
      CHECK_NEAR(hit.distance, 10.0 + shots[k].x, 1e-12);
      check_vector(hit.normal, ch_rotate(turn, ch_unit(shots[k].normal)), 1e-12);
      check_vector(hit.point, ch_frame_point(frame, ch_vec(shots[k].x, shots[k].y, shots[k].z)), 1e-12);
      assert_true(ch_body_id_is_none(cast(sim, from, ch_rotate(turn, ch_axis(0)), 10.0 + shots[k].x - 1e-6).body));
      assert_true(ch_body_id_is_none(cast(sim, from, ch_rotate(turn, ch_neg(ch_axis(0))), INFINITY).body));
    }
    ch_simulation_destroy(sim);
  }
}

// Of many the nearest is told, by its body; a start inside a solid is a hit at once.
static void the_nearest_of_many_is_hit(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  int floor = ch_test_floor(world), ball[5];
  for (int k = 0; k < 5; ++k) ball[k] = ch_test_ball(world, ch_vec(2.0 * (5 - k), 0.0, 1.0), 0.5, still);
  ChSimulation* s = start(world);
  ChRayHit hit = cast(s, ch_vec(0.0, 0.0, 1.0), ch_axis(0), INFINITY);
  assert_int_equal(ch_world_body_row(ch_simulation_world(s), hit.body), ball[4]);
  CHECK_NEAR(hit.distance, 1.5, 1e-12);
  hit = cast(s, ch_vec(0.0, 0.0, 1.0), ch_vec(1.0, 0.0, -1.0), INFINITY);
  assert_int_equal(ch_world_body_row(ch_simulation_world(s), hit.body), floor);
  CHECK_NEAR(hit.distance, sqrt(2.0), 1e-12);
  check_vector(hit.normal, ch_axis(2), 1e-12);
  hit = cast(s, ch_vec(2.1, 0.0, 1.0), ch_axis(1), INFINITY);
  CHECK_NEAR(hit.distance, 0.0, 0.0);
  check_vector(hit.normal, ch_neg(ch_axis(1)), 0.0);
  assert_int_equal(ch_simulation_cast_ray(&context, s, still, still, 1.0, &hit), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_cast_ray(NULL, s, still, ch_axis(0), NAN, &hit), CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

// The tree of a mesh misses no triangle: a box given as twelve of them is hit where the box is.
static void a_mesh_is_hit_like_the_box_that_it_is(void** state) {
  (void)state;
  static const int triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  ChVec3 corners[8];
  for (int k = 0; k < 8; ++k) corners[k] = ch_vec(k & 1 ? 0.4 : -0.4, k & 2 ? 0.3 : -0.3, k & 4 ? 0.2 : -0.2);
  ChShapeDef mesh = of_type(CH_SHAPE_MESH);
  mesh.points = corners, mesh.point_count = 8, mesh.triangles = triangles, mesh.triangle_count = 12;
  ChSimulation* s[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    fixed(world, k ? mesh : of_type(CH_SHAPE_BOX), still, ch_quat_identity());
    s[k] = start(world);
  }
  ChRandom random = ch_random_seeded(3);
  int hits = 0;
  for (int n = 0; n < 2000; ++n) {
    double x = ch_random_normal(&random), y = ch_random_normal(&random), z = ch_random_normal(&random);
    ChVec3 from = ch_unit(ch_vec(x, y, z)), to = {ch_random_uniform(&random, -0.6, 0.6), 0.1 * y, 0.1 * x};
    ChRayHit a = cast(s[0], from, ch_sub(to, from), INFINITY), b = cast(s[1], from, ch_sub(to, from), INFINITY);
    assert_int_equal(ch_body_id_is_none(a.body), ch_body_id_is_none(b.body));
    CHECK_NEAR(a.distance, b.distance, 1e-12);
    check_vector(a.normal, b.normal, 1e-12);
    hits += !ch_body_id_is_none(a.body);
  }
  assert_true(hits > 500 && hits < 2000);
  ch_simulation_destroy(s[0]);
  ch_simulation_destroy(s[1]);
}

static void rays_meet_shapes_of_the_plane(void** state) {
  (void)state;
  const ChVec3 chain[] = {{1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}};
  const ChShapeType types[] = {CH_SHAPE_DISK, CH_SHAPE_ELLIPSE, CH_SHAPE_RECTANGLE, CH_SHAPE_HALFPLANE, CH_SHAPE_CHAIN};
  const double where[] = {-0.3, -0.4, -0.4, 0.0, 1.0};
  for (int k = 0; k < 5; ++k) {
    ChWorld* world = ch_test_world(2, 0.0, 0.5, 0.0);
    ChShapeDef shape = of_type(types[k]);
    shape.normal = ch_vec(-1.0, 0.0, 0.0);
    if (types[k] == CH_SHAPE_CHAIN) shape.points = chain, shape.point_count = 2;
    fixed(world, shape, still, ch_quat_identity());
    ChSimulation* s = start(world);
    ChRayHit hit = cast(s, ch_vec(-3.0, 0.0, 0.0), ch_axis(0), INFINITY);
    CHECK_NEAR(hit.distance, 3.0 + where[k], 1e-12);
    check_vector(hit.normal, ch_vec(-1.0, 0.0, 0.0), 1e-12);
    ch_simulation_destroy(s);
  }
}

static ChClosestPoints closest(const ChSimulation* s, int a, int b, double within) {
  ChClosestPoints out;
  CHECK_OK(context, ch_simulation_closest(&context, s, ch_body_id(a), ch_body_id(b), within, &out));
  return out;
}

// Two balls: the distance of centres less the radii. A ball over a floor: its height. A ball at the corner of a box:
// the distance of the corner. Two boxes corner to corner: that of the corners.
static void closest_points_have_their_distances(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  int floor = ch_test_floor(world);
  int a = ch_test_ball(world, ch_vec(0.0, 0.0, 2.0), 0.5, still),
      b = ch_test_ball(world, ch_vec(3.0, 4.0, 2.0), 1.0, still);
  int box = ch_test_box(world, ch_vec(-3.0, -3.0, 3.0), ch_vec(1.0, 1.0, 0.5));
  int other = ch_test_box(world, ch_vec(-5.3, -5.4, 3.0), ch_vec(1.0, 1.0, 0.2));
  ChSimulation* s = start(world);
  ChClosestPoints p = closest(s, a, b, 10.0);
  CHECK_NEAR(p.gap, 5.0 - 1.5, 1e-12);
  check_vector(p.normal, ch_vec(0.6, 0.8, 0.0), 1e-12);
  check_vector(p.point[0], ch_vec(0.3, 0.4, 2.0), 1e-12);
  check_vector(p.point[1], ch_vec(2.4, 3.2, 2.0), 1e-12);
  assert_false(closest(s, a, b, 3.4).found);
  p = closest(s, a, floor, 10.0);
  CHECK_NEAR(p.gap, 1.5, 1e-12);
  check_vector(p.normal, ch_vec(0.0, 0.0, -1.0), 1e-12);
  check_vector(p.point[1], still, 1e-12);
  p = closest(s, a, box, 10.0);
  CHECK_NEAR(p.gap, sqrt(4.0 + 4.0 + 0.25) - 0.5, 1e-12);
  check_vector(p.point[1], ch_vec(-2.0, -2.0, 2.5), 1e-12);
  p = closest(s, box, other, 10.0);
  CHECK_NEAR(p.gap, hypot(0.3, 0.4), 1e-9);
  assert_int_equal(ch_simulation_closest(&context, s, ch_body_id(a), ch_body_id(9), 1.0, &p), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_closest(&context, s, ch_body_id(a), ch_body_id(b), NAN, &p), CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

static void a_probe_lists_what_it_touches(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  int floor = ch_test_floor(world), row = 0;
  for (int k = 0; k < 10; ++k) row = ch_test_ball(world, ch_vec(k, 0.0, 1.0), 0.25, still);
  assert_int_equal(row, floor + 10);
  ChSimulation* s = start(world);
  ChNearby near[16];
  int count;
  ChQueryProbe probe = ch_query_ball(ch_vec(3.5, 0.0, 1.0), 0.3);
  CHECK_OK(context, ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count));
  assert_int_equal(count, 2);
  CHECK_NEAR(near[0].gap, 0.5 - 0.3 - 0.25, 1e-12);
  check_vector(near[0].normal, ch_axis(0), 1e-12);
  check_vector(near[1].point, ch_vec(3.75, 0.0, 1.0), 1e-12);
  assert_int_equal(ch_world_body_row(ch_simulation_world(s), near[1].body), floor + 5);
  CHECK_OK(context, ch_simulation_overlap(&context, s, &probe, 0.71, 0, NULL, &count));
  assert_int_equal(count, 3);  // and the floor
  probe.type = CH_SHAPE_BOX;
  probe.half = ch_vec(2.0, 0.1, 0.76);
  CHECK_OK(context, ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count));
  assert_int_equal(count, 4);
  probe.type = CH_SHAPE_ELLIPSOID;  // its tips end at 1.5 and 5.5; balls 2 to 5 have their centres inside
  CHECK_OK(context, ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count));
  assert_int_equal(count, 4);
  probe.type = CH_SHAPE_DISK;
  assert_int_equal(ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count), CH_ERR_ARGUMENT);
  probe.type = CH_SHAPE_MESH;
  assert_int_equal(ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count), CH_ERR_ARGUMENT);
  probe = ch_query_ball(still, -1.0);
  assert_int_equal(ch_simulation_overlap(&context, s, &probe, 0.0, 16, near, &count), CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_meet_shapes_where_they_begin),     cmocka_unit_test(the_nearest_of_many_is_hit),
      cmocka_unit_test(a_mesh_is_hit_like_the_box_that_it_is), cmocka_unit_test(rays_meet_shapes_of_the_plane),
      cmocka_unit_test(closest_points_have_their_distances),   cmocka_unit_test(a_probe_lists_what_it_touches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
