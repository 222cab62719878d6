// Bodies that spin in contact, against closed forms: tops whose tips drill, upright and leaning, a coin on its face,
// and a disc that slides and spins at once.
#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81;

// --- tops ------------------------------------------------------------------------------------------------------------

// A top of mass m whose centre is l above its tip, a ball so small that it is a point. I1 is about the tip.
static const double MASS = 0.1, ARM = 0.04, I3 = 8e-5, CENTRAL = 6e-5, TIP = 1e-7;

static double about_tip(void) { return CENTRAL + MASS * ARM * ARM; }

// The slow rate of steady precession of a top that leans by `tilt` and spins with n about its axis:
// I1 cos(tilt) W^2 - I3 n W + m g l = 0.
static double precession(double n, double tilt) {
  const double a = about_tip() * cos(tilt), b = I3 * n;
  return 2.0 * MASS * G * ARM / (b + sqrt(b * b - 4.0 * a * MASS * G * ARM));
}

// Spinning with n about its axis, which turns about the vertical at the rate of its precession.
static ChSimulation* top(double n, double tilt, double drilling, double h) {
  ChWorld* world = ch_test_world(3, G, 2.0, 0.0);
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = 2.0, material.drilling = drilling;
  ChBodyDef body = ch_body_def_default();
  ChShapeDef tip = ch_shape_def_default();
  const ChVec3 axis = ch_vec(sin(tilt), 0.0, cos(tilt));
  const double turn = tilt > 0.0 ? precession(n, tilt) : 0.0;
  ch_test_floor(world);
  tip.type = CH_SHAPE_SPHERE, tip.radius = TIP, tip.material = ch_test_material(world, &material);
  body.mass = MASS, body.centre = ch_vec(0.0, 0.0, ARM);
  body.inertia[0] = body.inertia[1] = CENTRAL, body.inertia[2] = I3;
  body.position = ch_vec(0.0, 0.0, TIP);
  body.orientation = (ChQuat){cos(0.5 * tilt), 0.0, sin(0.5 * tilt), 0.0};
  body.omega = ch_add(ch_scale(n - turn * cos(tilt), axis), ch_vec(0.0, 0.0, turn));
  body.velocity = ch_cross(body.omega, ch_scale(ARM, axis));
  ch_test_body(world, &body, &tip);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  return ch_test_start(world, &options);
}

// Upright it sleeps: I3 dn/dt = -mu_d m g, a straight line, as long as I3 n > 2 sqrt(I1 m g l).
static void a_sleeping_top_spins_down_along_a_line(void** state) {
  (void)state;
  const double n = 200.0, drilling = 2e-3, slowing = drilling * MASS * G / I3;
  assert_true(I3 * (n - slowing) > 2.0 * sqrt(about_tip() * MASS * G * ARM));
  ChSimulation* s = top(n, 0.0, drilling, 1e-3);
  for (int k = 1; k <= 4; ++k) {
    const ChStepInfo info = ch_test_run(s, 0.25 * k);
    const ChBodyView at = ch_simulation_body_at(s, 1);
    CHECK_NEAR(at.omega.z, n - slowing * 0.25 * k, 1e-7 * n);
    CHECK_NEAR(at.position.x, 0.0, 1e-9);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
  }
  ch_simulation_destroy(s);
}

