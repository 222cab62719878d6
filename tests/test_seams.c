// Seams of flush shapes: what slides over one moves as over a plane, and what is a real obstacle stays one.
#include "base/vector.h"
#include "collide/collide.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

typedef enum Ground { PLANE, TWO_BODIES, ONE_BODY, TILES, INLAID, TRIANGLES } Ground;

static ChShapeDef block(int dimension, ChVec3 at, ChVec3 half) {
  ChShapeDef shape = ch_shape_def_default();
  shape.type = dimension == 2 ? CH_SHAPE_RECTANGLE : CH_SHAPE_BOX;
  shape.at = at;
  shape.half = half;
  return shape;
}

// In the plane "up" is y, so coordinates given as (x, depth, up) become (x, up).
static ChVec3 place(int dimension, double x, double y, double up) {
  return dimension == 2 ? ch_vec(x, up, 0.0) : ch_vec(x, y, up);
}

static void add_blocks(ChWorld* world, bool one_body, int count, double edge) {
  int dimension = ch_world_dimension(world), body = -1;
  int rows = dimension == 2 ? 1 : count;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < rows; ++j) {
      ChBodyDef def = ch_body_def_default();
      def.kind = CH_BODY_FIXED;
      if (!one_body || body < 0) body = ch_test_body(world, &def, NULL);
      double x = edge * (i + 0.5 - 0.5 * count), y = edge * (j + 0.5 - 0.5 * rows);
      ChShapeDef shape =
          block(dimension, place(dimension, x, y, -0.5 * edge), ch_vec(0.5 * edge, 0.5 * edge, 0.5 * edge));
      ch_test_shape(world, body, &shape);
    }
}

// A flat part of 2 x 8 x 8 triangles whose diagonals run both ways.
static void add_triangles(ChWorld* world) {
  enum { N = 8 };
  ChVec3 points[(N + 1) * (N + 1)];
  int triangles[6 * N * N], *t = triangles;
  for (int j = 0; j <= N; ++j)
    for (int i = 0; i <= N; ++i) points[j * (N + 1) + i] = ch_vec(0.5 * (i - N / 2), 0.5 * (j - N / 2), 0.0);
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i, t += 6) {
      int a = j * (N + 1) + i, b = a + 1, c = a + N + 1, d = c + 1;
      bool even = (i + j) % 2 == 0;
      const int two[6] = {a, b, even ? d : c, even ? a : b, d, c};
      for (int k = 0; k < 6; ++k) t[k] = two[k];
    }
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.kind = CH_BODY_FIXED;
  shape.type = CH_SHAPE_MESH;
  shape.points = points;
  shape.point_count = (N + 1) * (N + 1);
  shape.triangles = triangles;
  shape.triangle_count = 2 * N * N;
  ch_test_body(world, &body, &shape);
}

static void add_ground(ChWorld* world, Ground ground) {
  if (ground == PLANE || ground == INLAID) ch_test_floor(world);
  if (ground == TWO_BODIES || ground == ONE_BODY) add_blocks(world, ground == ONE_BODY, 2, 2.0);
  if (ground == TILES) add_blocks(world, false, 8, 0.5);
  if (ground == INLAID) add_blocks(world, false, 1, 0.5);
  if (ground == TRIANGLES) add_triangles(world);
}

typedef enum Rider { BALL, BOX, ROD, CAN, RIDERS } Rider;

static int add_rider(ChWorld* world, Rider rider, double heading) {
  int dimension = ch_world_dimension(world);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = block(dimension, ch_vec(0, 0, 0), ch_vec(0.1, 0.1, 0.1));
  double c = cos(heading), s = sin(heading);
  body.position = place(dimension, -c, -s - 0.013, 0.1);
  body.velocity = place(dimension, 2.0 * c, 2.0 * s, 0.0);
  shape.radius = 0.1;
  shape.half_length = 0.1;
  if (rider == BALL) shape.type = dimension == 2 ? CH_SHAPE_DISK : CH_SHAPE_SPHERE;
  if (rider == ROD) shape.type = CH_SHAPE_CAPSULE;
  if (rider == CAN) shape.type = CH_SHAPE_CYLINDER;
  if (rider == ROD) body.orientation = ch_quat_about(ch_axis(1), 1.5707963267948966);
  if (rider == BOX && dimension == 3) body.orientation = ch_quat_about(ch_axis(2), heading);
  return ch_test_body(world, &body, &shape);
}

