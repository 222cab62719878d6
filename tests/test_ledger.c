// The ledgers of a step: work that driven bodies do through springs and dampers, against closed forms; and momenta,
// which nothing but the outside changes.
#include <stdlib.h>
#include <string.h>

#include "model/soft/soft.h"
#include "model/tet/tet_shapes.h"
#include "step/state.h"
#include "support/near.h"
#include "support/soft_points.h"
#include "support/worlds.h"

static const ChVec3 still = {0.0, 0.0, 0.0};

// Those that take midpoints of q, and so keep the energy of a linear spring.
static const char* const midpoint_rules[] = {"half-step", "midpoint", "implicit-midpoint",
                                             "newmark",   "two-step", "trapezoidal"};

static double energy(ChStepInfo info) { return info.kinetic + info.potential; }

// --- work of driven bodies -------------------------------------------------------------------------------------------

// A hand on a line pulls a mass through a spring and a damper.
typedef struct Pull {
  double mass, stiffness, damping;
  ChSignal hand;
} Pull;

static int plane_body(ChWorld* world, ChVec3 at, double mass) {
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.mass = mass;
  body.inertia[2] = 1.0;
  return ch_test_body(world, &body, NULL);
}

static ChSimulation* pulled(const Pull* pull, const char* integrator, double h) {
  ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
  ChBodyDef hand = ch_body_def_default();
  hand.kind = CH_BODY_KINEMATIC;
  hand.motion[0] = pull->hand;
  ChForceDef spring = ch_force_def_default();
  spring.body[0] = ch_body_id(ch_test_body(world, &hand, NULL));
  spring.body[1] = ch_body_id(plane_body(world, ch_vec(2.0, 0.0, 0.0), pull->mass));
  spring.stiffness = pull->stiffness;
  spring.damping = pull->damping;
  ch_test_force(world, &spring);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = integrator;
  options.h = h;
  return ch_test_start(world, &options);
}

static double place(const ChSimulation* s, int body) { return ch_simulation_body_at(s, body).position.x; }
static double speed(const ChSimulation* s, int body) { return ch_simulation_body_at(s, body).velocity.x; }

static const ChSignal steady_hand = {.rate = 0.3}, shaking_hand = {.amplitude = 0.05, .frequency = 3.0};

// With r = X - x, the hand's way ahead of the mass, every step of a midpoint rule has E+ - E = work - c (r+ - r)^2 / h:
// what the damper takes, and nothing else, however the hand moves. (two-step takes the hand a quarter on: its work is
// another one, its account as exact; only the damper's velocities are those of the mean.)
static void driven_spring_leaves_round_off_in_midpoint_rules(void** state) {
  (void)state;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 4; ++k) {
      Pull pull = {0.1, 100.0, k % 2 ? 0.5 : 0.0, k < 2 ? steady_hand : shaking_hand};
      double h = 1e-2;  // omega h = 0.3: far from small
      ChSimulation* s = pulled(&pull, midpoint_rules[i], h);
      double last = energy(ch_simulation_info(s)), ahead = place(s, 0) - place(s, 1), most = 0.0;
      for (int n = 0; n < 500; ++n) {
        ChStepInfo info = ch_test_step(s);
        double now = place(s, 0) - place(s, 1), taken = pull.damping * (now - ahead) * (now - ahead) / h;
        most = fmax(most, energy(info));
        CHECK_NEAR(energy(info) - last - info.work, -taken, 1e-13 * (1.0 + most));  // V of a spring 2 m long
        assert_true(info.gain == 0.0);
        last = energy(info);
        ahead = now;
      }
      assert_true(most > 1e-3);
      ch_simulation_destroy(s);
    }
}

