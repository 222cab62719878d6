// Static above dynamic friction in time, against closed forms: a block on a slope, a block that a spring holds on a
// belt, one that a spring pulls, and one that slips steadily on its Stribeck curve.
#include <math.h>

#include "base/vector.h"
#include "cardhouse/scene.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81, STICKS = 0.6, SLIPS = 0.4, K = 100.0;

static ChFrictionCurve at_once(void) { return (ChFrictionCurve){.count = 1, .share = {SLIPS / STICKS}}; }

// A block of 1 kg that does not turn, on ground that moves with `speed` along x; gravity leans by `slope`.
static ChWorld* block_on_ground(int dimension, const ChFrictionCurve* curve, double speed, double slope) {
  ChWorld* world = ch_test_world(dimension, G, STICKS, 0.0);
  ChContext context = {0};
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = STICKS, material.curve = *curve;
  const ChMaterialId id = ch_test_material(world, &material);
  ChSignal gravity[3] = {{.base = G * sin(slope)}};
  gravity[dimension - 1].base = -G * cos(slope);
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  ChBodyDef ground = ch_body_def_default(), block = ch_body_def_default();
  ChShapeDef flat = ch_shape_def_default(), box = ch_shape_def_default();
  ground.kind = CH_BODY_KINEMATIC, ground.motion[0].rate = speed;
  flat.material = box.material = id;
  flat.type = dimension == 3 ? CH_SHAPE_HALFSPACE : CH_SHAPE_HALFPLANE;
  flat.normal = dimension == 3 ? ch_vec(0.0, 0.0, 1.0) : ch_vec(0.0, 1.0, 0.0);
  box.type = dimension == 3 ? CH_SHAPE_BOX : CH_SHAPE_RECTANGLE,
  box.half = ch_vec(0.1, 0.1, dimension == 3 ? 0.1 : 0.0);
  block.position = dimension == 3 ? ch_vec(0.0, 0.0, 0.1) : ch_vec(0.0, 0.1, 0.0);
  block.mass = 1.0, block.locks = dimension == 3 ? CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ : CH_LOCK_RZ;
  block.velocity.x = speed;
  ch_test_body(world, &ground, &flat);
  ch_test_body(world, &block, &box);
  return world;
}

static ChSimulation* start(ChWorld* world, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  return ch_test_start(world, &options);
}

static ChSimulation* block_on_belt(int dimension, const ChFrictionCurve* curve, double speed, double h) {
  ChWorld* world = block_on_ground(dimension, curve, speed, 0.0);
  ChForceDef spring = ch_force_def_default();
  const double height = 0.1;
  spring.type = CH_FORCE_SPRING, spring.stiffness = K;
  spring.body[0] = CH_GROUND, spring.body[1] = ch_body_id(1);
  spring.at[0] = dimension == 3 ? ch_vec(-10.0, 0.0, height) : ch_vec(-10.0, height, 0.0);
  ch_test_force(world, &spring);
  return start(world, h);
}

// What the contact with the largest load does.
static bool sticks(const ChSimulation* s) {
  int count = 0, heaviest = 0;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  for (int k = 0; k < count; ++k)
    if (ch_dot(contacts[k].force, contacts[k].normal) > ch_dot(contacts[heaviest].force, contacts[heaviest].normal))
      heaviest = k;
  assert_true(count > 0 && contacts[heaviest].branch != CH_BRANCH_NONE);
  return contacts[heaviest].branch == CH_BRANCH_STICK;
}

// It holds up to tan a = mu_s, and beyond sets off with g (sin a - mu_d cos a).
static void a_slope_holds_to_the_static_and_slides_with_the_dynamic_coefficient(void** state) {
  (void)state;
  const ChFrictionCurve curve = at_once();
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int side = 0; side < 2; ++side) {
      const double slope = atan(STICKS) * (side ? 1.001 : 0.999), end = 0.2, h = 1e-3;
      ChSimulation* s = start(block_on_ground(dimension, &curve, 0.0, slope), h);
      const ChStepInfo info = ch_test_run(s, end);
      const double speed = ch_simulation_body_at(s, 1).velocity.x;
      CHECK_NEAR(speed, side ? G * (sin(slope) - SLIPS * cos(slope)) * end : 0.0, 1e-7);
      CHECK_AT_MOST(info.certificate.natural, 1e-8);
      assert_true(sticks(s) == (side == 0));
      ch_simulation_destroy(s);
    }
}

