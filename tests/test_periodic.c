// Facts about worlds that repeat themselves: the border of the cell is nowhere. What happens across it happens in the
// middle, momentum is kept, every image is found once, and what cannot be right is refused.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/periodic.h"
#include "cardhouse/query.h"
#include "cardhouse/scene.h"
#include "collide/collide.h"
#include "support/near.h"
#include "support/random.h"
#include "support/worlds.h"

static ChPeriodic cell_of(int axes, double low, double high) {
  return (ChPeriodic){{axes & 1, axes & 2, axes & 4}, {low, low, low}, {high, high, high}};
}

static ChWorld* make_world(int dimension, double g, double mu, double e, ChPeriodic cell) {
  ChContext context = {0};
  ChWorld* world = ch_test_world(dimension, g, mu, e);
  CHECK_OK(context, ch_world_set_periodic(&context, world, &cell));
  return world;
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

static ChBodyView body_at(const ChSimulation* s, int row) { return ch_simulation_body_at(s, row); }

// --- points ----------------------------------------------------------------------------------------------------------

static void points_are_wrapped_into_the_cell(void** state) {
  (void)state;
  ChPeriodic cell = {{true, false, true}, {-1.0, 0.0, 2.0}, {3.0, 0.0, 2.5}};
  ChRandom r = ch_random_seeded(3);
  for (int k = 0; k < 10000; ++k) {
    ChVec3 x = ch_random_in_cube(&r, k % 2 ? 1e6 : 10.0), in = ch_periodic_wrap(&cell, x);
    double periods[2] = {(x.x - in.x) / 4.0, (x.z - in.z) / 0.5};
    assert_true(in.x >= -1.0 && in.x < 3.0 && in.z >= 2.0 && in.z < 2.5 && in.y == x.y);
    for (int a = 0; a < 2; ++a) CHECK_NEAR(periods[a], nearbyint(periods[a]), 1e-8);  // round-off of 1e6 / 0.5
    ChVec3 way = ch_periodic_shortest(&cell, x);
    assert_true(fabs(way.x) <= 2.0 && fabs(way.z) <= 0.25 && way.y == x.y);
  }
  ChVec3 edge = ch_periodic_wrap(&cell, ch_vec(3.0, 7.0, nextafter(2.0, 0.0)));
  assert_true(edge.x == -1.0 && edge.z >= 2.0 && edge.z < 2.5);
}

// --- one body --------------------------------------------------------------------------------------------------------

// A ball that falls through forty periods moves as one in a world without any, bit for bit.
static void free_fall_does_not_see_the_cell(void** state) {
  (void)state;
  ChSimulation* s[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = k ? make_world(3, 9.81, 0.5, 0.0, cell_of(7, 0.0, 0.5)) : ch_test_world(3, 9.81, 0.5, 0.0);
    ch_test_ball(world, ch_vec(0.1, 0.2, 0.3), 0.1, ch_vec(3.0, -2.0, 0.0));
    s[k] = start(world);
    ch_test_run(s[k], 2.0);
  }
  ChBodyView a = body_at(s[0], 0), b = body_at(s[1], 0);
  assert_memory_equal(&a.position, &b.position, sizeof a.position);
  assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
  CHECK_AT_MOST(b.position.z, -19.0);  // positions are not wrapped
  for (int k = 0; k < 2; ++k) ch_simulation_destroy(s[k]);
}

// --- across the border -----------------------------------------------------------------------------------------------

// Two bodies that meet in the middle of the cell, everything shifted by `shift`, each then put into the cell: both
// images of the same collision. In powers of two, so that shifting rounds nothing.
static ChSimulation* start_collision(int kind, ChVec3 shift, bool wraps) {
  ChPeriodic cell = cell_of(7, 0.0, 4.0);
  ChWorld* world = make_world(3, 0.0, 0.3, kind == 1 ? 0.5 : 0.0, cell);
  ChVec3 at[2] = {{1.5, 2.0, 2.0}, {2.5, 2.0625, 1.96875}}, v[2] = {{2.0, 0.25, 0.0}, {-1.0, 0.0, 0.125}};
  for (int k = 0; k < 2; ++k) {
    ChBodyDef body = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    body.position = ch_add(at[k], shift);
    if (wraps) body.position = ch_periodic_wrap(&cell, body.position);
    body.velocity = v[k];
    body.omega = ch_vec(0.5, k, -0.25);
    body.orientation = ch_quat_about(ch_unit(ch_vec(1.0, 2.0, k)), 0.5);
    shape.type = kind < 2 ? CH_SHAPE_SPHERE : kind == 2 ? CH_SHAPE_BOX : k ? CH_SHAPE_CAPSULE : CH_SHAPE_CYLINDER;
    shape.radius = 0.25;
    shape.half_length = 0.25;
    shape.half = ch_vec(0.25, 0.3, 0.2);
    ch_test_body(world, &body, &shape);
  }
  return start(world);
}

// Coordinates near 4 carry eight times the round-off of those near 0.5; a hundred steps add up a few of them.
static void a_collision_across_the_border_is_one_in_the_middle(void** state) {
  (void)state;
  static const ChVec3 shifts[] = {
      {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {2.0, 2.0, 2.0}, {-2.0, 2.0, -2.0}, {1e3, 64.0, 0.0}};
  for (int kind = 0; kind < 4; ++kind)
    for (int m = 0; m < 10; ++m) {
      ChSimulation* middle = start_collision(kind, ch_vec(0.0, 0.0, 0.0), false);
      ChSimulation* border = start_collision(kind, shifts[m / 2], m % 2);
      int met = 0;
      for (int step = 0; step < 300; ++step) {
        ch_test_step(middle);
        ch_test_step(border);
        int count[2];
        ch_simulation_contacts(middle, &count[0]);
        ch_simulation_contacts(border, &count[1]);
        assert_int_equal(count[0], count[1]);
        met += count[0] > 0;
      }
      assert_true(met > 0);
      for (int k = 0; k < 2; ++k) {
        ChBodyView a = body_at(middle, k), b = body_at(border, k);
        double size = fmax(1.0, ch_norm(shifts[m / 2]));
        CHECK_AT_MOST(ch_norm(ch_sub(a.velocity, b.velocity)), 1e-10 * size);
        CHECK_AT_MOST(ch_norm(ch_sub(a.omega, b.omega)), 1e-9 * size);
      }
      ch_simulation_destroy(middle);
      ch_simulation_destroy(border);
    }
}

// A box on a box that both drift through the border on a floor without friction: the same features touch all the time,
// under the same names, and no step needs more work at the border than in the middle.
static void contacts_keep_their_names_through_the_border(void** state) {
  (void)state;
  ChWorld* world = make_world(3, 9.81, 0.0, 0.0, cell_of(3, 0.0, 2.0));
  ch_test_floor(world);
  for (int k = 0; k < 2; ++k) {
    ChBodyDef body = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    body.position = ch_vec(1.5, 1.0, 0.125 + 0.25 * k);
    body.velocity = ch_vec(1.0, 0.0, 0.0);
    shape.type = CH_SHAPE_BOX;
    shape.half = ch_vec(0.125, 0.125 - 0.03125 * k, 0.125);
    ch_test_body(world, &body, &shape);
  }
  ChSimulation* s = start(world);
  ChContactFeature first[32], now[32];
  ch_test_step(s);
  int count = ch_simulation_contact_features(s, 32, first);
  assert_int_equal(count, 8);
  while (ch_simulation_time(s) < 3.0) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    assert_int_equal(ch_simulation_contact_features(s, 32, now), count);
    for (int k = 0; k < count; ++k) assert_true(now[k].key == first[k].key && now[k].shape[0] == first[k].shape[0]);
  }
  CHECK_NEAR(body_at(s, 1).position.x, 4.5, 1e-9);
  CHECK_NEAR(body_at(s, 2).position.z, 0.375, 1e-6);  // margin's worth of settling
  ch_simulation_destroy(s);
}

// --- the list of images ----------------------------------------------------------------------------------------------

// Against all images of all pairs, asked one by one.
static void every_image_is_found_once(void** state) {
  (void)state;
  enum { COUNT = 60 };
  ChRandom r = ch_random_seeded(11);
  for (int trial = 0; trial < 24; ++trial) {
    ChContext context = {0};
    int axes = trial % 7 + 1;
    ChWorld* world = make_world(3, 0.0, 0.5, 0.0, cell_of(axes, -1.0, 1.0));
    double radius[COUNT], margin = 0.05;
    ChVec3 at[COUNT];
    for (int k = 0; k < COUNT; ++k) {
      at[k] = ch_random_in_cube(&r, trial % 3 ? 1.0 : 7.0);
      radius[k] = ch_random_uniform(&r, 0.01, 0.4);
      ch_test_ball(world, at[k], radius[k], ch_vec(0.0, 0.0, 0.0));
    }
    CHECK_OK(context, ch_world_seal(&context, world));
    ChCollider* collider;
    CHECK_OK(context, ch_collider_create(&context, world, &collider));
    const ChGap* gaps;
    int count, expected = 0;
    ChCollideOptions options = {.margin = margin, .threads = 2};
    CHECK_OK(context, ch_collide(&context, collider, world->states, &options, &gaps, &count));
    for (int i = 0; i < COUNT; ++i)
      for (int j = i + 1; j < COUNT; ++j)
        for (int image = 0; image < 21 * 21 * 21; ++image) {
          int p[3] = {image % 21 - 10, image / 21 % 21 - 10, image / 441 - 10};
          if ((p[0] && !(axes & 1)) || (p[1] && !(axes & 2)) || (p[2] && !(axes & 4))) continue;
          ChVec3 shift = ch_vec(2.0 * p[0], 2.0 * p[1], 2.0 * p[2]), way = ch_sub(ch_add(at[j], shift), at[i]);
          double gap = ch_norm(way) - radius[i] - radius[j];
          if (!(gap <= margin)) continue;
          ++expected;
          int same = 0;
          for (int k = 0; k < count; ++k)
            if (gaps[k].shape[0] == i && gaps[k].shape[1] == j && ch_norm(ch_sub(gaps[k].shift, shift)) < 1e-9) {
              CHECK_NEAR(gaps[k].gap, gap, 1e-12);
              CHECK_AT_MOST(ch_norm(ch_sub(ch_scale(ch_norm(way), gaps[k].normal), way)), 1e-9);
              ++same;
            }
          assert_int_equal(same, 1);
        }
    assert_int_equal(count, expected);
    ch_collider_destroy(collider);
    ch_world_destroy(world);
  }
}

// --- momentum --------------------------------------------------------------------------------------------------------

// Spheres that collide in a cell on all sides, nothing outside: what one gets another gives, in every step. The sum of
// a hundred momenta of 1 N s carries round-off of 1e-14; the reactions are equal and opposite to the last bit, so that
// errors of the solver do not count.
static void a_gas_keeps_its_momentum(void** state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; ++dimension) {
    ChWorld* world = make_world(dimension, 0.0, 0.2, 0.8, cell_of(dimension == 2 ? 3 : 7, 0.0, 1.0));
    ChRandom r = ch_random_seeded(5);
    int side = dimension == 2 ? 8 : 4, layers = dimension == 2 ? 1 : 4, count = side * side * layers;
    double pitch = 1.0 / side;
    for (int k = 0; k < count; ++k) {
      ChVec3 at = ch_vec((k % side + 0.5) * pitch, (k / side % side + 0.5) * pitch, (k / side / side + 0.5) * pitch);
      ChVec3 v = ch_random_in_cube(&r, 2.0);
      if (dimension == 2) at.z = v.z = 0.0;
      ch_test_ball(world, at, 0.35 * pitch, v);
    }
    ChSimulation* s = start(world);
    ChVec3 start = ch_simulation_info(s).momentum;
    double size = 0.0;
    for (int k = 0; k < count; ++k) {
      ChBodyInfo info = ch_world_body_info(ch_simulation_world(s), ch_world_body_at(ch_simulation_world(s), k));
      size += info.mass * ch_norm(body_at(s, k).velocity);
    }
    long met = 0;
    for (int step = 0; step < 500; ++step) {
      ChStepInfo info = ch_test_step(s);
      met += info.contacts;
      CHECK_AT_MOST(ch_norm(ch_sub(info.momentum, start)), 1e-13 * size);
    }
    assert_true(met > 100);
    double farthest = 0.0;
    for (int k = 0; k < count; ++k) farthest = fmax(farthest, fabs(body_at(s, k).position.x - 0.5));
    assert_true(farthest > 0.5);  // some have gone through the border
    ch_simulation_destroy(s);
  }
}