// Euler loses what it loses on fixed ground, -1/2 m (v+ - v)^2 - 1/2 k (x+ - x)^2, and what the damper takes,
// h c (v+ - w)^2, with w the hand's velocity. It never gains.
static void driven_spring_in_euler_loses_what_a_fixed_one_does(void** state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    Pull pull = {0.1, 100.0, k % 2 ? 0.5 : 0.0, k < 2 ? steady_hand : shaking_hand};
    double h = 1e-2;
    ChSimulation* s = pulled(&pull, "euler", h);
    double last = energy(ch_simulation_info(s));
    for (int n = 0; n < 500; ++n) {
      double x = place(s, 1), v = speed(s, 1);
      ChStepInfo info = ch_test_step(s);
      double dx = place(s, 1) - x, dv = speed(s, 1) - v, slip = speed(s, 1) - speed(s, 0);
      double loss = 0.5 * pull.mass * dv * dv + 0.5 * pull.stiffness * dx * dx + h * pull.damping * slip * slip;
      CHECK_NEAR(energy(info) - last - info.work, -loss, 1e-13);
      assert_true(info.gain == 0.0);
      last = energy(info);
    }
    ch_simulation_destroy(s);
  }
}

// A hand of constant speed c works c times the force: c m v in all, by the spring (v = c (1 - cos wt)) as by the damper
// (v = c (1 - exp(-t damping/m))). By the damper, and by the spring in the midpoint rule, the sum of the steps is c m v
// for the v that they find; the spring's work in euler differs by h: the hand goes its way after the mass.
static void work_of_a_steady_hand_is_its_speed_times_the_momentum(void** state) {
  (void)state;
  for (int damper = 0; damper < 2; ++damper)
    for (int euler = 0; euler < 2; ++euler) {
      Pull pull = {0.1, damper ? 0.0 : 100.0, damper ? 0.5 : 0.0, steady_hand};
      double work[2], c = steady_hand.rate, t = 0.25, rate = pull.damping / pull.mass;
      double wanted = c * c * pull.mass * (damper ? 1.0 - exp(-rate * t) : 1.0 - cos(sqrt(1000.0) * t));
      for (int fine = 0; fine < 2; ++fine) {
        ChSimulation* s = pulled(&pull, euler ? "euler" : "implicit-midpoint", fine ? 5e-4 : 1e-3);
        work[fine] = 0.0;
        for (int n = 0; n < (fine ? 500 : 250); ++n) work[fine] += ch_test_step(s).work;
        if (damper || !euler) CHECK_NEAR(work[fine], c * pull.mass * speed(s, 1), 1e-12);
        ch_simulation_destroy(s);
      }
      double ratio = (work[0] - wanted) / (work[1] - wanted);
      CHECK_NEAR(ratio, euler ? 2.0 : 4.0, 0.15);  // orders 1 and 2
      CHECK_NEAR(work[1], wanted, (euler ? 5e-2 : 2e-4) * wanted);
    }
}

// A wheel that turns to and fro drags another one by a torsion spring and damper: the same account, in angles.
static void driven_torsion_leaves_round_off(void** state) {
  (void)state;
  for (int damped = 0; damped < 2; ++damped) {
    ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
    ChBodyDef wheel = ch_body_def_default();
    wheel.kind = CH_BODY_KINEMATIC;
    wheel.turn = (ChSignal){.amplitude = 0.7, .frequency = 1.0};
    ChForceDef torsion = ch_force_def_default();
    torsion.type = CH_FORCE_TORSION;
    torsion.body[0] = ch_body_id(ch_test_body(world, &wheel, NULL));
    torsion.body[1] = ch_body_id(plane_body(world, still, 1.0));
    torsion.stiffness = 30.0;
    torsion.damping = damped ? 0.8 : 0.0;
    ch_test_force(world, &torsion);
    ChSimulationOptions options = ch_simulation_options_default();
    options.integrator = "half-step";
    options.h = 5e-3;
    ChSimulation* s = ch_test_start(world, &options);
    double last = 0.0, ahead = 0.0;
    for (int n = 0; n < 500; ++n) {
      ChStepInfo info = ch_test_step(s);
      double now = ch_simulation_body_at(s, 0).angle - ch_simulation_body_at(s, 1).angle;
      double taken = torsion.damping * (now - ahead) * (now - ahead) / options.h;
      CHECK_NEAR(energy(info) - last - info.work, -taken, 1e-11);
      assert_true(info.gain == 0.0);
      last = energy(info);
      ahead = now;
    }
    ch_simulation_destroy(s);
  }
}

