// The integrators: what each keeps, its order, the friction of the half-step in both forms, and what is refused.
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "model/forces.h"
#include "problem/contact_problem.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;
static const ChVec3 still = {0.0, 0.0, 0.0};

static double energy(ChStepInfo info) { return info.kinetic + info.potential; }

// A disk of radius 1 m and mass 1 kg that cannot turn; its height over the floor is that of a particle.
static int particle(ChWorld* world, ChVec3 at, ChVec3 velocity) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.position = ch_vec(at.x, at.y + 1.0, 0.0);
  body.velocity = velocity;
  body.mass = 1.0;
  body.locks = CH_LOCK_RZ;
  shape.type = CH_SHAPE_DISK;
  shape.radius = 1.0;
  return ch_test_body(world, &body, &shape);
}

// A particle that nothing touches.
static int free_particle(ChWorld* world, ChVec3 at, ChVec3 velocity) {
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.velocity = velocity;
  body.mass = 1.0;
  body.inertia[2] = 1.0;
  return ch_test_body(world, &body, NULL);
}

// --- one particle (004 Fig 4.1)

static ChSimulation* dropped(const char* integrator, double h, double height, int* body) {
  ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
  ch_test_floor(world);
  *body = particle(world, ch_vec(0.0, height, 0.0), still);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

// Energy after the first bounce over that before it, taken when the particle rises again; the restitution is its root.
static double first_restitution(const char* integrator, double h, double height) {
  int body;
  ChSimulation* s = dropped(integrator, h, height, &body);
  double before = energy(ch_simulation_info(s)) - g, after = before;
  bool fell = false;
  for (int n = 0; n < 100000; ++n) {
    ChStepInfo info = ch_test_step(s);
    double speed = ch_simulation_body_at(s, body).velocity.y, at = ch_simulation_body_at(s, body).position.y - 1.0;
    fell |= speed < 0.0;
    after = energy(info) - g;
    if (fell && speed >= 0.0 && at > -1e-12 && info.contacts == 0) break;
    if (fell && fabs(speed) < 1e-9 && info.contacts > 0) break;  // it stays
  }
  ch_simulation_destroy(s);
  return sqrt(fmax(after, 0.0) / before);
}

static void I46_half_step_keeps_the_energy_of_a_bouncing_particle(void** state) {
  (void)state;
  for (int k = 1; k <= 3; ++k) {
    int body;
    ChSimulation* s = dropped("half-step", pow(10.0, -k), 1.0, &body);
    double start = energy(ch_simulation_info(s)), worst = 0.0, rise = 0.0;
    for (int n = 0; n < 100000; ++n) {
      ChStepInfo info = ch_test_step(s);
      worst = fmax(worst, fabs(energy(info) - start));
      rise = fmax(rise, ch_simulation_body_at(s, body).position.y);
      assert_false(info.missed);
      assert_true(info.gain == 0.0);
    }
    CHECK_AT_MOST(worst, 1e-9 * start);  // 1e5 steps of round-off
    CHECK_AT_MOST(rise, 2.0 + 1e-9);
    ch_simulation_destroy(s);
  }
}

static void I46_restitution_depends_on_the_state_only_where_gaps_are_closed(void** state) {
  (void)state;
  static const char* const baselines[] = {"implicit-midpoint", "newmark"};
  for (int k = 0; k < 20; ++k) CHECK_NEAR(first_restitution("half-step", 1e-2, 1.0 + 0.003 * k), 1.0, 1e-12);
  for (int i = 0; i < 2; ++i) {
    double least = 1.0, most = 0.0;
    for (int k = 0; k < 20; ++k) {
      double e = first_restitution(baselines[i], 1e-2, 1.0 + 0.003 * k);
      least = fmin(least, e);
      most = fmax(most, e);
    }
    CHECK_AT_MOST(least, 0.2);
    CHECK_AT_MOST(0.8, most);
    CHECK_AT_MOST(most, 1.0 + 1e-9);
  }
}

// n'v+ = - a / (1 - a) n'v where the floor is met
static void the_weight_of_the_midpoint_is_a_restitution(void** state) {
  (void)state;
  for (double a = 0.0; a <= 0.5; a += 0.125) {
    ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
    ch_test_floor(world);
    int body = particle(world, still, ch_vec(0.0, -2.0, 0.0));
    ChSimulationOptions options = ch_test_exact_options("midpoint", 1e-3);
    options.midpoint = a;
    ChSimulation* s = ch_test_start(world, &options);
    ch_test_step(s);
    CHECK_NEAR(ch_simulation_body_at(s, body).velocity.y, 2.0 * a / (1.0 - a), 1e-12);
    ch_simulation_destroy(s);
  }
}

// --- whole worlds

// Bodies that spin, bounce off the floor and off each other, without friction.
static void I46_half_step_keeps_the_energy_of_a_world(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_ball(world, ch_vec(0.02 * k, 0.01 * k, 0.3 + 0.3 * k), 0.1, still);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef box = ch_shape_def_default();
  body.position = ch_vec(1.0, 0.0, 0.6);
  body.omega = ch_vec(3.0, -2.0, 1.0);
  box.type = CH_SHAPE_BOX;
  box.half = ch_vec(0.1, 0.2, 0.05);
  ch_test_body(world, &body, &box);
  ChSimulationOptions options = ch_test_exact_options("half-step", 2e-3);
  ChSimulation* s = ch_test_start(world, &options);
  double start = energy(ch_simulation_info(s)), worst = 0.0;
  int met = 0;
  for (int n = 0; n < 3000; ++n) {
    ChStepInfo info = ch_test_step(s);
    worst = fmax(worst, fabs(energy(info) - start));
    met += info.contacts > 0;
    assert_false(info.missed);
  }
  assert_true(met > 50);
  CHECK_AT_MOST(worst, 1e-8 * start);
  ch_simulation_destroy(s);
}

// Two-step is plastic, takes joints and rests: a box on the floor beside a pendulum.
static void two_step_rests_and_swings(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  int bob = ch_test_point(world, ch_vec(3.0, 0.0, 2.0), still, 1.0);
  ChJointDef hinge = ch_joint_def_default();
  hinge.type = CH_JOINT_HINGE;
  hinge.body[0] = CH_GROUND;
  hinge.body[1] = ch_body_id(bob);
  hinge.at = ch_vec(2.0, 0.0, 2.0);
  hinge.axis = ch_axis(1);
  ch_test_joint(world, &hinge);
  ChSimulationOptions options = ch_test_exact_options("two-step", 1e-3);
  ChSimulation* s = ch_test_start(world, &options);
  double start = energy(ch_simulation_info(s));
  for (int n = 0; n < 5000; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    CHECK_AT_MOST(info.joint_error, 1e-4);
    CHECK_NEAR(energy(info), start, 0.05 * g);  // of first order at the joint
    assert_int_equal(info.resting, 1);
  }
  CHECK_NEAR(ch_simulation_body_at(s, box).position.z, 0.1, 1e-12);
  ch_simulation_destroy(s);
}

// A ball of e = 0 falls, and lies where it fell; contacts close where a step ends, and the shortest step is h / 1024.
static void L1_trapezoidal_cuts_its_steps_at_collisions(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.6), 0.1, still);
  ChSimulationOptions options = ch_test_exact_options("trapezoidal", 1e-2);
  options.adaptive = true;
  options.gap_tolerance = 1e-6;
  ChSimulation* s = ch_test_start(world, &options);
  double shortest = 1.0;
  while (ch_simulation_time(s) < 1.0) {
    ChStepInfo info = ch_test_step(s);
    shortest = fmin(shortest, info.h);
    assert_true(info.gain == 0.0);
  }
  CHECK_AT_MOST(shortest, 1e-3);
  CHECK_NEAR(ch_simulation_body_at(s, ball).position.z, 0.1, 5e-5);
  CHECK_NEAR(ch_simulation_body_at(s, ball).velocity.z, 0.0, 1e-9);
  ch_simulation_destroy(s);
}