// What grains gain comes from the planes alone: forces between images cancel. In compliant contact
// velocities are those of the solve, in balance with the reactions to its tolerance, 1e-6.
static void a_shear_cell_gains_what_its_planes_give(void** state) {
  (void)state;
  ChContext context = {0};
  const char* parameters[][2] = {{"n", "60"}, {"across", "4"}, {"speed", "2"}};
  char* text;
  ChScene* scene;
  CHECK_OK(context, ch_scene_builtin(&context, "periodic-cell", 3, parameters, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  ChPeriodic cell = ch_world_periodic(scene->world);
  assert_true(cell.axis[0] && cell.axis[1] && !cell.axis[2]);
  int walls = 2, bodies = ch_world_body_count(scene->world);
  double mass = 0.0, size = 0.0, sheared = 0.0;
  ChSimulation* s;
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &s));
  scene->world = NULL;
  for (int b = walls; b < bodies; ++b)
    mass += ch_world_body_info(ch_simulation_world(s), ch_world_body_at(ch_simulation_world(s), b)).mass;
  for (int step = 0; step < 600; ++step) {
    ChVec3 before = ch_simulation_info(s).momentum, given = ch_vec(0.0, 0.0, 0.0);
    ChStepInfo info = ch_test_step(s);
    int count;
    const ChContactView* contacts = ch_simulation_contacts(s, &count);
    for (int k = 0; k < count; ++k) {
      assert_true(contacts[k].body[1] >= walls);
      if (contacts[k].body[0] < walls) given = ch_along(given, info.h, contacts[k].force);
      size = fmax(size, info.h * ch_norm(contacts[k].force));
    }
    CHECK_AT_MOST(ch_norm(ch_sub(ch_sub(info.momentum, before), given)), 1e-6 * fmax(size, 1e-6 * mass));
  }
  for (int b = walls; b < bodies; ++b) sheared += body_at(s, b).velocity.x / (bodies - walls);
  assert_true(sheared > 0.01);  // the lid takes them along
  ch_simulation_destroy(s);
  ch_scene_destroy(scene);
  free(text);
}