// Leaning it precesses. Its tip drills with T = mu_d m g about the vertical: T cos(tilt) brakes the spin, and T
// sin(tilt) turns the axis down, by T sin(tilt) / (I3 n) a second. The precession grows as the spin falls; its angle is
// the integral of its rate.
static void a_leaning_top_precesses_faster_as_its_spin_falls(void** state) {
  (void)state;
  const double tilt = 0.3, n = 400.0, end = 0.5, h = 1e-4;
  for (int drills = 0; drills < 2; ++drills) {
    const double drilling = drills ? 1.5e-2 : 0.0, torque = drilling * MASS * G, part = 1e-4 * end;
    double angle = 0.0, spin = n, lean = tilt;
    for (int k = 0; k < 10000; ++k) {
      angle += part * precession(spin, lean);
      lean += part * torque * sin(lean) / (I3 * spin);
      spin -= part * torque * cos(lean) / I3;
    }
    ChSimulation* s = top(n, tilt, drilling, h);
    double turned = 0.0, last = 0.0;
    while (ch_simulation_time(s) < end - 0.5 * h) {
      ch_test_step(s);
      const ChVec3 axis = ch_rotate(ch_simulation_body_at(s, 1).orientation, ch_axis(2));
      const double now = atan2(axis.y, axis.x);
      turned += remainder(now - last, 2.0 * acos(-1.0));
      last = now;
    }
    const ChBodyView at = ch_simulation_body_at(s, 1);
    const ChVec3 axis = ch_rotate(at.orientation, ch_axis(2));
    CHECK_NEAR(turned, angle, 0.02 * angle);
    CHECK_NEAR(ch_dot(at.omega, axis), spin, 0.002 * n);
    CHECK_NEAR(acos(axis.z), lean, 0.01);
    if (drills) assert_true(angle > 1.1 * precession(n, tilt) * end);  // by much more than the tolerance
    ch_simulation_destroy(s);
  }
}

// --- a coin ----------------------------------------------------------------------------------------------------------

// A coin spins on its face: friction at its rim brakes with mu m g a, drilling with mu_d m g, and m a^2 / 2 dw/dt is
// their sum: a straight line to rest.
static void a_coin_spins_down_along_a_line(void** state) {
  (void)state;
  const double a = 0.02, w = 30.0, h = 1e-4;
  for (int kind = 0; kind < 3; ++kind) {
    const double mu = kind == 1 ? 0.0 : 0.2, drilling = kind == 0 ? 0.0 : 3e-3;
    const double slowing = (mu * a + drilling) * G / (0.5 * a * a);
    ChWorld* world = ch_test_world(3, G, mu, 0.0);
    ChMaterialDef material = ch_material_def_default();
    material.friction[0] = material.friction[1] = mu, material.drilling = drilling;
    ChBodyDef body = ch_body_def_default();
    ChShapeDef floor = ch_shape_def_default(), coin = ch_shape_def_default();
    body.kind = CH_BODY_FIXED;
    floor.type = CH_SHAPE_HALFSPACE, floor.material = ch_test_material(world, &material);
    ch_test_body(world, &body, &floor);
    body.kind = CH_BODY_DYNAMIC, body.position.z = 0.001, body.omega.z = w;
    coin.type = CH_SHAPE_CYLINDER, coin.radius = a, coin.half_length = 0.001, coin.material = floor.material;
    ch_test_body(world, &body, &coin);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = h;
    ChSimulation* s = ch_test_start(world, &options);
    ch_test_run(s, 0.5 * w / slowing);
    CHECK_NEAR(ch_simulation_body_at(s, 1).omega.z, w - slowing * ch_simulation_time(s), 1e-3 * w);
    ch_test_run(s, w / slowing + 0.01);
    CHECK_NEAR(ch_simulation_body_at(s, 1).omega.z, 0.0, 1e-7);
    ch_simulation_destroy(s);
  }
}

// --- a disc that slides and spins ------------------------------------------------------------------------------------

enum { RINGS = 4, FEET = 48 };
static const double RADIUS = 0.1, MU = 0.3;

// Rings of equal areas, and on each as many feet.
static ChVec3 foot_at(int k, double angle) {
  const int ring = k / (FEET / RINGS), place = k % (FEET / RINGS);
  const double r = RADIUS * sqrt((ring + 0.5) / RINGS),
               at = angle + (place + 0.37 * ring) * 2.0 * acos(-1.0) * RINGS / FEET;
  return ch_vec(r * cos(at), r * sin(at), 0.0);
}

typedef struct Sliding {
  double v, w, angle, way;
} Sliding;

// dv/dt = -mu g <s_x>, k^2 dw/dt = -mu g <x s_y - y s_x>, s the direction of slip at a foot, k^2 = R^2 / 2.
static Sliding rate(Sliding at) {
  Sliding out = {.angle = at.w, .way = at.v};
  for (int k = 0; k < FEET; ++k) {
    const ChVec3 x = foot_at(k, at.angle);
    const double sx = at.v - at.w * x.y, sy = at.w * x.x, size = hypot(sx, sy);
    out.v -= MU * G / FEET * sx / size;
    out.w -= MU * G / FEET / (0.5 * RADIUS * RADIUS) * (x.x * sy - x.y * sx) / size;
  }
  return out;
}