// --- oscillator (004 Fig 4.2)

// V = s (s - 1)^2 = s - 2 s^2 + s^3, s = |q|^2; a particle without shape, or one over the floor q_2 >= 0.
static ChSimulation* oscillator(const char* integrator, double h, ChVec3 at, double mu, bool floor, int* body) {
  ChWorld* world = ch_test_world(2, 0.0, mu, 0.0);
  if (floor) ch_test_floor(world);
  *body = floor ? particle(world, at, still) : free_particle(world, at, still);
  ChForceDef well = ch_force_def_default();
  well.type = CH_FORCE_WELL;
  well.body[0] = ch_body_id(*body);
  well.at[1] = ch_vec(0.0, floor ? 1.0 : 0.0, 0.0);
  well.well[0] = 1.0, well.well[1] = -2.0, well.well[2] = 1.0;
  ch_test_force(world, &well);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

static void I47_energy_is_bounded_without_friction(void** state) {
  (void)state;
  for (int floor = 0; floor < 2; ++floor) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      int body;
      double h = k == 0 ? 1e-2 : 5e-3;
      ChSimulation* s = oscillator("half-step", h, ch_vec(1.2, 1.0, 0.0), 0.0, floor, &body);
      double start = energy(ch_simulation_info(s)), early = 0.0, late = 0.0;
      int steps = 6000 << k;
      for (int n = 0; n < steps; ++n) {
        ChStepInfo info = ch_test_step(s);
        double* swing = n < steps / 2 ? &early : &late;
        *swing = fmax(*swing, fabs(energy(info) - start));
        assert_false(info.missed);
      }
      off[k] = fmax(early, late);
      CHECK_AT_MOST(off[k], 0.02 * start);
      if (!floor) CHECK_AT_MOST(late, 1.05 * early);  // no drift
      ch_simulation_destroy(s);
    }
    if (!floor) CHECK_NEAR(off[0] / off[1], 4.0, 0.3);  // the swing is O(h^2)
  }
}