// --- what stands -----------------------------------------------------------------------------------------------------

// A fixed plate as wide as the cell is a floor without an end: a ball that rolls over it comes through the border and
// feels no edge.
static void a_plate_as_wide_as_the_cell_has_no_edge(void** state) {
  (void)state;
  ChWorld* world = make_world(3, 9.81, 0.0, 0.0, cell_of(1, 0.0, 2.0));
  ChBodyDef plate = ch_body_def_default();
  ChShapeDef box = ch_shape_def_default();
  plate.kind = CH_BODY_FIXED;
  plate.position = ch_vec(1.0, 0.0, -0.25);
  box.type = CH_SHAPE_BOX;
  box.half = ch_vec(1.0, 1.0, 0.25);
  ch_test_body(world, &plate, &box);
  ch_test_ball(world, ch_vec(1.0, 0.0, 0.25), 0.25, ch_vec(2.0, 0.0, 0.0));
  ChSimulation* s = start(world);
  while (ch_simulation_time(s) < 3.0) {
    ch_test_step(s);
    ChBodyView ball = body_at(s, 1);
    CHECK_NEAR(ball.velocity.x, 2.0, 1e-12);
    CHECK_NEAR(ball.position.z, 0.25, 1e-5);  // what a step of falling leaves
  }
  ch_simulation_destroy(s);
}

