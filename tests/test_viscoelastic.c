// Viscoelastic bodies (requirement L14): Maxwell arms beside the elastic law, integrated by their own closed form. Bars
// in creep, relaxation and cyclic loading, the ledger of what is stored and lost, steps of any length.
#include <stdlib.h>
#include <string.h>

#include "model/soft/soft_arms.h"
#include "support/near.h"
#include "support/same_bits.h"
#include "support/soft_points.h"
#include "support/soft_world.h"

static double* modes_of(const ChSimulation* s, int body) { return ch_state_modes(s->world, s->states, body); }
static double* stretches_of(const ChSimulation* s, int body) { return ch_state_stretches(s->world, s->states, body); }

// A mass of 1 kg on a spring along x, `omega`^2 its stiffness, with these arms.
static int add_mass(ChWorld* world, double omega, int arms, const double* share, const double* time) {
  const ChVec3 at = {0.0, 0.0, 0.0}, along = {1.0, 0.0, 0.0};
  const double mass = 1.0;
  ChSoft* soft = ch_test_soft(
      world,
      &(ChSoftPoints){
          .count = 1, .at = &at, .mass = &mass, .modes = 1, .shape = &along, .frequency = &omega, .clamped = true});
  soft->arms = arms;
  for (int k = 0; k < arms; ++k) soft->arm_share[k] = share[k], soft->arm_time[k] = time[k];
  return ch_test_soft_body(world, soft, at);
}

static void pull_along_x(ChWorld* world, ChSignal pull) {
  ChContext context = {0};
  const ChSignal gravity[3] = {pull};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
}

static ChSimulation* start(ChWorld* world, double h, double weight) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.deformation_weight = weight;
  return ch_test_start(world, &options);
}

// --- one mode --------------------------------------------------------------------------------------------------------

// Moved at a constant rate from rest, an arm holds tau u (1 - exp(-t / tau)), in one step or in many, for steps far
// shorter and far longer than tau; its work is what it holds and what it lost.
static void L14_arms_follow_constant_rates_exactly(void** state) {
  (void)state;
  const double times[] = {1e-9, 1e-2, 1.0, 30.0, 1e9}, u = 0.7;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  const double share = 2.0;
  for (int k = 0; k < 5; ++k) {
    int body = add_mass(world, 3.0, 1, &share, &times[k]);
    const ChSoft* soft = world->bodies[body].soft;
    for (int parts = 1; parts <= 100; parts *= 10) {
      double z = 0.0, work = 0.0, heat = 0.0, h = 1.0 / parts;
      for (int n = 0; n < parts; ++n) {
        double load = 0.0, damping = 0.0;
        ch_soft_arms_resist(soft, h, 0.5, &z, &load, &damping);
        work += h * u * (load + damping * u);
        double lost = ch_soft_arms_heat(soft, h, &u, &z);
        CHECK_AT_MOST(0.0, lost + 1e-15 * work);
        heat += lost;
        ch_soft_arms_move(soft, h, &u, &z);
      }
      CHECK_NEAR(z / (-times[k] * u * expm1(-1.0 / times[k])), 1.0, 1e-12);
      CHECK_NEAR((heat + ch_soft_arms_energy(soft, &z)) / work, 1.0, 1e-13);
    }
  }
  ch_world_destroy(world);
}

// Under a pull of one frequency W the mass swings with |q| = g / |K E* - W^2|, and loses pi K E'' |q|^2 a cycle, where
//   E' = 1 + sum s (W tau)^2 / (1 + (W tau)^2),   E'' = sum s W tau / (1 + (W tau)^2),   loss tangent E'' / E'.
static void L14_loss_tangent_over_frequency(void** state) {
  (void)state;
  enum { CYCLE = 400, LAST = 4 };
  const double share[] = {1.0, 0.5}, time[] = {0.1, 0.01}, omega = 40.0;
  for (double W = 2.0; W <= 128.0; W *= 4.0) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    int body = add_mass(world, omega, 2, share, time);
    pull_along_x(world, (ChSignal){.amplitude = 1.0, .frequency = W / (2.0 * M_PI)});
    double h = 2.0 * M_PI / (W * CYCLE), heat = 0.0, sine = 0.0, cosine = 0.0;
    ChSimulation* s = start(world, h, 0.5);
    ch_test_run(s, ceil(3.0 * W / (2.0 * M_PI)) * CYCLE * h - 0.5 * h);  // 3 s and more: what rang at first is gone
    for (int n = 0; n < LAST * CYCLE; ++n) {
      heat += ch_test_step(s).heat / LAST;
      sine += 2.0 * modes_of(s, body)[0] * sin(W * ch_simulation_time(s)) / (LAST * CYCLE);
      cosine += 2.0 * modes_of(s, body)[0] * cos(W * ch_simulation_time(s)) / (LAST * CYCLE);
    }
    double kept = 1.0, lost = 0.0, square = sine * sine + cosine * cosine, K = omega * omega;
    for (int k = 0; k < 2; ++k) {
      double x = W * time[k], part = share[k] * x / (1.0 + x * x);
      kept += part * x;
      lost += part;
    }
    CHECK_NEAR(square * (pow(K * kept - W * W, 2.0) + pow(K * lost, 2.0)), 1.0, 1e-3);
    CHECK_NEAR(heat / (M_PI * K * lost * square), 1.0, 1e-3);
    CHECK_NEAR(heat / (M_PI * K * kept * square), lost / kept, 1e-3 * lost / kept);
    ch_simulation_destroy(s);
  }
}