static ChSimulation* start(int dimension, Ground ground, Rider rider, double heading, double h, int* body) {
  ChWorld* world = ch_test_world(dimension, g, 0.2, 0.0);
  add_ground(world, ground);
  *body = add_rider(world, rider, heading);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  return ch_test_start(world, &options);
}

// At 1e-8 of a step's velocities, the tolerance of the solves.
static void rides_as_over_a_plane(int dimension, Ground ground, Rider rider, double heading, double h) {
  int a, b;
  ChSimulation* over = start(dimension, ground, rider, heading, h, &a);
  ChSimulation* plane = start(dimension, PLANE, rider, heading, h, &b);
  while (ch_simulation_time(over) < 0.9) {
    ch_test_step(over);
    ch_test_step(plane);
    ChBodyView x = ch_simulation_body_at(over, a), y = ch_simulation_body_at(plane, b);
    CHECK_AT_MOST(ch_norm(ch_sub(x.velocity, y.velocity)), 2e-8);
    CHECK_AT_MOST(ch_norm(ch_sub(x.omega, y.omega)), 2e-7);
  }
  ch_simulation_destroy(over);
  ch_simulation_destroy(plane);
}

static void nothing_is_kicked_by_a_seam(void** state) {
  (void)state;
  for (int ground = TWO_BODIES; ground <= TRIANGLES; ++ground)
    for (int rider = 0; rider < RIDERS; ++rider) {
      rides_as_over_a_plane(3, ground, rider, 0.0, 1e-3);
      if (rider != ROD) rides_as_over_a_plane(3, ground, rider, 0.5, 5e-3);
    }
}

static void nothing_is_kicked_by_a_seam_in_the_plane(void** state) {
  (void)state;
  for (int ground = TWO_BODIES; ground <= INLAID; ++ground)
    for (int rider = 0; rider <= BOX; ++rider) rides_as_over_a_plane(2, ground, rider, 0.0, 1e-3);
}

// Two fixed blocks whose tops differ by a millimetre: upwards it is hit, downwards it slides on.
static void a_real_step_stays_a_step(void** state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int up = 0; up < 2; ++up) {
      ChWorld* world = ch_test_world(dimension, g, 0.0, 0.0);
      for (int k = 0; k < 2; ++k) {
        ChBodyDef body = ch_body_def_default();
        body.kind = CH_BODY_FIXED;
        double top = k == up ? 1e-3 : 0.0;
        ChShapeDef shape =
            block(dimension, place(dimension, k == 0 ? -1.0 : 1.0, 0.0, top - 0.5), ch_vec(1.0, 1.0, 1.0));
        if (dimension == 2) shape.half.y = 0.5;
        shape.half.z = 0.5;
        ch_test_body(world, &body, &shape);
      }
      int box = ch_test_box(world, place(dimension, -0.5, 0.0, up ? 0.1 : 0.101), ch_vec(0.1, 0.1, 0.1));
      ChSimulationOptions options = ch_simulation_options_default();
      ChSimulation* s = ch_test_start(world, &options);
      ChContext context;
      CHECK_OK(context,
               ch_simulation_set_velocity(&context, s, ch_body_id(box), ch_vec(1.0, 0.0, 0.0), ch_vec(0.0, 0.0, 0.0)));
      ch_test_run(s, 0.45);  // it arrives at 0.4 s
      double speed = ch_simulation_body_at(s, box).velocity.x;
      if (up)
        CHECK_AT_MOST(speed, 0.9);
      else
        CHECK_NEAR(speed, 1.0, 1e-8);
      ch_simulation_destroy(s);
    }
}