// (4.51): d is the least of 1/2 d'M d - d'p + V(q + h d/2) over d_n >= 0, found here by looking around it.
static void B15_the_half_step_minimises_its_objective(void** state) {
  (void)state;
  const double h = 0.05;
  for (int k = 0; k < 12; ++k) {
    ChVec3 at = ch_vec(0.3 + 0.1 * k, 0.0, 0.0), v = ch_vec(0.2 * k - 1.0, -0.3 * k, 0.0);
    int body;
    ChSimulation* s = oscillator("half-step", h, at, 0.0, true, &body);
    ChContext context = {0};
    CHECK_OK(context, ch_simulation_set_velocity(&context, s, ch_body_id(body), v, still));
    assert_false(ch_test_step(s).missed);
    ChVec3 d = ch_scale(0.5, ch_add(v, ch_simulation_body_at(s, body).velocity));
    double best = 0.0, least = INFINITY;
    assert_true(d.y >= -1e-12);
    for (int look = 0; look <= 400; ++look) {
      ChVec3 e = d;
      if (look > 0) {
        double reach = pow(10.0, -1 - look % 5), turn = 0.7 * look;
        e = ch_add(d, ch_vec(reach * cos(turn), reach * sin(turn), 0.0));
      }
      ChVec3 q = ch_along(at, 0.5 * h, e);
      double r2 = ch_dot(q, q), value = 0.5 * ch_dot(e, e) - ch_dot(e, v) + r2 * (r2 - 1.0) * (r2 - 1.0);
      if (look == 0)
        best = value;
      else if (e.y >= 0.0)
        least = fmin(least, value);
    }
    CHECK_AT_MOST(best, least + 1e-12);
    ch_simulation_destroy(s);
  }
}

// Loss only in steps with a contact that slips; what is left does not depend on h.
static void I47_friction_takes_energy_only_where_something_slides(void** state) {
  (void)state;
  double left[2];
  for (int k = 0; k < 2; ++k) {
    int body;
    double h = k == 0 ? 4e-3 : 1e-3, lost = 0.0;
    ChSimulation* s = oscillator("half-step", h, ch_vec(1.2, 1.0, 0.0), 0.5, true, &body);
    double last = energy(ch_simulation_info(s)), start = last, elsewhere = 0.0;
    while (ch_simulation_time(s) < 6.0 - 0.5 * h) {
      ChStepInfo info = ch_test_step(s);
      int count;
      const ChContactView* contact = ch_simulation_contacts(s, &count);
      double friction = count > 0 ? fabs(contact[0].force.x) : 0.0, change = energy(info) - last;
      if (friction > 0.0)
        lost -= change;
      else
        elsewhere = fmax(elsewhere, fabs(energy(info) + lost - start));
      last = energy(info);
    }
    left[k] = last / start;
    CHECK_AT_MOST(elsewhere, 0.02 * start);  // the swing of the potential
    CHECK_AT_MOST(left[k], 0.5);
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(left[0], left[1], 0.05);
}

// --- orders

// Where a particle in the well is after one second.
static ChVec3 after(const char* integrator, double midpoint, double h) {
  ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
  int body = free_particle(world, ch_vec(0.6, 0.5, 0.0), ch_vec(0.3, -0.4, 0.0));
  ChForceDef well = ch_force_def_default();
  well.type = CH_FORCE_WELL;
  well.body[0] = ch_body_id(body);
  well.well[0] = 1.0, well.well[1] = -2.0, well.well[2] = 1.0;
  ch_test_force(world, &well);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  options.midpoint = midpoint;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 1.0 - 0.5 * h);
  ChVec3 at = ch_simulation_body_at(s, body).position;
  ch_simulation_destroy(s);
  return at;
}

