// Contacts that bear moments, against closed forms: balls and disks that roll to rest, a sphere on a slope, one that
// spins down, friction and drilling that share one limit; what is remembered, saved and recorded of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "model/world.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81, R = 0.1, MU = 0.5;

typedef struct Ball {
  int dimension;
  double mu, rolling, drilling;
  bool ellipsoidal;
  ChVec3 velocity, omega;
  double slope;  // radian: gravity leans towards x
  unsigned locks;
} Ball;

// One ball or disk on a floor; body 1.
static ChSimulation* start(const Ball* ball, double h) {
  ChWorld* world = ch_test_world(ball->dimension, G, ball->mu, 0.0);
  ChMaterialDef material = ch_material_def_default();
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChSimulationOptions options = ch_simulation_options_default();
  ChSignal gravity[3] = {{.base = G * sin(ball->slope)}, {.base = 0.0}, {.base = 0.0}};
  ChContext context = {0};
  gravity[ball->dimension - 1].base = -G * cos(ball->slope);
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  material.friction[0] = material.friction[1] = ball->mu;
  material.rolling = ball->rolling, material.drilling = ball->drilling, material.ellipsoidal = ball->ellipsoidal;
  ch_test_floor(world);
  body.position = ball->dimension == 3 ? ch_vec(0.0, 0.0, R) : ch_vec(0.0, R, 0.0);
  body.velocity = ball->velocity, body.omega = ball->omega, body.locks = ball->locks;
  shape.type = ball->dimension == 3 ? CH_SHAPE_SPHERE : CH_SHAPE_DISK;
  shape.radius = R;
  shape.material = ch_test_material(world, &material);
  ch_test_body(world, &body, &shape);
  options.h = h;
  return ch_test_start(world, &options);
}

// --- rolling ---------------------------------------------------------------------------------------------------------