// Floor and wall, flush below and beside: a box pushed into the corner touches both along it, with four points each.
static void an_inner_corner_keeps_all_its_points(void** state) {
  (void)state;
  ChContext context;
  for (int deep = 0; deep < 2; ++deep) {  // the wall stands beside the floor, or reaches far below it
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    ChBodyDef body = ch_body_def_default();
    body.kind = CH_BODY_FIXED;
    double bottom = deep ? -5.0 : 0.0;
    ChShapeDef floor = block(3, ch_vec(1.0, 0.0, -0.5), ch_vec(1.0, 1.0, 0.5));
    ChShapeDef wall = block(3, ch_vec(-0.5, 0.0, 0.5 * (1.0 + bottom)), ch_vec(0.5, 1.0, 0.5 * (1.0 - bottom)));
    ch_test_body(world, &body, &floor);
    ch_test_body(world, &body, &wall);
    ch_test_box(world, ch_vec(0.1, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
    CHECK_OK(context, ch_world_seal(&context, world));
    ChCollider* collider;
    const ChGap* gaps;
    int count, up = 0, away = 0;
    CHECK_OK(context, ch_collider_create(&context, world, &collider));
    CHECK_OK(context,
             ch_collide(&context, collider, world->states, &(ChCollideOptions){.margin = 1e-6}, &gaps, &count));
    for (int k = 0; k < count; ++k) {
      CHECK_NEAR(gaps[k].gap, 0.0, 1e-15);
      up += fabs(gaps[k].normal.z) > 1.0 - 1e-12;
      away += fabs(gaps[k].normal.x) > 1.0 - 1e-12;
    }
    assert_int_equal(up, 4);
    assert_int_equal(away, 4);
    assert_int_equal(count, 8);
    ch_collider_destroy(collider);
    ch_world_destroy(world);
  }
}

// The ridge of a roof made of two wedges keeps its edge: a ball rests on it in (unstable) balance.
static void a_ridge_stays_an_edge(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  for (int side = -1; side <= 1; side += 2) {
    ChBodyDef body = ch_body_def_default();
    body.kind = CH_BODY_FIXED;
    ChVec3 points[6];
    for (int k = 0; k < 2; ++k) {
      double y = k == 0 ? -1.0 : 1.0;
      points[3 * k] = ch_vec(0.0, y, 0.0);
      points[3 * k + 1] = ch_vec(0.0, y, -1.0);
      points[3 * k + 2] = ch_vec(side, y, -1.0);
    }
    ChShapeDef shape = ch_shape_def_default();
    shape.type = CH_SHAPE_HULL;
    shape.points = points;
    shape.point_count = 6;
    ch_test_body(world, &body, &shape);
  }
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, ch_vec(0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.5);
  CHECK_NEAR(ch_simulation_body_at(s, ball).position.z, 0.1, 1e-9);
  ch_simulation_destroy(s);
}

// A sledge of three flush boxes slides off a fixed block's edge, and over it: its own seams do not catch.
static void seams_of_a_moving_body_do_not_catch(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChBodyDef body = ch_body_def_default();
  body.kind = CH_BODY_FIXED;
  ChShapeDef rail = block(3, ch_vec(0.0, 0.0, -0.5), ch_vec(0.4, 1.0, 0.5));
  ch_test_body(world, &body, &rail);
  body.kind = CH_BODY_DYNAMIC;
  body.position = ch_vec(-0.35, 0.0, 0.1);
  body.velocity = ch_vec(1.0, 0.0, 0.0);
  int sledge = ch_test_body(world, &body, NULL);
  for (int k = -1; k <= 1; ++k) {
    ChShapeDef part = block(3, ch_vec(0.4 * k, 0.0, 0.0), ch_vec(0.2, 0.1, 0.1));
    ch_test_shape(world, sledge, &part);
  }
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  while (ch_simulation_time(s) < 0.7) {  // the centre of mass stays above the block
    ch_test_step(s);
    ChBodyView view = ch_simulation_body_at(s, sledge);
    CHECK_NEAR(view.velocity.x, 1.0, 1e-8);
    CHECK_NEAR(view.velocity.z, 0.0, 1e-8);
  }
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_kicked_by_a_seam), cmocka_unit_test(nothing_is_kicked_by_a_seam_in_the_plane),
      cmocka_unit_test(a_real_step_stays_a_step),    cmocka_unit_test(an_inner_corner_keeps_all_its_points),
      cmocka_unit_test(a_ridge_stays_an_edge),       cmocka_unit_test(seams_of_a_moving_body_do_not_catch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