static double order(const char* integrator, double midpoint) {
  ChVec3 at[3];
  for (int k = 0; k < 3; ++k) at[k] = after(integrator, midpoint, 0.01 / (1 << k));
  return log2(ch_norm(ch_sub(at[0], at[1])) / ch_norm(ch_sub(at[1], at[2])));
}

static void I48_orders(void** state) {
  (void)state;
  for (double a = 0.0; a <= 1.0; a += 0.25) CHECK_NEAR(order("midpoint", a), a == 0.5 ? 2.0 : 1.0, 0.1);
  static const char* const second[] = {"half-step", "trapezoidal", "implicit-midpoint", "newmark"};
  for (int k = 0; k < 4; ++k) CHECK_NEAR(order(second[k], 0.5), 2.0, 0.1);
  CHECK_NEAR(order("euler", 0.5), 1.0, 0.1);
  CHECK_NEAR(order("two-step", 0.5), 1.0, 0.1);  // its forces are those of a quarter of the step
}

// They converge to one motion.
static void integrators_agree_in_the_limit(void** state) {
  (void)state;
  ChVec3 exact = after("half-step", 0.5, 5e-4);
  for (int k = 0; k < ch_integrator_count(); ++k)
    CHECK_AT_MOST(ch_norm(ch_sub(after(ch_integrator_info(k).name, 0.25, 5e-4), exact)), 2e-3);
}

static void the_half_step_is_the_midpoint_at_one_half(void** state) {
  (void)state;
  ChVec3 a = after("half-step", 0.1, 0.01), b = after("midpoint", 0.5, 0.01);
  assert_memory_equal(&a, &b, sizeof a);
}

// The derivative that wells give to the step is that of their force, and the force that of their potential.
static void wells_have_the_derivatives_of_their_potential(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  int body = ch_test_point(world, ch_vec(0.9, -0.4, 0.5), still, 1.0);
  ChForceDef well = ch_force_def_default();
  well.type = CH_FORCE_WELL;
  well.body[0] = ch_body_id(body);
  well.at[1] = ch_vec(0.1, 0.2, -0.1);
  well.well[0] = 1.0, well.well[1] = -2.0, well.well[2] = 1.0;
  ch_test_force(world, &well);
  CHECK_OK(context, ch_world_seal(&context, world));
  ChForceCoupling coupling;
  assert_true(ch_force_derivatives(world, 0, world->states, 0.0, &coupling));
  const double d = 1e-6;
  double k[2][6], here[6];
  ch_forces_evaluate(world, world->states, 0.0, here);
  for (int a = 0; a < 3; ++a) {
    double V[2];
    for (int side = 0; side < 2; ++side) {
      ChBodyState moved = world->states[body];
      moved.position = ch_along(moved.position, side ? d : -d, ch_axis(a));
      V[side] = ch_forces_potential(world, &moved, 0.0);
      ch_forces_evaluate(world, &moved, 0.0, k[side]);
    }
    CHECK_NEAR(here[a], -(V[1] - V[0]) / (2.0 * d), 1e-8);
    for (int c = 0; c < 3; ++c) CHECK_NEAR(coupling.dkdq[0][0][6 * c + a], (k[1][c] - k[0][c]) / (2.0 * d), 1e-8);
  }
  ch_world_destroy(world);
}

// --- friction