// However long the step beside frequency and relaxation times, energy only falls, by what became heat at weight 1/2 and
// by no less above.
static void L14_steps_of_any_length_are_stable(void** state) {
  (void)state;
  const double share[] = {3.0, 100.0, 0.1}, time[] = {1e-5, 1e-2, 50.0};
  for (int first = 0; first < 2; ++first)
    for (double h = 1e-3; h <= 100.0; h *= 10.0) {
      ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
      int body = add_mass(world, 50.0, 3, share, time);
      ChSimulation* s = start(world, h, first ? 1.0 : 0.5);
      modes_of(s, body)[0] = 1.0;
      ch_state_rates(s->world, s->states, body)[0] = -20.0;
      double last = ch_test_energy(s), began = last;
      for (int n = 0; n < 300; ++n) {
        double heat = ch_test_step(s).heat, now = ch_test_energy(s);
        CHECK_AT_MOST(-1e-13 * began, heat);
        CHECK_AT_MOST(now + heat, last + 1e-12 * began);
        if (!first) CHECK_NEAR(now + heat, last, 1e-12 * began);
        last = now;
      }
      ch_simulation_destroy(s);
    }
}

// --- bars ------------------------------------------------------------------------------------------------------------

enum { BAR_MODES = 16 };
static const double bar_young = 1e9, bar_share = 0.8, bar_time = 0.1, ramp = 0.2;

// Along x from -0.5 to 0.5 m, clamped at its lower end, 1000 kg/m^3.
static int add_bar(ChWorld* world, ChSoftKind kind, bool clamped, int modes) {
  ChBar bar = ch_bar(kind, clamped, modes);
  bar.def.young = bar_young;
  bar.def.poisson = 0.0;
  bar.def.beta = 1e-4;
  bar.def.arm_count = 1;
  bar.def.arms[0] = (ChMaxwellArm){bar_share * bar_young, bar_time};
  ChBodyDef def = ch_body_def_default();
  return ch_test_bar_body(world, &bar, &def);
}

static int vertex_at(const ChSoft* soft, ChVec3 at) {
  int best = 0;
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    if (ch_norm(ch_sub(soft->skin.rest[v], at)) < ch_norm(ch_sub(soft->skin.rest[best], at))) best = v;
  return best;
}

// A pull that grows linearly to g in `ramp` seconds and stays: the end creeps by rho g L^2 / 2E times the mean of
//   J(t) = 1 - s / (1 + s) exp(-t / (tau (1 + s)))      over the last `ramp` seconds.
static void L14_a_bar_creeps_under_its_weight(void** state) {
  (void)state;
  const double table[] = {0.0, 0.0, ramp, 10.0}, slow = bar_time * (1.0 + bar_share), h = 2e-4;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, true, BAR_MODES);
  pull_along_x(world, (ChSignal){.table_count = 2, .table = table});
  ChSimulation* s = start(world, h, 0.5);
  const ChSoft* soft = s->world->bodies[bar].soft;
  int end = vertex_at(soft, ch_vec(0.5, 0.0, 0.0));
  const double* U = soft->skin.shape + 3L * end * BAR_MODES;
  double whole = 0.0;
  for (int a = 0; a < BAR_MODES; ++a) whole += U[a] * soft->S[a] * 10.0 / soft->K0[a * (BAR_MODES + 1)];
  CHECK_NEAR(whole / (1000.0 * 10.0 / (2.0 * bar_young)), 1.0, 0.04);  // that many modes of the bar
  for (int k = 1; k <= 8; ++k) {
    double t = ramp + 0.1 * k;
    ch_test_run(s, t - 0.5 * h);
    double mean = slow / ramp * (exp(-(t - ramp) / slow) - exp(-t / slow));
    double moved = ch_soft_vertex(soft, end, modes_of(s, bar)).x - soft->skin.rest[end].x;
    CHECK_NEAR(moved / whole, 1.0 - bar_share / (1.0 + bar_share) * mean, 2e-3);
  }
  ch_simulation_destroy(s);
}