// A crank in space: the spring's end goes round, the spring turns, both ends have arms. V is not quadratic, and what is
// left is the integrator's own error of order h^3 a step; it was the whole work, of order h, before it was booked.
static double crank_error(double h) {
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  ChBodyDef crank = ch_body_def_default();
  crank.kind = CH_BODY_KINEMATIC;
  crank.turn = (ChSignal){.rate = 5.0};
  crank.axis = ch_axis(2);
  ChForceDef spring = ch_force_def_default();
  spring.body[0] = ch_body_id(ch_test_body(world, &crank, NULL));
  spring.body[1] = ch_body_id(ch_test_point(world, ch_vec(1.0, 0.5, 0.3), still, 1.0));
  spring.at[0] = ch_vec(0.2, 0.0, 0.0);
  spring.at[1] = ch_vec(0.0, -0.1, 0.2);
  spring.stiffness = 50.0;
  ch_test_force(world, &spring);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = "implicit-midpoint";
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  double last = energy(ch_simulation_info(s)), worst = 0.0, work = 0.0;
  while (ch_simulation_time(s) < 2.0 - 0.5 * h) {
    ChStepInfo info = ch_test_step(s);
    worst = fmax(worst, fabs(energy(info) - last - info.work));
    work = fmax(work, fabs(info.work));
    last = energy(info);
  }
  CHECK_AT_MOST(worst, 2e-2 * work);
  ch_simulation_destroy(s);
  return worst;
}

static void driven_crank_leaves_the_third_order(void** state) {
  (void)state;
  CHECK_NEAR(crank_error(4e-3) / crank_error(2e-3), 8.0, 0.5);
}

// --- momenta ---------------------------------------------------------------------------------------------------------

typedef struct Momenta {
  ChVec3 linear, angular;
} Momenta;

static Momenta momenta(ChStepInfo info) { return (Momenta){info.momentum, info.angular_momentum}; }

// Largest departures over the steps.
static Momenta departure(ChSimulation* s, int steps) {
  Momenta start = momenta(ch_simulation_info(s)), worst = {still, still};
  for (int n = 0; n < steps; ++n) {
    Momenta now = momenta(ch_test_step(s));
    ChVec3 linear = ch_sub(now.linear, start.linear), angular = ch_sub(now.angular, start.angular);
    if (!(ch_norm(linear) <= ch_norm(worst.linear))) worst.linear = linear;
    if (!(ch_norm(angular) <= ch_norm(worst.angular))) worst.angular = angular;
  }
  return worst;
}

static void check_kept(ChSimulation* s, int steps, double size, double tolerance) {
  Momenta worst = departure(s, steps);
  CHECK_AT_MOST(ch_norm(worst.linear), tolerance * size);
  CHECK_AT_MOST(ch_norm(worst.angular), tolerance * size);
}

// R J w + x x m v, by hand; and both stay, about no principal axis and far from the origin.
static void a_spinning_body_keeps_its_momenta(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  ChBodyDef def = ch_body_def_default();
  def.position = ch_vec(1.0, -2.0, 0.5);
  def.velocity = ch_vec(0.3, 0.4, -0.5);
  def.omega = ch_vec(3.0, -5.0, 4.0);
  def.mass = 2.0;
  def.inertia[0] = 0.1, def.inertia[1] = 0.2, def.inertia[2] = 0.27;
  ch_test_body(world, &def, NULL);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  Momenta start = momenta(ch_simulation_info(s));
  ChVec3 p = ch_scale(2.0, def.velocity), L = ch_add(ch_cross(def.position, p), ch_vec(0.3, -1.0, 1.08));
  CHECK_NEAR(ch_norm(ch_sub(start.linear, p)), 0.0, 1e-15);
  CHECK_NEAR(ch_norm(ch_sub(start.angular, L)), 0.0, 1e-14);
  check_kept(s, 20000, ch_norm(L), 1e-11);  // round-off of 2e4 steps, over 14 m
  ch_simulation_destroy(s);
}