// One half-step of a particle on the floor. alpha and f are taken from the answer; then f is what (4.52) and (4.53) ask
// for: the explicit form over the velocity at the end, the implicit one as a projection, for M = 1.
static void I50_explicit_and_implicit_friction_are_one(void** state) {
  (void)state;
  const double h = 0.01;
  for (int k = 0; k < 40; ++k) {
    double mu = 0.1 + 0.05 * (k % 8), vx = -1.0 + 0.1 * (k % 20), vy = -0.05 * (double)(k / 8) - 0.01;
    ChWorld* world = ch_test_world(2, g, mu, 0.0);
    ch_test_floor(world);
    int body = particle(world, still, ch_vec(vx, vy, 0.0));
    ChSimulationOptions options = ch_test_exact_options("half-step", h);
    ChSimulation* s = ch_test_start(world, &options);
    ChStepInfo info = ch_test_step(s);
    int count;
    const ChContactView* contact = ch_simulation_contacts(s, &count);
    assert_int_equal(count, 1);
    double side = contact[0].body[0] == body ? -1.0 : 1.0;
    double alpha = side * contact[0].force.y * h, f = side * contact[0].force.x * h;
    ChVec3 v = ch_simulation_body_at(s, body).velocity;
    assert_false(info.missed);
    CHECK_NEAR(v.y, vy - h * g + alpha, 1e-12);  // M (v+ - v) = h k + N alpha + f
    CHECK_NEAR(v.x, vx + f, 1e-12);
    CHECK_NEAR(alpha * (v.y + vy), 0.0, 1e-12);  // multiplier of N'd >= 0
    double most = mu * alpha;
    CHECK_NEAR(f * v.x, -most * fabs(v.x), 1e-11);       // (4.52): f'v+ is least over |f| <= mu alpha
    CHECK_NEAR(f, fmax(-most, fmin(most, -vx)), 1e-11);  // (4.53): -(v + h a + c)_T, into the disk
    CHECK_AT_MOST(f * 0.5 * (vx + v.x), 1e-12);          // and it dissipates
    ch_simulation_destroy(s);
  }
}

// The corrector of a two-step, of boxes that are pushed along the floor: with the friction of the answer given, the
// contact problem (4.66) has its velocity, whether it is solved as a quadratic programme, contact by contact in the
// impulses of its dual (4.69), or from the interior.
static void I50_primal_and_dual_corrector_of_the_two_step_agree(void** state) {
  (void)state;
  static const char* const methods[] = {"active-set", "nsgs", "ipm"};
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.4, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 3; ++k) ch_test_box(world, ch_vec(0.0, 0.0, 0.1 + 0.2 * k), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_test_exact_options("two-step", 1e-2);
  options.rest = false;
  ChSimulation* s = ch_test_start(world, &options);
  CHECK_OK(context,
           ch_simulation_set_velocity(&context, s, ch_body_id(2), ch_vec(1.0, 0.2, 0.0), ch_vec(0.0, 0.0, 1.0)));
  ch_test_step(s);
  ChProblem* problem;
  CHECK_OK(context, ch_simulation_problem(&context, s, &problem));
  double v[18], u[64], r[64], primal[18], f[18], w[64];
  assert_true(problem->dof == 18 && problem->rows <= 64);
  ChSolveInfo info;
  options.solve.method = "newton";
  CHECK_OK(context, ch_solve(&context, problem, &options.solve, v, u, r, &info));
  for (int k = 0; k < 18; ++k) f[k] = problem->f[k];
  for (int c = 0; c < problem->rows; ++c)
    for (int k = problem->H.start[c]; k < problem->H.start[c + 1] && c % 3 != 0; ++k)
      f[problem->H.index[k]] += problem->H.value[k] * r[c];
  ChProblem half = *problem;
  half.f = f;
  ChSolveOptions own = options.solve;
  own.pose = CH_POSE_FRICTIONLESS;
  for (int k = 0; k < 3; ++k) {
    own.method = methods[k];
    CHECK_OK(context, ch_solve(&context, &half, &own, primal, w, u, &info));
    for (int a = 0; a < 18; ++a) CHECK_NEAR(primal[a], v[a], 1e-7);
  }
  ch_problem_destroy(problem);
  ch_simulation_destroy(s);
}

// --- what the slides of 002 say of any h