// --- queries ---------------------------------------------------------------------------------------------------------

static void queries_see_through_the_border(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = make_world(3, 0.0, 0.5, 0.0, cell_of(1, 0.0, 2.0));
  ch_test_ball(world, ch_vec(0.25, 0.0, 0.0), 0.125, ch_vec(0.0, 0.0, 0.0));
  ch_test_ball(world, ch_vec(1.75, 0.0, 0.0), 0.125, ch_vec(0.0, 0.0, 0.0));
  ch_test_ball(world, ch_vec(1.0, 5.0, 0.0), 0.125, ch_vec(0.0, 0.0, 0.0));
  ChSimulation* s = start(world);
  ChClosestPoints near;
  CHECK_OK(context, ch_simulation_closest(&context, s, ch_body_id(0), ch_body_id(1), 1.0, &near));
  assert_true(near.found);
  CHECK_NEAR(near.gap, 0.25, 1e-14);
  CHECK_NEAR(near.normal.x, -1.0, 1e-14);
  CHECK_NEAR(near.point[1].x, -0.125, 1e-14);
  ChRayHit hit;
  CHECK_OK(context, ch_simulation_cast_ray(&context, s, ch_vec(1.75, 1.0, 0.0), ch_vec(0.0, -1.0, 0.0), 9.0, &hit));
  CHECK_NEAR(hit.distance, 0.875, 1e-14);
  CHECK_OK(context, ch_simulation_cast_ray(&context, s, ch_vec(1.9, 0.0, 0.0), ch_vec(1.0, 0.0, 0.0), 9.0, &hit));
  CHECK_NEAR(hit.distance, 0.225, 1e-14);
  CHECK_NEAR(hit.point.x, 2.125, 1e-14);
  // With a slope of 1/2 the ray comes to y = 5 at x = 10, and there is the third ball's fourth image at x = 9.
  ChVec3 way = ch_vec(8.0, 5.0, 0.0);
  CHECK_OK(context, ch_simulation_cast_ray(&context, s, ch_vec(1.0, 0.0, 0.0), way, INFINITY, &hit));
  CHECK_NEAR(hit.distance, ch_norm(way) - 0.125, 1e-12);
  CHECK_OK(context, ch_simulation_cast_ray(&context, s, ch_vec(1.0, 1.0, 0.0), ch_axis(0), INFINITY, &hit));
  assert_true(ch_body_id_is_none(hit.body));  // for ever beside them: a thousand cells are looked at
  ChQueryProbe probe = ch_query_ball(ch_vec(4.0, 0.0, 0.0), 0.2);
  ChNearby nearby[4];
  int count;
  CHECK_OK(context, ch_simulation_overlap(&context, s, &probe, 0.0, 4, nearby, &count));
  assert_int_equal(count, 2);
  for (int k = 0; k < 2; ++k) CHECK_NEAR(nearby[k].gap, 0.25 - 0.325, 1e-14);
  ch_simulation_destroy(s);
}