// A ball that rolls without slip slows down by 5/7 g mu_r / R and so stops after 7 v^2 R / (10 g mu_r); a disk, whose
// inertia is another, by 2/3 g mu_r / R. The first step's speed is already smaller by a h: the distance is short by
// v h / 2, to which the tolerance leaves twice the room.
static void what_rolls_stops_where_it_should(void** state) {
  (void)state;
  const double v = 1.0, rolling = 0.01, h = 1e-3;
  for (int dimension = 2; dimension <= 3; ++dimension) {
    const double slowing = (dimension == 3 ? 5.0 / 7.0 : 2.0 / 3.0) * G * rolling / R, way = v * v / (2.0 * slowing);
    Ball ball = {.dimension = dimension, .mu = MU, .rolling = rolling, .velocity = {v, 0.0, 0.0}};
    if (dimension == 3)
      ball.omega = ch_vec(0.0, v / R, 0.0);
    else
      ball.omega = ch_vec(0.0, 0.0, -v / R);
    ChSimulation* s = start(&ball, h);
    ch_test_run(s, 0.5 * v / slowing);
    CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.x, 0.5 * v, 2.0 * slowing * h);
    ch_test_run(s, v / slowing + 0.1);
    CHECK_NEAR(ch_simulation_body_at(s, 1).position.x, way, v * h);
    CHECK_NEAR(ch_norm(ch_simulation_body_at(s, 1).velocity), 0.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

// It stays where tan a <= mu_r / R, and otherwise sets off with 5/7 (g sin a - g cos a mu_r / R).
static void a_sphere_on_a_slope_holds_below_its_angle(void** state) {
  (void)state;
  const double rolling = 0.01, h = 1e-3;
  for (int side = 0; side < 2; ++side) {
    const double slope = atan(rolling / R) * (side ? 1.01 : 0.99);
    const Ball ball = {.dimension = 3, .mu = MU, .rolling = rolling, .slope = slope};
    const double wanted = side ? 5.0 / 7.0 * G * (sin(slope) - cos(slope) * rolling / R) : 0.0;
    ChSimulation* s = start(&ball, h);
    ch_test_run(s, 1.0);
    CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.x, wanted, 1e-8);  // a constant force: every step is exact
    ch_simulation_destroy(s);
  }
}

// --- drilling --------------------------------------------------------------------------------------------------------

// I dw/dt = -mu_d m g: the spin falls along a straight line and stops.
static void spin_falls_along_a_straight_line(void** state) {
  (void)state;
  const double w = 20.0, drilling = 0.005, slowing = drilling * G / (0.4 * R * R), h = 1e-3;
  const Ball ball = {.dimension = 3, .mu = MU, .drilling = drilling, .omega = {0.0, 0.0, w}};
  ChSimulation* s = start(&ball, h);
  for (int k = 1; k <= 4; ++k) {
    ch_test_run(s, 0.25 * k * w / slowing);
    const double t = ch_simulation_time(s);
    CHECK_NEAR(ch_simulation_body_at(s, 1).omega.z, fmax(w - slowing * t, 0.0), 1e-8 * w);
  }
  ch_test_run(s, w / slowing + 0.01);
  CHECK_NEAR(ch_simulation_body_at(s, 1).omega.z, 0.0, 1e-9);
  ch_simulation_destroy(s);
}

// A slider that cannot tilt, of radius of gyration k: with mu_d = mu k both motions share the limit alike, so that
// sqrt(v^2 + k^2 w^2) falls by mu g a second and v : w stays as it was. What spins slides farther; where the limits are
// apart the spin changes nothing.
static void what_spins_slides_farther(void** state) {
  (void)state;
  const double k = sqrt(0.4) * R, v = 1.0, w = 2.0 * v / k, h = 1e-4;
  double way[2];
  for (int shared = 0; shared < 2; ++shared) {
    const Ball ball = {.dimension = 3,
                       .mu = MU,
                       .drilling = MU * k,
                       .ellipsoidal = shared == 1,
                       .velocity = {v, 0.0, 0.0},
                       .omega = {0.0, 0.0, w},
                       .locks = CH_LOCK_RX | CH_LOCK_RY};
    const double end = shared ? hypot(v, k * w) / (MU * G) : v / (MU * G);
    ChSimulation* s = start(&ball, h);
    ch_test_run(s, 0.5 * end);
    const ChBodyView half = ch_simulation_body_at(s, 1);
    CHECK_NEAR(half.velocity.x, 0.5 * v, 2.0 * MU * G * h);
    if (shared) CHECK_NEAR(half.omega.z / half.velocity.x, w / v, 1e-6 * w / v);
    ch_test_run(s, end + 0.01);
    way[shared] = ch_simulation_body_at(s, 1).position.x;
    CHECK_NEAR(way[shared], 0.5 * v * end, v * h);
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(way[1] / way[0], sqrt(5.0), 1e-2);
}

// --- the rest of the way ---------------------------------------------------------------------------------------------

// Coefficients of zero are no coefficients: the same bits.
static void zero_coefficients_change_no_bit(void** state) {
  (void)state;
  const Ball plain = {.dimension = 3, .mu = 0.3, .velocity = {2.0, 0.3, 0.0}, .omega = {1.0, -3.0, 7.0}};
  Ball zero = plain;
  zero.ellipsoidal = true;
  ChSimulation *a = start(&plain, 1e-3), *b = start(&zero, 1e-3);
  ch_test_run(a, 0.5);
  ch_test_run(b, 0.5);
  const ChBodyView x = ch_simulation_body_at(a, 1), y = ch_simulation_body_at(b, 1);
  assert_memory_equal(&x.position, &y.position, sizeof x.position);
  assert_memory_equal(&x.omega, &y.omega, sizeof x.omega);
  ch_simulation_destroy(a);
  ch_simulation_destroy(b);
}

// Balls and boxes that fall on each other. `kind` 1: every new coefficient is given as zero. 2: a material that has
// them all is there, and no body is of it.
static ChSimulation* heap_with(int kind) {
  ChWorld* world = ch_test_world(3, G, 0.4, 0.2);
  ChMaterialDef material = ch_material_def_default(), other = material;
  material.friction[0] = material.friction[1] = 0.4, material.restitution = 0.2;
  if (kind == 1) {
    material.rolling = material.drilling = material.cohesion = material.shear_stiffness = material.shear_damping = 0.0;
    material.heals = false, material.ellipsoidal = true;
    material.curve = (ChFrictionCurve){0};
  }
  other.rolling = other.drilling = 0.01, other.ellipsoidal = true;
  if (kind == 2) ch_test_material(world, &other);
  other = ch_material_def_default();
  other.cohesion = 1.0, other.shear_stiffness = 100.0, other.shear_damping = 1.0;
  other.curve = (ChFrictionCurve){.count = 1, .share = {0.5}};
  if (kind == 2) ch_test_material(world, &other);
  const ChMaterialId id = ch_test_material(world, &material);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  shape.material = id, shape.type = CH_SHAPE_HALFSPACE;
  body.kind = CH_BODY_FIXED;
  ch_test_body(world, &body, &shape);
  body.kind = CH_BODY_DYNAMIC;
  for (int k = 0; k < 12; ++k) {
    shape.type = k % 2 ? CH_SHAPE_BOX : CH_SHAPE_SPHERE, shape.radius = R, shape.half = ch_vec(R, 0.9 * R, 0.8 * R);
    body.position = ch_vec(0.07 * sin(k), 0.05 * cos(3.0 * k), R + 2.05 * R * k);
    body.omega = ch_vec(sin(2.0 * k), 0.0, 1.0);
    ch_test_body(world, &body, &shape);
  }
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 2e-3, options.solve.tolerance = 1e-6;
  return ch_test_start(world, &options);
}

static void zero_coefficients_and_idle_materials_change_no_bit(void** state) {
  (void)state;
  ChSimulation* runs[3];
  for (int kind = 0; kind < 3; ++kind) {
    ChContext context = {0};
    runs[kind] = heap_with(kind);
    ChStepInfo info;
    for (int step = 0; step < 150; ++step) CHECK_OK(context, ch_simulation_step(&context, runs[kind], &info));
  }
  for (int b = 0; b < 13; ++b)
    for (int kind = 1; kind < 3; ++kind) {
      const ChBodyView x = ch_simulation_body_at(runs[0], b), y = ch_simulation_body_at(runs[kind], b);
      assert_memory_equal(&x.position, &y.position, sizeof x.position);
      assert_memory_equal(&x.velocity, &y.velocity, sizeof x.velocity);
      assert_memory_equal(&x.omega, &y.omega, sizeof x.omega);
    }
  for (int kind = 0; kind < 3; ++kind) ch_simulation_destroy(runs[kind]);
}

// mu_r m g and the spin, at a contact that rolls; energy that is lost is explained to the last bit of it.
static void views_and_ledger_know_moments(void** state) {
  (void)state;
  const double rolling = 0.01, drilling = 0.002, mass = 1000.0 * 4.0 / 3.0 * acos(-1.0) * R * R * R;
  const Ball ball = {.dimension = 3,
                     .mu = MU,
                     .rolling = rolling,
                     .drilling = drilling,
                     .velocity = {1.0, 0.0, 0.0},
                     .omega = {0.0, 10.0, 5.0}};
  ChSimulation* s = start(&ball, 1e-3);
  int count;
  for (int step = 0; step < 20; ++step) {
    const ChStepInfo info = ch_test_step(s);
    const double before = info.kinetic;
    assert_true(isfinite(before));
    CHECK_AT_MOST(info.gain, 1e-12);
  }
  const ChContactView* view = ch_simulation_contacts(s, &count);
  assert_int_equal(count, 1);
  const double side = view->body[1] == 1 ? 1.0 : -1.0;
  CHECK_NEAR(side * view->moment.y, -rolling * mass * G, 1e-7 * mass);
  CHECK_NEAR(side * view->moment.z, -drilling * mass * G, 1e-7 * mass);
  assert_true(side * view->spin.y > 9.0 && side * view->spin.z > 4.0);
  ch_simulation_destroy(s);
}

// A run that is saved and loaded goes on as if nothing had been, moments of the warm start included.
static void a_saved_run_goes_on_alike(void** state) {
  (void)state;
  const Ball ball = {.dimension = 3, .mu = MU, .rolling = 0.01, .drilling = 0.01, .velocity = {1.0, 0.5, 0.0}};
  ChSimulation *a = start(&ball, 1e-3), *b = start(&ball, 1e-3);
  ChContext context = {0};
  size_t size;
  ch_test_run(a, 0.2);
  CHECK_OK(context, ch_simulation_save(&context, a, NULL, &size));
  void* bytes = malloc(size);
  CHECK_OK(context, ch_simulation_save(&context, a, bytes, &size));
  CHECK_OK(context, ch_simulation_load(&context, b, bytes, size));
  ch_test_run(a, 0.4);
  ch_test_run(b, 0.4);
  const ChBodyView x = ch_simulation_body_at(a, 1), y = ch_simulation_body_at(b, 1);
  assert_memory_equal(&x.position, &y.position, sizeof x.position);
  assert_memory_equal(&x.omega, &y.omega, sizeof x.omega);
  free(bytes);
  ch_simulation_destroy(a);
  ch_simulation_destroy(b);
}

// Friction along an axis has a section of its own, for which no law has moments: refused, not ignored.
static void moments_and_an_axis_do_not_go_together(void** state) {
  (void)state;
  ChContext context = {0};
  for (int apart = 0; apart < 2; ++apart) {
    ChWorld* world = ch_test_world(3, G, MU, 0.0);
    ChMaterialDef skate = ch_material_def_default(), ball = ch_material_def_default();
    ChShapeDef shape = ch_shape_def_default();
    ChBodyDef body = ch_body_def_default();
    skate.friction[1] = 0.1;
    ball.rolling = 0.01;
    shape.type = CH_SHAPE_SPHERE;
    shape.radius = R;
    if (apart == 0) {
      skate.rolling = 0.01;
      assert_int_equal(ch_world_add_material(&context, world, &skate, NULL), CH_ERR_RANGE);
    } else {
      shape.material = ch_test_material(world, &skate);
      ch_test_body(world, &body, &shape);
      shape.material = ch_test_material(world, &ball);
      ch_test_body(world, &body, &shape);
      assert_int_equal(ch_world_seal(&context, world), CH_ERR_RANGE);
    }
    ch_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_rolls_stops_where_it_should),
      cmocka_unit_test(a_sphere_on_a_slope_holds_below_its_angle),
      cmocka_unit_test(spin_falls_along_a_straight_line),
      cmocka_unit_test(what_spins_slides_farther),
      cmocka_unit_test(zero_coefficients_change_no_bit),
      cmocka_unit_test(zero_coefficients_and_idle_materials_change_no_bit),
      cmocka_unit_test(views_and_ledger_know_moments),
      cmocka_unit_test(a_saved_run_goes_on_alike),
      cmocka_unit_test(moments_and_an_axis_do_not_go_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