// Largest speed of balls that fall through each other onto a floor, whatever the step.
static double fastest(double h, double until) {
  ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 5; ++k) ch_test_ball(world, ch_vec(0.05 * k, 0.03 * k, 0.2 + 0.25 * k), 0.1, still);
  ChJointDef ball = ch_joint_def_default();
  ball.type = CH_JOINT_BALL;
  ball.body[0] = CH_GROUND;
  ball.body[1] = ch_body_id(ch_test_ball(world, ch_vec(3.0, 0.0, 2.0), 0.1, still));
  ball.at = ch_vec(2.5, 0.0, 2.0);
  ch_test_joint(world, &ball);
  ChForceDef drag = ch_force_def_default();
  drag.type = CH_FORCE_DRAG;
  drag.body[0] = ball.body[1];
  drag.linear = 2.0;
  ch_test_force(world, &drag);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  double most = 0.0;
  int bodies = ch_world_body_count(ch_simulation_world(s));
  while (ch_simulation_time(s) < until) {
    ch_test_step(s);
    for (int b = 0; b < bodies; ++b) most = fmax(most, ch_norm(ch_simulation_body_at(s, b).velocity));
  }
  ch_simulation_destroy(s);
  return most;
}

// In spite of 1/h in the right-hand side: the fall of 2 m and what one step of gravity adds.
static void I20_any_fixed_step_is_stable(void** state) {
  (void)state;
  static const double h[] = {0.5, 0.1, 0.03, 0.01, 0.003};
  for (int k = 0; k < 5; ++k) CHECK_AT_MOST(fastest(h[k], 100.0 * h[k]), sqrt(2.0 * g * 2.0) + g * h[k]);
}

// M constant, plastic collisions, k = gravity + drag, joints: one bound for all h on a given time.
static void I21_velocities_are_bounded_for_all_h(void** state) {
  (void)state;
  for (double h = 0.02; h > 1e-3; h /= 2.0) CHECK_AT_MOST(fastest(h, 2.0), sqrt(2.0 * g * 1.5) + g * 0.02);
}

// h^2 k / m up to 1e8, damped: bounded and held, with Newton's method as with one pass.
static void I22_stiff_springs_are_stable_in_the_variational_steps(void** state) {
  (void)state;
  static const char* const names[] = {"half-step", "two-step"};
  for (int k = 0; k < 6; ++k) {
    double h = 0.01, stiffness = pow(10.0, 4 * (k % 3)) / (h * h);
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    int bob = ch_test_point(world, ch_vec(0.0, 0.0, 2.0), ch_vec(0.5, 0.0, 1.0), 1.0);
    ChForceDef spring = ch_force_def_default();
    spring.body[0] = CH_GROUND;
    spring.body[1] = ch_body_id(bob);
    spring.at[0] = ch_vec(0.0, 0.0, 3.0);
    spring.stiffness = stiffness;
    spring.damping = 0.5 * h * stiffness;
    ch_test_force(world, &spring);
    ChSimulationOptions options = ch_test_exact_options(names[k / 3], h);
    ChSimulation* s = ch_test_start(world, &options);
    for (int n = 0; n < 500; ++n) assert_false(ch_test_step(s).missed);
    CHECK_AT_MOST(ch_simulation_info(s).kinetic, 0.5 * 1.25 + 1e-3 * g);
    double length = ch_norm(ch_sub(ch_simulation_body_at(s, bob).position, ch_vec(0.0, 0.0, 3.0)));
    CHECK_NEAR(length, 1.0, 2e-2 + 3.0 * g / stiffness);
    ch_simulation_destroy(s);
  }
}

// --- what is around a step

// A run that is cut and goes on from what was saved is the run itself, with every integrator.
static ChSimulation* mixed_world(const char* integrator) {
  ChWorld* world = ch_test_world(3, g, 0.4, 0.0);
  const bool touches = strcmp(integrator, "fourth-order") != 0;
  const ChVec3 at[2] = {{0.0, 0.0, 0.25}, {0.5, 0.0, 0.12}}, speed = {0.5, 0.0, 0.0};
  if (touches) ch_test_floor(world);
  int a = touches ? ch_test_ball(world, at[0], 0.1, speed) : ch_test_point(world, at[0], speed, 1.0);
  int b = touches ? ch_test_box(world, at[1], ch_vec(0.1, 0.1, 0.1)) : ch_test_point(world, at[1], still, 2.0);
  ChForceDef spring = ch_force_def_default();
  spring.body[0] = ch_body_id(a);
  spring.body[1] = ch_body_id(b);
  spring.stiffness = 200.0;
  ch_test_force(world, &spring);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = integrator;
  options.adaptive = strcmp(integrator, "trapezoidal") == 0;
  return ch_test_start(world, &options);
}