// A hand draws the end out by 1 mm in `ramp` seconds and holds it. Its force falls to what the elastic law asks for,
//   F(t) / F = 1 + s tau / T (exp(-(t - T) / tau) - exp(-t / tau)),   T the ramp.
static void L14_the_force_on_a_held_bar_relaxes(void** state) {
  (void)state;
  const double table[] = {0.0, 0.0, ramp, 1e-3}, h = 2e-4;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, true, BAR_MODES);
  ChBodyDef hand = ch_body_def_default();
  hand.kind = CH_BODY_KINEMATIC;
  hand.position = ch_vec(0.5, 0.0, 0.0);
  hand.motion[0] = (ChSignal){.table_count = 2, .table = table};
  ChJointDef weld = ch_test_joint_def(CH_JOINT_FIXED, ch_test_body(world, &hand, NULL), bar, hand.position);
  weld.reach = 0.04;
  ChJointId joint = ch_test_joint(world, &weld);
  ChSimulation* s = start(world, h, 0.5);
  double force[6], work = 0.0, heat = 0.0;
  for (int k = 0; k < 6; ++k) {
    double t = ramp + 0.1 * (k < 5 ? k + 1 : 20);
    while (ch_simulation_time(s) < t - 0.5 * h) {
      ChStepInfo info = ch_test_step(s);
      work += info.work, heat += info.heat;
    }
    force[k] = ch_simulation_joint(s, joint).force.x;
  }
  for (int k = 0; k < 5; ++k) {
    double t = ramp + 0.1 * (k + 1);
    double more = bar_share * bar_time / ramp * (exp(-(t - ramp) / bar_time) - exp(-t / bar_time));
    CHECK_NEAR(force[k] / force[5], 1.0 + more, 2e-3);
  }
  CHECK_NEAR(work, heat + ch_test_energy(s), 2e-3 * work);  // what the hand gave is stored or lost
  ch_simulation_destroy(s);
}

// --- whole bodies ----------------------------------------------------------------------------------------------------

// Thrown, spinning and bent far, with either law: momenta stay, and energy falls by the heat of every step, to
// round-off.
static void L14_free_bodies_lose_what_became_heat(void** state) {
  (void)state;
  for (int kind = CH_SOFT_MODAL; kind <= CH_SOFT_STVK; ++kind) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    ChBar bar = ch_bar(kind, false, 8);
    bar.def.arm_count = 2;
    bar.def.arms[0] = (ChMaxwellArm){5e6, 0.02}, bar.def.arms[1] = (ChMaxwellArm){2e6, 1.0};
    ChBodyDef def = ch_body_def_default();
    def.velocity = ch_vec(1.0, 2.0, 0.0);
    def.omega = ch_vec(1.0, 3.0, -2.0);
    int body = ch_test_bar_body(world, &bar, &def);
    ChSimulation* s = start(world, 1e-3, 0.5);
    for (int a = 0; a < 8; ++a) ch_state_rates(s->world, s->states, body)[a] = a % 2 ? 0.4 : -0.5;
    ChVec3 L = ch_test_soft_spin(s, body);
    double began = ch_test_energy(s), last = began, heat = 0.0;
    for (int n = 0; n < 1000; ++n) {
      double lost = ch_test_step(s).heat, now = ch_test_energy(s);
      CHECK_NEAR(now + lost, last, 1e-11 * began);
      heat += lost, last = now;
    }
    CHECK_AT_MOST(0.5, heat);
    CHECK_AT_MOST(ch_norm(ch_sub(ch_test_soft_spin(s, body), L)), 1e-12 * ch_norm(L));
    ch_simulation_destroy(s);
  }
}

static ChSimulation* two_blocks(void) {
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 2; ++k) {
    ChBar bar = ch_bar(CH_SOFT_STVK, false, 8);
    bar.length = 0.2, bar.width = 0.2, bar.height = 0.2, bar.along = 2;
    bar.def.young = 2e5;
    bar.def.arm_count = 1 + k;
    bar.def.arms[0] = (ChMaxwellArm){1e5, 0.03}, bar.def.arms[1] = (ChMaxwellArm){1e5, 0.3};
    ChBodyDef def = ch_body_def_default();
    def.position = ch_vec(0.5 * k, 0.0, 0.12);
    ch_test_bar_body(world, &bar, &def);
  }
  return start(world, 2e-3, 0.5);
}