// In the plane: x m vy - y m vx + J w, one number.
static void momenta_in_the_plane(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
  ChBodyDef def = ch_body_def_default();
  def.position = ch_vec(1.0, -2.0, 0.0);
  def.velocity = ch_vec(0.3, 0.4, 0.0);
  def.omega = ch_vec(0.0, 0.0, 4.0);
  def.mass = 2.0;
  def.inertia[2] = 0.5;
  ch_test_body(world, &def, NULL);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  Momenta start = momenta(ch_simulation_info(s));
  CHECK_NEAR(start.angular.z, 2.0 * (1.0 * 0.4 + 2.0 * 0.3) + 0.5 * 4.0, 1e-14);
  CHECK_NEAR(start.angular.x, 0.0, 0.0);
  check_kept(s, 2000, start.angular.z, 1e-12);
  ch_simulation_destroy(s);
}

// Of a body made of point masses momenta are sums over the points, x = p + R y, y = X + U q.
static void momenta_of_a_deformable_body_are_those_of_its_points(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  const ChSoft* soft = ch_test_soft_box(world, ch_vec(0.3, 0.2, 0.1), 8.0, 12, 40.0, 400.0);
  int body = ch_test_soft_body(world, soft, ch_vec(1.0, 2.0, -1.0));
  ChBodyState* given = &world->states[body];
  given->velocity = ch_vec(1.0, -2.0, 3.0);
  given->omega = ch_vec(3.0, 5.0, -4.0);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double *q = ch_state_modes(s->world, s->states, body), *rates = ch_state_rates(s->world, s->states, body);
  for (int a = 0; a < soft->modes; ++a) rates[a] = a % 2 ? 0.4 : -0.3;
  ChStepInfo info = {0};
  for (int n = 0; n < 50; ++n) info = ch_test_step(s);
  double none[CH_SOFT_MODES_MAX] = {0};
  const ChBodyState* at = &s->states[body];
  ChVec3 linear = still, angular = still;
  for (int v = 0; v < 8; ++v) {
    ChVec3 y = ch_soft_vertex(soft, v, q), bent = ch_sub(ch_soft_vertex(soft, v, rates), ch_soft_vertex(soft, v, none));
    ChVec3 x = ch_frame_point(ch_state_frame(s->states, body), y);
    ChVec3 p = ch_add(at->velocity, ch_rotate(at->orientation, ch_add(ch_cross(at->omega, y), bent)));  // 1 kg each
    linear = ch_add(linear, p);
    angular = ch_add(angular, ch_cross(x, p));
  }
  CHECK_NEAR(ch_norm(ch_sub(info.momentum, linear)), 0.0, 1e-12);
  CHECK_NEAR(ch_norm(ch_sub(info.angular_momentum, angular)), 0.0, 1e-12);
  check_kept(s, 20000, ch_norm(angular), 1e-11);  // round-off of 2e4 steps, over 75 m
  ch_simulation_destroy(s);
}

static int add_soft_bar(ChWorld* world, ChSoftKind kind, ChVec3 at, ChVec3 velocity, ChVec3 omega) {
  ChContext context = {0};
  ChArena* arena = ch_arena_create(NULL);
  ChTetMesh mesh;
  CHECK_OK(context, ch_tet_box(&context, arena, ch_vec(0.4, 0.06, 0.04), (int[]){6, 1, 1}, &mesh));
  ChSoftDef def = ch_soft_def_default();
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.velocity = velocity;
  body.omega = omega;
  def.kind = kind;
  def.vertex_count = mesh.vertex_count, def.vertices = mesh.vertices;
  def.tet_count = mesh.tet_count, def.tets = mesh.tets;
  def.young = 1e6, def.modes = 10;
  int id = ch_test_body(world, &body, NULL);
  CHECK_OK(context, ch_world_add_soft(&context, world, ch_body_id(id), &def, NULL));
  ch_arena_destroy(arena);
  return id;
}

