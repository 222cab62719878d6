// Nothing passes through anything: bullets and plates, bullets that meet, rods that turn far in a step.
#include <math.h>

#include "support/near.h"
#include "support/worlds.h"

static const ChVec3 nowhere = {0.0, 0.0, 0.0};

// --- bullets ---------------------------------------------------------------------------------------------------------

enum { BALL, CUBE, OCTAHEDRON, CAPSULE, CYLINDER, BULLETS };
static const double SIZE = 0.005, SPEED = 1000.0;

static ChShapeDef bullet_shape(int kind) {
  static const ChVec3 tips[6] = {{0.005, 0, 0},  {-0.005, 0, 0}, {0, 0.005, 0},
                                 {0, -0.005, 0}, {0, 0, 0.005},  {0, 0, -0.005}};
  static const ChShapeType types[] = {CH_SHAPE_SPHERE, CH_SHAPE_BOX, CH_SHAPE_HULL, CH_SHAPE_CAPSULE,
                                      CH_SHAPE_CYLINDER};
  ChShapeDef def = ch_shape_def_default();
  def.type = types[kind];
  def.radius = kind == CAPSULE ? 0.5 * SIZE : SIZE;
  def.half_length = SIZE;
  def.half = ch_vec(SIZE, SIZE, SIZE);
  if (kind == OCTAHEDRON) {
    def.points = tips;
    def.point_count = 6;
  }
  return def;
}

static int bullet(ChWorld* world, int kind, ChVec3 at, ChVec3 velocity) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = bullet_shape(kind);
  body.position = at;
  body.velocity = velocity;
  return ch_test_body(world, &body, &shape);
}

// A plate 1 mm thick, across x.
static int plate(ChWorld* world, ChVec3 at, bool fixed, bool hull) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChVec3 corners[8];
  for (int k = 0; k < 8; ++k) corners[k] = ch_vec(k & 1 ? 5e-4 : -5e-4, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1);
  body.position = at;
  body.kind = fixed ? CH_BODY_FIXED : CH_BODY_DYNAMIC;
  shape.type = hull ? CH_SHAPE_HULL : CH_SHAPE_BOX;
  shape.half = ch_vec(5e-4, 0.1, 0.1);
  shape.points = hull ? corners : NULL;
  shape.point_count = hull ? 8 : 0;
  return ch_test_body(world, &body, &shape);
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 0.01;
  return ch_test_start(world, &options);
}

// Ten metres a step. Without restitution a hit in the middle stops the bullet, or makes both go on together: momentum
// says how fast. The tolerance is that of the solves, 1e-8 of the bullet's speed, over a few contacts.
static void a_bullet_does_not_pass_a_thin_plate(void** state) {
  (void)state;
  for (int kind = 0; kind < BULLETS; ++kind)
    for (int way = 0; way < 4; ++way) {
      bool fixed = way & 1, hull = way & 2;
      ChWorld* world = ch_test_world(3, 0.0, 0.3, 0.0);
      int shot = bullet(world, kind, ch_vec(-13.0, 0.0, 0.0), ch_vec(SPEED, 0.0, 0.0));
      int target = plate(world, nowhere, fixed, hull);
      ChSimulation* s = start(world);
      for (int n = 0; n < 5; ++n) {
        ChStepInfo info = ch_test_step(s);
        assert_false(info.missed);
        { assert_true(info.uncovered == 0.0); }
        double apart = ch_simulation_body_at(s, target).position.x - ch_simulation_body_at(s, shot).position.x;
        assert_true(apart > 0.9 * (0.5 * SIZE + 5e-4));  // half: a capsule may have turned
        CHECK_AT_MOST(info.penetration, 1e-6);
      }
      double mass[2];
      mass[0] = ch_world_body_info(ch_simulation_world(s), ch_body_id(shot)).mass;
      mass[1] = ch_world_body_info(ch_simulation_world(s), ch_body_id(target)).mass;
      double together = fixed ? 0.0 : SPEED * mass[0] / (mass[0] + mass[1]);
      CHECK_NEAR(ch_simulation_body_at(s, shot).velocity.x, together, 1e-4);
      CHECK_NEAR(ch_simulation_body_at(s, target).velocity.x, together, 1e-4);
      ch_simulation_destroy(s);
    }
}

// A bullet drives a plate against one that stands 2 mm behind it: nobody had looked there.
static void a_plate_that_is_hit_does_not_pass_the_next(void** state) {
  (void)state;
  for (int kind = 0; kind < BULLETS; ++kind) {
    ChWorld* world = ch_test_world(3, 0.0, 0.3, 0.0);
    int shot = bullet(world, kind, ch_vec(-13.0, 0.0, 0.0), ch_vec(SPEED, 0.0, 0.0));
    int first = plate(world, nowhere, false, false);
    int second = plate(world, ch_vec(0.003, 0.0, 0.0), true, false);
    ChSimulation* s = start(world);
    for (int n = 0; n < 5; ++n) {
      ChStepInfo info = ch_test_step(s);
      { assert_true(info.uncovered == 0.0); }
      double x = ch_simulation_body_at(s, first).position.x;
      assert_true(x < 0.003 - 0.9e-3);
      assert_true(ch_simulation_body_at(s, shot).position.x < x);
    }
    (void)second;
    ch_simulation_destroy(s);
  }
}