// Blocks fall on a floor, gain nothing, and a checkpoint goes on bit for bit, stretches and all.
static void L14_checkpoints_hold_stretches(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *one = two_blocks(), *two = two_blocks();
  assert_int_equal(one->world->stretch_count, 8 + 16);
  for (int k = 0; k < 60; ++k) {
    ChStepInfo info = ch_test_step(one);
    assert_false(info.missed);
    CHECK_AT_MOST(info.gain, 1e-6);
  }
  assert_true(stretches_of(one, 2)[15] != 0.0);
  size_t size = 0;
  char* bytes = ch_saved(one, &size);
  CHECK_OK(context, ch_simulation_load(&context, two, bytes, size));
  for (int k = 0; k < 40; ++k) ch_test_step(one), ch_test_step(two);
  ch_check_same_bits(one, two);
  free(bytes);
  bytes = ch_saved(one, &size);
  stretches_of(two, 1)[3] = NAN;
  char* wrong = ch_saved(two, &size);
  assert_int_equal(ch_simulation_load(&context, one, wrong, size), CH_ERR_FORMAT);
  free(bytes), free(wrong);
  ch_simulation_destroy(one);
  ch_simulation_destroy(two);
}

// Where a body goes the stretches of the others stay.
static void stretches_stay_with_their_bodies(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = two_blocks();
  for (int k = 0; k < 60; ++k) ch_test_step(s);
  double kept[16], amplitudes[8];
  memcpy(kept, stretches_of(s, 2), sizeof kept);
  memcpy(amplitudes, modes_of(s, 2), sizeof amplitudes);
  CHECK_OK(context, ch_simulation_remove_body(&context, s, ch_world_body_at(s->world, 1)));
  assert_memory_equal(kept, stretches_of(s, 1), sizeof kept);
  assert_memory_equal(amplitudes, modes_of(s, 1), sizeof amplitudes);
  ChBodyDef def = ch_body_def_default();
  ChShapeDef ball = ch_shape_def_default();
  ball.type = CH_SHAPE_SPHERE, ball.radius = 0.1;
  def.position = ch_vec(0.0, 0.0, 3.0);
  CHECK_OK(context, ch_simulation_add_body(&context, s, &def, 1, &ball, NULL));
  assert_memory_equal(kept, stretches_of(s, 1), sizeof kept);
  ch_test_step(s);
  ch_simulation_destroy(s);
}

static void wrong_arms_are_refused(void** state) {
  (void)state;
  const struct {
    int count;
    ChMaxwellArm arm;
    const char* says;
  } wrong[] = {{-1, {1e5, 1.0}, "at most 16"}, {CH_ARMS_MAX + 1, {1e5, 1.0}, "at most 16"},
               {1, {-1.0, 1.0}, "arm 1"},      {1, {1e5, 0.0}, "time > 0"},
               {1, {NAN, 1.0}, "finite"},      {1, {1e5, INFINITY}, "finite"}};
  const ChVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int tet[4] = {0, 1, 2, 3};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    ChContext context = {0};
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    ChBodyDef body = ch_body_def_default();
    ChSoftDef def = ch_soft_def_default();
    def.vertex_count = 4, def.vertices = corners, def.tet_count = 1, def.tets = tet;
    def.arm_count = wrong[k].count, def.arms[0] = wrong[k].arm;
    int id = ch_test_body(world, &body, NULL);
    assert_int_not_equal(ch_world_add_soft(&context, world, ch_body_id(id), &def, NULL), CH_OK);
    if (!strstr(context.message, wrong[k].says)) fail_msg("'%s' should say '%s'", context.message, wrong[k].says);
    ch_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(L14_arms_follow_constant_rates_exactly),
      cmocka_unit_test(L14_loss_tangent_over_frequency),
      cmocka_unit_test(L14_steps_of_any_length_are_stable),
      cmocka_unit_test(L14_a_bar_creeps_under_its_weight),
      cmocka_unit_test(L14_the_force_on_a_held_bar_relaxes),
      cmocka_unit_test(L14_free_bodies_lose_what_became_heat),
      cmocka_unit_test(L14_checkpoints_hold_stretches),
      cmocka_unit_test(stretches_stay_with_their_bodies),
      cmocka_unit_test(wrong_arms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