// Hooke's law or St. Venant and Kirchhoff's, spinning and vibrating.
static void free_deformable_bodies_keep_their_momenta(void** state) {
  (void)state;
  for (int kind = 0; kind < 2; ++kind) {
    ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
    int bar = add_soft_bar(world, (ChSoftKind)kind, ch_vec(0.5, 1.0, 0.0), ch_vec(0.2, -1.0, 0.5), ch_vec(4, 9, -6));
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    for (int a = 0; a < 10; ++a) ch_state_rates(s->world, s->states, bar)[a] = 0.1 * (a % 3);
    double size = ch_norm(ch_test_step(s).angular_momentum);
    check_kept(s, 3000, size, 1e-12);
    ch_simulation_destroy(s);
  }
}

// Two bodies that meet off their centres, with friction: each gets what the other loses. How far angular momentum
// departs, in parts of itself.
static double collide(ChWorld* world, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  ChVec3 before = ch_simulation_body_at(s, 0).velocity;
  double size = ch_norm(ch_simulation_info(s).angular_momentum);
  Momenta worst = departure(s, (int)(0.5 / h));
  assert_true(ch_norm(ch_sub(ch_simulation_body_at(s, 0).velocity, before)) > 0.1);
  CHECK_AT_MOST(ch_norm(worst.linear), 1e-12 * size);
  ch_simulation_destroy(s);
  return ch_norm(worst.angular) / size;
}

// A reaction acts on both at one point, so that rigid bodies keep angular momentum as well, whatever h is.
static void colliding_bodies_keep_the_total(void** state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    ChWorld* world = ch_test_world(k < 2 ? 2 : 3, 0.0, 0.4, k % 2 ? 0.6 : 0.0);
    ch_test_ball(world, ch_vec(0.0, 0.3, 0.0), 0.1, ch_vec(1.5, 0.0, 0.0));
    ch_test_ball(world, ch_vec(0.5, 0.37, 0.0), 0.1, ch_vec(-1.0, 0.4, 0.0));
    CHECK_AT_MOST(collide(world, 5e-3), 1e-12);
  }
}

static double collide_bars(double h) {
  ChWorld* world = ch_test_world(3, 0.0, 0.4, 0.0);
  add_soft_bar(world, CH_SOFT_MODAL, ch_vec(0.0, 0.3, 0.0), ch_vec(1.5, 0.0, 0.0), still);
  add_soft_bar(world, CH_SOFT_STVK, ch_vec(0.5, 0.33, 0.01), ch_vec(-1.0, 0.0, 0.0), still);
  return collide(world, h);
}

// Deformable ones keep momentum to round-off, angular momentum in contact to first order in h (docs/stepping.md).
static void colliding_deformable_bodies_keep_the_total(void** state) {
  (void)state;
  double coarse = collide_bars(5e-4), fine = collide_bars(2.5e-4);
  CHECK_AT_MOST(fine, 2e-3);
  CHECK_NEAR(coarse / fine, 2.0, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(driven_spring_leaves_round_off_in_midpoint_rules),
      cmocka_unit_test(driven_spring_in_euler_loses_what_a_fixed_one_does),
      cmocka_unit_test(work_of_a_steady_hand_is_its_speed_times_the_momentum),
      cmocka_unit_test(driven_torsion_leaves_round_off),
      cmocka_unit_test(driven_crank_leaves_the_third_order),
      cmocka_unit_test(a_spinning_body_keeps_its_momenta),
      cmocka_unit_test(momenta_in_the_plane),
      cmocka_unit_test(momenta_of_a_deformable_body_are_those_of_its_points),
      cmocka_unit_test(free_deformable_bodies_keep_their_momenta),
      cmocka_unit_test(colliding_bodies_keep_the_total),
      cmocka_unit_test(colliding_deformable_bodies_keep_the_total),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