// Equal bullets that meet: without restitution they stop, with it they change places. Their common centre stays. (The
// octahedra meet tip against tip, which turns them: of these only momentum is known.)
static void two_bullets_that_meet_do_not_pass(void** state) {
  (void)state;
  for (int kind = 0; kind < BULLETS; ++kind)
    for (int e = 0; e < 2; ++e) {
      ChWorld* world = ch_test_world(3, 0.0, 0.0, e);
      int left = bullet(world, kind, ch_vec(-7.31, 0.0, 0.0), ch_vec(SPEED, 0.0, 0.0));
      int right = bullet(world, kind, ch_vec(6.2, 0.0, 0.0), ch_vec(-SPEED, 0.0, 0.0));
      ChSimulation* s = start(world);
      for (int n = 0; n < 3; ++n) {
        ChStepInfo info = ch_test_step(s);
        { assert_true(info.uncovered == 0.0); }
        assert_true(ch_simulation_body_at(s, left).position.x < ch_simulation_body_at(s, right).position.x);
      }
      ChVec3 u = ch_simulation_body_at(s, left).velocity, v = ch_simulation_body_at(s, right).velocity;
      CHECK_NEAR(u.x + v.x, 0.0, 1e-3);
      if (kind != OCTAHEDRON) CHECK_NEAR(u.x, e ? -SPEED : 0.0, 1e-3);
      ch_simulation_destroy(s);
    }
}

// Aimed past the plate's rim by a millimetre, the bullet goes on as if there were none: a plate is not its plane.
static void a_bullet_that_misses_is_not_stopped(void** state) {
  (void)state;
  for (int kind = 0; kind < BULLETS; ++kind) {
    ChWorld* world = ch_test_world(3, 0.0, 0.3, 0.0);
    int shot = bullet(world, kind, ch_vec(-13.0, 0.106, 0.0), ch_vec(SPEED, 0.0, 0.0));
    plate(world, nowhere, true, false);
    ChSimulation* s = start(world);
    for (int n = 0; n < 5; ++n) ch_test_step(s);
    CHECK_NEAR(ch_simulation_body_at(s, shot).velocity.x, SPEED, 1e-9);
    CHECK_NEAR(ch_simulation_body_at(s, shot).position.x, 37.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

// --- rods ------------------------------------------------------------------------------------------------------------

enum { POST_BOX, POST_CYLINDER, POST_CAPSULE, POST_HULL, POST_MESH, POSTS };
static const double POST = 0.01;

static ChShapeDef post_shape(int kind, ChVec3 corners[8]) {
  static const int cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  static const ChShapeType types[] = {CH_SHAPE_BOX, CH_SHAPE_CYLINDER, CH_SHAPE_CAPSULE, CH_SHAPE_HULL, CH_SHAPE_MESH};
  ChShapeDef def = ch_shape_def_default();
  def.type = types[kind];
  def.radius = POST;
  def.half_length = 0.3;
  def.half = ch_vec(POST, POST, 0.3);
  for (int k = 0; k < 8; ++k) corners[k] = ch_vec(k & 1 ? POST : -POST, k & 2 ? POST : -POST, k & 4 ? 0.3 : -0.3);
  if (kind == POST_HULL || kind == POST_MESH) {
    def.points = corners;
    def.point_count = 8;
  }
  if (kind == POST_MESH) {
    def.triangles = cube;
    def.triangle_count = 12;
  }
  return def;
}

// A rod of one metre, 157 radian a second: a quarter of a turn in a step, and a post in between. It comes from the
// post's other side and stays there, as long as the post is beside the rod and not beyond its ends.
static void a_rod_that_turns_far_does_not_pass_a_post(void** state) {
  (void)state;
  for (int rod = 0; rod < 3; ++rod)
    for (int post = 0; post < POSTS; ++post) {
      ChWorld* world = ch_test_world(3, 0.0, 0.2, 0.0);
      ChBodyDef body = ch_body_def_default();
      ChVec3 corners[8];
      ChShapeDef shape = post_shape(post, corners);
      body.kind = CH_BODY_FIXED;
      body.position = ch_vec(0.25, 0.2, 0.0);
      ch_test_body(world, &body, &shape);
      ChBodyDef moving = ch_body_def_default();
      ChShapeDef slim = ch_shape_def_default();
      slim.type = rod == 0 ? CH_SHAPE_BOX : rod == 1 ? CH_SHAPE_CAPSULE : CH_SHAPE_CYLINDER;
      slim.half = ch_vec(0.5, 0.005, 0.005);
      slim.radius = 0.005;
      slim.half_length = 0.5;
      if (rod > 0) slim.orientation = ch_quat_about(ch_axis(1), 0.5 * M_PI);
      moving.omega = ch_vec(0.0, 0.0, 157.0);
      int turning = ch_test_body(world, &moving, &slim);
      ChSimulation* s = start(world);
      for (int n = 0; n < 4; ++n) {
        ChStepInfo info = ch_test_step(s);
        { assert_true(info.uncovered == 0.0); }
        ChBodyView view = ch_simulation_body_at(s, turning);
        ChVec3 along = ch_rotate(view.orientation, ch_axis(0)), to = ch_sub(body.position, view.position);
        if (fabs(ch_dot(along, to)) > 0.48) break;  // it has come off the post
        assert_true(ch_cross(along, to).z > 0.0);
      }
      ch_simulation_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bullet_does_not_pass_a_thin_plate),
      cmocka_unit_test(a_plate_that_is_hit_does_not_pass_the_next),
      cmocka_unit_test(two_bullets_that_meet_do_not_pass),
      cmocka_unit_test(a_bullet_that_misses_is_not_stopped),
      cmocka_unit_test(a_rod_that_turns_far_does_not_pass_a_post),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