static void every_integrator_goes_on_from_a_checkpoint_bit_for_bit(void** state) {
  (void)state;
  for (int k = 0; k < ch_integrator_count(); ++k) {
    ChContext context = {0};
    const char* name = ch_integrator_info(k).name;
    ChSimulation *whole = mixed_world(name), *cut = mixed_world(name), *resumed = mixed_world(name);
    for (int n = 0; n < 150; ++n) ch_test_step(whole);
    for (int n = 0; n < 90; ++n) ch_test_step(cut);
    size_t size;
    CHECK_OK(context, ch_simulation_save(&context, cut, NULL, &size));
    void* bytes = malloc(size);
    assert_non_null(bytes);
    CHECK_OK(context, ch_simulation_save(&context, cut, bytes, &size));
    CHECK_OK(context, ch_simulation_load(&context, resumed, bytes, size));
    for (int n = 0; n < 60; ++n) ch_test_step(resumed);
    for (int b = 0; b < ch_world_body_count(ch_simulation_world(whole)); ++b) {
      ChBodyView x = ch_simulation_body_at(whole, b), y = ch_simulation_body_at(resumed, b);
      assert_memory_equal(&x, &y, sizeof x);
    }
    free(bytes);
    ch_simulation_destroy(whole);
    ch_simulation_destroy(cut);
    ch_simulation_destroy(resumed);
  }
}

static void refused(ChWorld* world, const ChSimulationOptions* options, const char* word) {
  ChContext context = {0};
  ChSimulation* s;
  assert_int_not_equal(ch_simulation_create(&context, world, options, &s), CH_OK);
  assert_non_null(strstr(context.message, word));
}

static ChWorld* with_joint(void) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChJointDef ball = ch_joint_def_default();
  ball.type = CH_JOINT_BALL;
  ball.body[0] = CH_GROUND;
  ball.body[1] = ch_body_id(ch_test_point(world, still, still, 1.0));
  ch_test_joint(world, &ball);
  return world;
}

static ChWorld* with_shapes(void) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ch_test_floor(world);
  return world;
}

static void what_an_integrator_does_not_take_is_named(void** state) {
  (void)state;
  ChSimulationOptions options = ch_test_exact_options("midpoint", 1e-3);
  options.midpoint = 0.7;
  refused(with_joint(), &options, "joints");
  refused(with_shapes(), &options, "contacts");
  options.midpoint = NAN;
  refused(with_shapes(), &options, "midpoint");
  options = ch_test_exact_options("trapezoidal", 1e-3);
  refused(with_shapes(), &options, "adaptive");
  options = ch_test_exact_options("leapfrog", 1e-3);
  refused(with_shapes(), &options, "half-step");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(I46_half_step_keeps_the_energy_of_a_bouncing_particle),
      cmocka_unit_test(I46_restitution_depends_on_the_state_only_where_gaps_are_closed),
      cmocka_unit_test(I46_half_step_keeps_the_energy_of_a_world),
      cmocka_unit_test(the_weight_of_the_midpoint_is_a_restitution),
      cmocka_unit_test(two_step_rests_and_swings),
      cmocka_unit_test(L1_trapezoidal_cuts_its_steps_at_collisions),
      cmocka_unit_test(I47_energy_is_bounded_without_friction),
      cmocka_unit_test(B15_the_half_step_minimises_its_objective),
      cmocka_unit_test(I47_friction_takes_energy_only_where_something_slides),
      cmocka_unit_test(I48_orders),
      cmocka_unit_test(integrators_agree_in_the_limit),
      cmocka_unit_test(the_half_step_is_the_midpoint_at_one_half),
      cmocka_unit_test(wells_have_the_derivatives_of_their_potential),
      cmocka_unit_test(I50_explicit_and_implicit_friction_are_one),
      cmocka_unit_test(I50_primal_and_dual_corrector_of_the_two_step_agree),
      cmocka_unit_test(I20_any_fixed_step_is_stable),
      cmocka_unit_test(I21_velocities_are_bounded_for_all_h),
      cmocka_unit_test(I22_stiff_springs_are_stable_in_the_variational_steps),
      cmocka_unit_test(every_integrator_goes_on_from_a_checkpoint_bit_for_bit),
      cmocka_unit_test(what_an_integrator_does_not_take_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