typedef struct Swing {
  double low, high;  // where the block has been
} Swing;

// Steps of h until it does the other thing, or for `most` seconds where that is finite. How long that took.
static double run_phase(ChSimulation* s, bool sticking, double h, double most, Swing* swing) {
  const double begun = ch_simulation_time(s);
  ChSimulationOptions options = *ch_simulation_options(s);
  options.h = h;
  ch_test_set_options(s, &options);
  for (int step = 0; step < 20000; ++step) {
    const double before = ch_simulation_time(s);
    if (before - begun >= most) return before - begun;
    ch_test_step(s);
    const double x = ch_simulation_body_at(s, 1).position.x;
    swing->low = fmin(swing->low, x), swing->high = fmax(swing->high, x);
    if (sticks(s) != sticking) return before - begun;
  }
  fail_msg("after %g s it still does the same", ch_simulation_time(s) - begun);
  return 0.0;
}

// Long steps for most of the time that it is expected to stick.
static double stick_phase(ChSimulation* s, double expected, double h, Swing* swing) {
  const double most = 0.985 * expected;
  const double first = run_phase(s, true, fmax(most / 200.0, h), most, swing);
  return first + run_phase(s, true, h, INFINITY, swing);
}

// With w = sqrt(k / m) and D = (mu_s - mu_d) m g / k the block sticks for 2 D / V and slips for 2 (pi - atan(D w / V))
// / w, and swings by sqrt(D^2 + (V / w)^2) about mu_d m g / k. Of first order in the step: 1 % at a thousand steps a
// slip.
static void a_belt_makes_it_stick_and_slip_with_the_period_of_its_closed_form(void** state) {
  (void)state;
  const double w = sqrt(K), D = (STICKS - SLIPS) * G / K, middle = SLIPS * G / K;
  const ChFrictionCurve curve = at_once();
  for (int k = 0; k <= 6; ++k) {
    const double speed = D * w * pow(10.0, -2.5 + 0.5 * k), swing = hypot(D, speed / w);
    const double stick = 2.0 * D / speed, slip = 2.0 / w * (acos(-1.0) - atan(D * w / speed));
    const double h = slip / (k < 4 ? 1000.0 : 2000.0);
    ChSimulation* s = block_on_belt(2 + k % 2, &curve, speed, h);
    Swing all = {INFINITY, -INFINITY}, whole = all;
    stick_phase(s, STICKS * G / K / speed, h, &all);
    run_phase(s, false, h, INFINITY, &all);
    const double stuck = stick_phase(s, stick, h, &whole), slipped = run_phase(s, false, h, INFINITY, &whole);
    CHECK_NEAR(stuck + slipped, stick + slip, 0.01 * (stick + slip));
    CHECK_NEAR(slipped, slip, 0.01 * slip);
    CHECK_NEAR(whole.high, middle + swing, 0.005 * swing);
    CHECK_NEAR(whole.low, middle - swing, 0.01 * swing);
    ch_simulation_destroy(s);
  }
}

// A spring whose end is drawn at V pulls a block: it moves on when k V t = mu_s m g, in jumps of 2 (mu_s - mu_d) m g /
// k where V is small.
static void a_spring_that_is_drawn_moves_it_in_jumps(void** state) {
  (void)state;
  const ChFrictionCurve curve = at_once();
  const double V = 0.02, D = (STICKS - SLIPS) * G / K, h = 1e-3;
  ChWorld* world = block_on_ground(2, &curve, 0.0, 0.0);
  ChBodyDef hand = ch_body_def_default();
  hand.kind = CH_BODY_KINEMATIC, hand.position = ch_vec(5.0, 0.1, 0.0), hand.motion[0].rate = V;
  ch_test_body(world, &hand, NULL);
  ChForceDef spring = ch_force_def_default();
  spring.type = CH_FORCE_SPRING, spring.stiffness = K;
  spring.body[0] = ch_body_id(1), spring.body[1] = ch_body_id(2);
  ch_test_force(world, &spring);
  ChSimulation* s = start(world, h);
  double at[4], jump[4];
  bool stuck = true;
  for (int jumps = 0; jumps < 3;) {
    ch_test_step(s);
    const bool now = sticks(s);
    const double x = ch_simulation_body_at(s, 1).position.x;
    if (stuck && !now) at[jumps] = ch_simulation_time(s), jump[jumps] = -x;
    if (!stuck && now) jump[jumps++] += x;
    stuck = now;
  }
  const double slip = 2.0 / sqrt(K) * (acos(-1.0) - atan(D * sqrt(K) / V));
  CHECK_NEAR(at[0], STICKS * G / K / V, 2.0 * h);
  for (int k = 1; k < 3; ++k) {
    CHECK_NEAR(at[k] - at[k - 1], 2.0 * D / V + slip, 0.02 * (2.0 * D / V));
    CHECK_NEAR(jump[k], 2.0 * D + V * slip, 0.02 * 2.0 * D);
  }
  ch_simulation_destroy(s);
}