static Sliding moved(Sliding a, Sliding b, double h) {
  return (Sliding){a.v + h * b.v, a.w + h * b.w, a.angle + h * b.angle, a.way + h * b.way};
}

// By Heun's method, as long as it slides.
static Sliding slide_for(Sliding at, double time) {
  const int steps = 20000;
  for (int k = 0; k < steps; ++k) {
    const Sliding here = rate(at), there = rate(moved(at, here, time / steps));
    at = moved(moved(at, here, 0.5 * time / steps), there, 0.5 * time / steps);
  }
  return at;
}

static ChSimulation* disc(double v, double w, double h) {
  ChWorld* world = ch_test_world(3, G, MU, 0.0);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef foot = ch_shape_def_default();
  const double size = 0.003;
  ch_test_floor(world);
  body.mass = 1.0, body.position.z = size;
  body.inertia[2] = 0.5 * RADIUS * RADIUS, body.inertia[0] = body.inertia[1] = 0.5 * body.inertia[2];
  body.velocity.x = v, body.omega.z = w, body.locks = CH_LOCK_RX | CH_LOCK_RY;
  foot.type = CH_SHAPE_SPHERE, foot.radius = size, foot.at = foot_at(0, 0.0);
  const int row = ch_test_body(world, &body, &foot);
  for (int k = 1; k < FEET; ++k) {
    foot.at = foot_at(k, 0.0);
    ch_test_shape(world, row, &foot);
  }
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h, options.contact = CH_CONTACT_COMPLIANT;  // equal loads
  options.solve.tolerance = 1e-6;
  return ch_test_start(world, &options);
}

// The spin takes friction away from the slide: it slides farther, and straight on. Both end at the same moment, with v
// / (R w) near 0.653 whatever they began with (Farkas, Bartels, Unger and Wolf 2003).
static void a_disc_that_spins_slides_farther_and_stops_at_once(void** state) {
  (void)state;
  const double h = 5e-4;
  for (int kind = 0; kind < 2; ++kind) {
    const double v = kind ? 1.0 : 0.3, w = kind ? 4.0 : 12.0, part = kind ? 0.3 : 0.25;
    ChSimulation* s = disc(v, w, h);
    ch_test_run(s, part);
    const Sliding half = slide_for((Sliding){.v = v, .w = w}, part);
    const ChBodyView at = ch_simulation_body_at(s, 1);
    CHECK_NEAR(at.velocity.x, half.v, 0.01 * v);
    CHECK_NEAR(at.omega.z, half.w, 0.01 * w);
    CHECK_NEAR(at.velocity.y, 0.0, 0.01 * v);
    double slid = part, spun = part, ratio = 0.0;
    for (double t = part; t < part + 0.5; t += h) {
      ch_test_step(s);
      const ChBodyView now = ch_simulation_body_at(s, 1);
      if (now.velocity.x > 0.02 * v) slid = ch_simulation_time(s), ratio = now.velocity.x / (RADIUS * now.omega.z);
      if (RADIUS * now.omega.z > 0.02 * v) spun = ch_simulation_time(s);
    }
    CHECK_NEAR(slid, spun, 0.02 * slid);
    CHECK_NEAR(ratio, 0.653, 0.1);
    CHECK_NEAR(at.position.x, half.way, 0.01 * half.way);
    assert_true(ch_simulation_body_at(s, 1).position.x > (kind ? 1.02 : 1.5) * v * v / (2.0 * MU * G));
    ch_simulation_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sleeping_top_spins_down_along_a_line),
      cmocka_unit_test(a_leaning_top_precesses_faster_as_its_spin_falls),
      cmocka_unit_test(a_coin_spins_down_along_a_line),
      cmocka_unit_test(a_disc_that_spins_slides_farther_and_stops_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