// --- refused ---------------------------------------------------------------------------------------------------------

static void expect_refusal(const char* text, const char* part) {
  ChContext context = {0};
  ChScene* scene = NULL;
  assert_int_not_equal(ch_scene_parse(&context, text, NULL, &scene), CH_OK);
  if (!strstr(context.message, part)) fail_msg("'%s' does not say '%s'", context.message, part);
}

static void what_cannot_repeat_is_refused(void** state) {
  (void)state;
  expect_refusal("{\"cardhouse\": 1, \"periodic\": {\"x\": [1, 1]}}", "$.periodic.x: is from 1 to 1");
  expect_refusal("{\"cardhouse\": 1, \"periodic\": {\"w\": [0, 1]}}", "$.periodic.w");
  expect_refusal("{\"cardhouse\": 1, \"periodic\": [0, 1]}", "must be an object");
  expect_refusal("{\"cardhouse\": 1, \"dimension\": 2, \"periodic\": {\"z\": [0, 1]}}", "$.periodic.z");
  expect_refusal(
      "{\"cardhouse\": 1, \"periodic\": {\"x\": [0, 1]}, \"bodies\": [{\"name\": \"big\", \"shapes\": "
      "[{\"type\": \"sphere\", \"radius\": 0.26}]}]}",
      "body 'big': is up to 0.52 m across");
  expect_refusal(
      "{\"cardhouse\": 1, \"periodic\": {\"x\": [0, 1]}, \"bodies\": [{\"name\": \"wall\", \"fixed\": true, "
      "\"shapes\": "
      "[{\"type\": \"halfspace\", \"normal\": [1, 0, 0]}]}]}",
      "body 'wall': its half-space looks along x");
}

// Joints hold bodies where they are, not where their images are: a pair of which one is given beyond the border moves
// through the cell as one in the middle.
static void a_joint_goes_through_the_border(void** state) {
  (void)state;
  ChVec3 far[2];
  for (int k = 0; k < 2; ++k) {
    double from = k ? 1.75 : 0.75;
    ChWorld* world = make_world(3, 0.0, 0.5, 0.0, cell_of(1, 0.0, 2.0));
    ch_test_ball(world, ch_vec(from, 0.0, 0.0), 0.125, ch_vec(1.0, 0.0, 0.0));
    ch_test_ball(world, ch_vec(from + 0.5, 0.0, 0.0), 0.125, ch_vec(1.0, 1.0, 0.0));
    ChJointDef joint = ch_joint_def_default();
    joint.type = CH_JOINT_DISTANCE;
    joint.body[0] = ch_body_id(0), joint.body[1] = ch_body_id(1);
    joint.at = ch_vec(from, 0.0, 0.0), joint.second_at = ch_vec(from + 0.5, 0.0, 0.0);
    ch_test_joint(world, &joint);
    ChSimulation* s = start(world);
    ch_test_run(s, 1.5);
    far[k] = ch_sub(body_at(s, 1).position, body_at(s, 0).position);
    CHECK_NEAR(ch_norm(far[k]), 0.5, 1e-5);
    ch_simulation_destroy(s);
  }
  CHECK_AT_MOST(ch_norm(ch_sub(far[0], far[1])), 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_wrapped_into_the_cell),
      cmocka_unit_test(free_fall_does_not_see_the_cell),
      cmocka_unit_test(a_collision_across_the_border_is_one_in_the_middle),
      cmocka_unit_test(contacts_keep_their_names_through_the_border),
      cmocka_unit_test(every_image_is_found_once),
      cmocka_unit_test(a_gas_keeps_its_momentum),
      cmocka_unit_test(a_shear_cell_gains_what_its_planes_give),
      cmocka_unit_test(a_plate_as_wide_as_the_cell_has_no_edge),
      cmocka_unit_test(queries_see_through_the_border),
      cmocka_unit_test(what_cannot_repeat_is_refused),
      cmocka_unit_test(a_joint_goes_through_the_border),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