// On a belt of constant speed V a block with a damper settles where the spring holds mu(V) m g: every point of the
// curve.
static void on_its_curve_it_slips_with_the_friction_of_its_speed(void** state) {
  (void)state;
  const ChFrictionCurve curve = {.count = 3, .speed = {0.0, 0.1, 0.5}, .share = {1.0, 0.5, 0.8}};
  const double speeds[] = {0.05, 0.1, 0.3, 0.5, 2.0};
  for (int k = 0; k < 5; ++k) {
    ChWorld* world = block_on_ground(2 + k % 2, &curve, speeds[k], 0.0);
    const double height = 0.1;
    ChForceDef spring = ch_force_def_default();
    spring.type = CH_FORCE_SPRING, spring.stiffness = K, spring.damping = 80.0;
    spring.body[0] = CH_GROUND, spring.body[1] = ch_body_id(1);
    spring.at[0] = k % 2 ? ch_vec(-10.0, 0.0, height) : ch_vec(-10.0, height, 0.0);
    ch_test_force(world, &spring);
    ChSimulation* s = start(world, 5e-3);
    const ChStepInfo info = ch_test_run(s, 20.0);
    CHECK_NEAR(ch_simulation_body_at(s, 1).position.x, STICKS * ch_friction_share(&curve, speeds[k]) * G / K, 1e-6);
    CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.x, 0.0, 1e-6);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
    if (sticks(s)) fail_msg("at %g m/s it sticks", speeds[k]);
    ch_simulation_destroy(s);
  }
}

// The built-in scene, whose block may tip and whose belt is a box: the same period.
static void the_built_in_scene_has_the_period_of_its_closed_form(void** state) {
  (void)state;
  const double speed = 0.1, w = sqrt(K), D = (STICKS - SLIPS) * G / K, h = 1e-3;
  const double period = 2.0 * D / speed + 2.0 / w * (acos(-1.0) - atan(D * w / speed));
  const char* const parameters[][2] = {{"speed", "0.1"}};
  const ChSceneChoice choice = {.parameter_count = 1, .parameters = parameters};
  ChContext context = {0};
  ChScene* scene;
  ChSimulation* s;
  CHECK_OK(context, ch_scene_open_with(&context, "stick-slip", &choice, &scene));
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &s));
  scene->world = NULL;
  double last = 0.0, begun[3];
  for (int count = 0; count < 3;) {
    ch_test_step(s);
    const double x = ch_simulation_body(s, ch_world_find_body(ch_simulation_world(s), "block")).velocity.x;
    if (x < 0.5 * speed && last >= 0.5 * speed) begun[count++] = ch_simulation_time(s);
    last = x;
  }
  CHECK_NEAR(begun[2] - begun[1], period, 0.01 * period + h);
  ch_simulation_destroy(s);
  ch_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slope_holds_to_the_static_and_slides_with_the_dynamic_coefficient),
      cmocka_unit_test(a_belt_makes_it_stick_and_slip_with_the_period_of_its_closed_form),
      cmocka_unit_test(a_spring_that_is_drawn_moves_it_in_jumps),
      cmocka_unit_test(on_its_curve_it_slips_with_the_friction_of_its_speed),
      cmocka_unit_test(the_built_in_scene_has_the_period_of_its_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
