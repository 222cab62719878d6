// Deformable bodies in motion: what a free one keeps, closed forms of bars that spin, vibrate, hang and rest.
#include <stdlib.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "step/state.h"
#include "support/near.h"
#include "support/soft_points.h"
#include "support/soft_world.h"

static const double g = 9.81;

static double* modes_of(ChSimulation* s, int body) { return ch_state_modes(s->world, s->states, body); }
static double* rates_of(ChSimulation* s, int body) { return ch_state_rates(s->world, s->states, body); }

// A box of eight masses that spins about no principal axis, as fast as its modes are, and vibrates in all of them.
static ChSimulation* thrown_box(double h, double weight, double spin) {
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  const ChSoft* soft = ch_test_soft_box(world, ch_vec(0.3, 0.2, 0.1), 8.0, 12, 40.0 * spin, 400.0 * spin);
  int body = ch_test_soft_body(world, soft, ch_vec(0.0, 0.0, 0.0));
  world->states[body].velocity = ch_vec(1.0, -2.0, 3.0);
  world->states[body].omega = ch_scale(spin, ch_vec(3.0, 5.0, -4.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.deformation_weight = weight;
  ChSimulation* s = ch_test_start(world, &options);
  for (int a = 0; a < soft->modes; ++a) rates_of(s, body)[a] = a % 2 ? 0.4 : -0.3;
  s->info.kinetic = ch_kinetic_energy(s->world, s->states);
  return s;
}

// Momentum and energy of a body on which nothing acts, over 1e5 steps at the default h: all to round-off.
static void L7_free_body_keeps_momenta_and_energy(void** state) {
  (void)state;
  ChSimulation* s = thrown_box(1e-3, 0.5, 1.0);
  ChVec3 L = ch_test_soft_spin(s, 0), v = s->states[0].velocity;
  double start = ch_test_energy(s), worst = 0.0, turned = 0.0;
  for (int k = 0; k < 100000; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_true(info.gain == 0.0 && !info.missed);
    worst = fmax(worst, fabs(ch_test_energy(s) - start) / start);
    turned = fmax(turned, ch_norm(ch_sub(ch_test_soft_spin(s, 0), L)) / ch_norm(L));
  }
  CHECK_AT_MOST(worst, 1e-12);
  CHECK_AT_MOST(turned, 1e-12);
  CHECK_AT_MOST(ch_norm(ch_sub(s->states[0].velocity, v)), 1e-14);
  ch_simulation_destroy(s);
}

static ChVec3 place_of(const ChSimulation* s, int vertex) {
  ChVec3 y = ch_soft_vertex(s->world->bodies[0].soft, vertex, ch_state_modes(s->world, s->states, 0));
  return ch_frame_point(ch_state_frame(s->states, 0), y);
}

// Where a corner of the thrown box is after 0.2 s.
static ChVec3 corner_after(double h, double weight) {
  ChSimulation* s = thrown_box(h, weight, 1.0);
  ch_test_run(s, 0.2 - 0.5 * h);
  ChVec3 at = place_of(s, 5);
  ch_simulation_destroy(s);
  return at;
}

// Errors fall with h^2 at weight 1/2, with h elsewhere.
static void free_motion_is_of_second_order(void** state) {
  (void)state;
  for (int first = 0; first < 2; ++first) {
    double weight = first ? 0.6 : 0.5;
    const double h = 1e-4;
    ChVec3 a = corner_after(h, weight), b = corner_after(0.5 * h, weight), c = corner_after(0.25 * h, weight);
    double ratio = ch_norm(ch_sub(a, b)) / ch_norm(ch_sub(b, c));
    CHECK_NEAR(ratio, first ? 2.0 : 4.0, first ? 0.3 : 0.1);
  }
}

// A larger weight takes energy out, never puts any in, and leaves momenta alone.
static void weight_above_half_damps(void** state) {
  (void)state;
  ChSimulation* s = thrown_box(1e-3, 0.7, 1.0);
  ChVec3 L = ch_test_soft_spin(s, 0);
  double last = ch_test_energy(s), start = last;
  for (int k = 0; k < 2000; ++k) {
    ch_test_step(s);
    CHECK_AT_MOST(ch_test_energy(s), last * (1.0 + 1e-13));
    last = ch_test_energy(s);
  }
  CHECK_AT_MOST(last, 0.99 * start);
  CHECK_AT_MOST(ch_norm(ch_sub(ch_test_soft_spin(s, 0), L)) / ch_norm(L), 1e-12);
  ch_simulation_destroy(s);
}

// The frame turns by two radian a step.
static void fast_spin_is_followed(void** state) {
  (void)state;
  ChSimulation* s = thrown_box(1e-2, 0.5, 30.0);
  ChVec3 L = ch_test_soft_spin(s, 0);
  double start = ch_test_energy(s);
  for (int k = 0; k < 200; ++k) ch_test_step(s);
  CHECK_AT_MOST(ch_norm(ch_sub(ch_test_soft_spin(s, 0), L)) / ch_norm(L), 1e-12);
  CHECK_NEAR(ch_test_energy(s) / start, 1.0, 1e-11);
  ch_simulation_destroy(s);
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// Masses m at (+-l, 0, 0) on a spring of frequency `omega`, and at (0, +-b, 0), fixed to the frame.
static ChSoft* cross(ChWorld* world, double m, double l, double b, double omega) {
  const ChVec3 at[4] = {{l, 0, 0}, {-l, 0, 0}, {0, b, 0}, {0, -b, 0}}, shape[4] = {{1, 0, 0}, {-1, 0, 0}};
  const double mass[4] = {m, m, m, m};
  return ch_test_soft(
      world,
      &(ChSoftPoints){.count = 4, .at = at, .mass = mass, .modes = 1, .shape = shape, .frequency = (double[]){omega}});
}

static ChSimulation* start_soft(ChWorld* world, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  return ch_test_start(world, &options);
}

// Spinning at w the arm is y = l omega^2 / (omega^2 - w^2) long, and swings about that with
// omega^2 - w^2 + 4 w^2 y^2 / (y^2 + b^2) = frequency^2, its angular momentum being kept.
static void F2_spinning_bar_stretches_and_stiffens(void** state) {
  (void)state;
  double m = 0.5, l = 1.0, b = 0.3, omega = 30.0, w = 10.0, y = l * omega * omega / (omega * omega - w * w);
  double expected = sqrt(omega * omega - w * w + 4.0 * w * w * y * y / (y * y + b * b));
  for (int swing = 0; swing < 2; ++swing) {
    double h = 1e-4, scale = sqrt(2.0 * m), amplitude = swing ? 1e-4 : 0.0;
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    int body = ch_test_soft_body(world, cross(world, m, l, b, omega), ch_vec(0, 0, 0));
    world->states[body].omega = ch_vec(0.0, 0.0, w);
    ChSimulation* s = start_soft(world, h);
    double rest = scale * (y - l), sign = modes_of(s, body)[0] >= 0.0 ? 1.0 : -1.0;
    modes_of(s, body)[0] = sign * rest;
    rates_of(s, body)[0] = amplitude;
    int crossings = 0;
    double last = 0.0, first = 0.0, end = 0.0;
    for (int k = 0; k < 20000; ++k) {
      double before = modes_of(s, body)[0] - rest;
      ch_test_step(s);
      double now = modes_of(s, body)[0] - rest;
      last = fmax(last, fabs(now));
      if (!(before < 0.0 && now >= 0.0)) continue;
      end = ch_simulation_time(s) - h * now / (now - before);
      if (crossings++ == 0) first = end;
    }
    if (swing)
      CHECK_NEAR(2.0 * M_PI * (crossings - 1) / (end - first), expected, 1e-4 * expected);
    else
      CHECK_AT_MOST(last, 1e-12);
    ch_simulation_destroy(s);
  }
}

// Three masses on the axis z, bent alike in x and in y with frequency `omega`, in a frame that spins about z at w: seen
// from the frame, bending turns at omega - w one way round and omega + w the other. The coupling C and the Coriolis and
// centrifugal parts of dT/dq make this, all of them at once.
static void F2_bending_modes_of_a_spinning_shaft_split(void** state) {
  (void)state;
  enum { POINTS = 7 };
  double l = 0.5, r = 0.4, omega = 60.0, w = 12.0, eps = 1e-5, h = 1e-4;
  const ChVec3 at[POINTS] = {{0, 0, l}, {0, 0, 0}, {0, 0, -l}, {r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}};
  const double mass[POINTS] = {1, 2, 1, 1, 1, 1, 1}, frequency[2] = {omega, omega};
  const ChVec3 shape[2 * POINTS] = {[0] = {1, 0, 0},      [1] = {-1, 0, 0},          [2] = {1, 0, 0},
                                    [POINTS] = {0, 1, 0}, [POINTS + 1] = {0, -1, 0}, [POINTS + 2] = {0, 1, 0}};
  for (int way = -1; way <= 1; way += 2) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    const ChSoft* soft = ch_test_soft(
        world,
        &(ChSoftPoints){.count = POINTS, .at = at, .mass = mass, .modes = 2, .shape = shape, .frequency = frequency});
    int body = ch_test_soft_body(world, soft, ch_vec(0, 0, 0));
    world->states[body].omega = ch_vec(0.0, 0.0, w);
    ChSimulation* s = start_soft(world, h);
    double rate = way * omega - w * soft->C2[3 + 2], turned = 0.0;
    modes_of(s, body)[0] = eps;
    rates_of(s, body)[1] = eps * rate;
    for (int k = 0; k < 10000; ++k) {
      double x = modes_of(s, body)[0], y = modes_of(s, body)[1];
      ch_test_step(s);
      double u = modes_of(s, body)[0], v = modes_of(s, body)[1];
      turned += atan2(x * v - y * u, x * u + y * v);
      CHECK_NEAR(hypot(u, v), eps, 1e-4 * eps);
    }
    CHECK_NEAR(fabs(soft->C2[3 + 2]), 1.0, 1e-12);
    CHECK_NEAR(turned / ch_simulation_time(s), rate, 1e-4 * omega);
    ch_simulation_destroy(s);
  }
}

// The midpoint rule turns an oscillator by 2 atan(omega h / 2) a step and keeps its amplitude.
static void B21_oscillator_has_the_frequency_of_the_midpoint_rule(void** state) {
  (void)state;
  double omega = 200.0, h = 5e-3, phase = 2.0 * atan(0.5 * omega * h);
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  int body = ch_test_soft_body(world, cross(world, 1.0, 1.0, 1.0, omega), ch_vec(0, 0, 0));
  ChSimulation* s = start_soft(world, h);
  modes_of(s, body)[0] = 0.01;
  for (int k = 1; k <= 1000; ++k) {
    ch_test_step(s);
    CHECK_NEAR(modes_of(s, body)[0], 0.01 * cos(k * phase), 1e-13);
  }
  ch_simulation_destroy(s);
}

// --- clamped bodies --------------------------------------------------------------------------------------------------

static ChSoft* hung(ChWorld* world, double alpha, double beta) {
  const ChVec3 at[2] = {{1, 0.2, 0}, {2, -0.2, 0.1}}, shape[4] = {{0, 0, 1}, {0, 0, 2.5}, {0, 1, 0.3}, {1, 0, -0.2}};
  const double mass[2] = {1.0, 0.5}, frequency[2] = {20.0, 3000.0};
  return ch_test_soft(world, &(ChSoftPoints){.count = 2,
                                             .at = at,
                                             .mass = mass,
                                             .modes = 2,
                                             .shape = shape,
                                             .frequency = frequency,
                                             .clamped = true,
                                             .alpha = alpha,
                                             .beta = beta});
}

// A clamped body hangs through by K^-1 S'g, whatever h is; its frame does not move.
static void clamped_body_hangs_at_its_static_deflection(void** state) {
  (void)state;
  const double steps[3] = {1e-3, 1e-2, 1e-1};
  for (int k = 0; k < 3; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    const ChSoft* soft = hung(world, 20.0, 1e-4);
    int body = ch_test_soft_body(world, soft, ch_vec(0, 0, 1));
    ChSimulation* s = start_soft(world, steps[k]);
    for (int step = 0; step < 20000; ++step) assert_true(ch_test_step(s).gain == 0.0);
    for (int a = 0; a < 2; ++a) {
      double wanted = -g * soft->S[2 * 2 + a] / soft->K0[a * 2 + a];
      CHECK_NEAR(modes_of(s, body)[a], wanted, 1e-12 * fabs(wanted));
      CHECK_AT_MOST(fabs(rates_of(s, body)[a]), 1e-12);
    }
    ChBodyView view = ch_simulation_body_at(s, body);
    assert_true(view.position.z == 1.0 && view.position.x == 0.0 && view.orientation.w == 1.0);
    ch_simulation_destroy(s);
  }
}

// Without damping a clamped body keeps its energy, gravity's included.
static void clamped_body_keeps_its_energy(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_soft_body(world, hung(world, 0.0, 0.0), ch_vec(0, 0, 0));
  ChSimulation* s = start_soft(world, 1e-3);
  for (int k = 0; k < 10000; ++k) {
    ch_test_step(s);
    CHECK_NEAR(ch_test_energy(s), 0.0, 1e-12);
  }
  ch_simulation_destroy(s);
}

// --- what is kept and poked ------------------------------------------------------------------------------------------

// A checkpoint holds amplitudes and rates: who loads it goes on bit for bit.
static void checkpoint_of_a_soft_body_goes_on_bit_for_bit(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *one = thrown_box(1e-3, 0.5, 1.0), *two = thrown_box(1e-3, 0.5, 1.0);
  for (int k = 0; k < 13; ++k) ch_test_step(two);
  for (int k = 0; k < 57; ++k) ch_test_step(one);
  size_t size = 0;
  CHECK_OK(context, ch_simulation_save(&context, one, NULL, &size));
  void* bytes = malloc(size);
  CHECK_OK(context, ch_simulation_save(&context, one, bytes, &size));
  CHECK_OK(context, ch_simulation_load(&context, two, bytes, size));
  for (int k = 0; k < 100; ++k) ch_test_step(one), ch_test_step(two);
  assert_memory_equal(one->states, two->states, ch_world_state_bytes(one->world));
  int count;
  assert_memory_equal(ch_simulation_modes(one, ch_body_id(0), &count), modes_of(two, 0), 12 * sizeof(double));
  assert_int_equal(count, 12);
  double last = modes_of(two, 0)[11];
  modes_of(two, 0)[11] = NAN;
  CHECK_OK(context, ch_simulation_save(&context, two, bytes, &size));
  assert_int_equal(ch_simulation_load(&context, one, bytes, size), CH_ERR_FORMAT);
  modes_of(two, 0)[11] = last;
  free(bytes);
  ch_simulation_destroy(one);
  ch_simulation_destroy(two);
}

// Amplitudes and rates that are set are those of the next step's beginning; what is not finite changes nothing.
static void modes_are_set(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *one = thrown_box(1e-3, 0.5, 1.0), *two = thrown_box(1e-3, 0.5, 1.0);
  for (int k = 0; k < 20; ++k) ch_test_step(one);
  double q[12], rates[12], energy = ch_simulation_info(one).kinetic + ch_simulation_info(one).potential;
  int count;
  memcpy(q, ch_simulation_modes(one, ch_body_id(0), &count), sizeof q);
  memcpy(rates, ch_simulation_rates(one, ch_body_id(0), &count), sizeof rates);
  ChBodyView view = ch_simulation_body_at(one, 0);
  CHECK_OK(context, ch_simulation_set_body(&context, two, ch_body_id(0), &view));
  CHECK_OK(context, ch_simulation_set_modes(&context, two, ch_body_id(0), q, rates));
  CHECK_NEAR(ch_simulation_info(two).kinetic + ch_simulation_info(two).potential, energy, 1e-9 * fabs(energy));
  ch_test_step(one), ch_test_step(two);
  for (int k = 0; k < 12; ++k) CHECK_NEAR(modes_of(two, 0)[k], modes_of(one, 0)[k], 1e-12);
  memcpy(q, modes_of(two, 0), sizeof q);
  rates[3] = NAN;
  assert_int_equal(ch_simulation_set_modes(&context, two, ch_body_id(0), rates, NULL), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_modes(&context, two, ch_body_id(7), q, NULL), CH_ERR_RANGE);
  assert_memory_equal(modes_of(two, 0), q, sizeof q);
  ch_simulation_destroy(one);
  ch_simulation_destroy(two);
}

// A push at a vertex gives exactly its linear and angular momentum, and the energy of impulse times mean speed.
static void push_at_a_vertex_gives_its_momentum(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = thrown_box(1e-3, 0.5, 1.0);
  for (int k = 0; k < 20; ++k) ch_test_step(s);
  ChVec3 at = place_of(s, 3), impulse = ch_vec(0.3, -0.2, 0.5), v = s->states[0].velocity;
  ChVec3 L = ch_test_soft_spin(s, 0), centre = s->states[0].position;
  CHECK_OK(context, ch_simulation_push(&context, s, ch_body_id(0), impulse, ch_along(at, 1e-3, ch_axis(0))));
  ChVec3 gained = ch_sub(ch_test_soft_spin(s, 0), L), wanted = ch_cross(ch_sub(at, centre), impulse);
  CHECK_AT_MOST(ch_norm(ch_sub(ch_scale(8.0, ch_sub(s->states[0].velocity, v)), impulse)), 1e-13);
  CHECK_AT_MOST(ch_norm(ch_sub(gained, wanted)), 1e-13);
  ch_simulation_destroy(s);
}

// Pulled by a vertex a clamped body comes to rest where K q = S'g + U'f, f the spring's force at that vertex.
static void pull_bends_a_clamped_body_as_a_spring_would(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  const ChSoft* soft = hung(world, 20.0, 1e-4);
  int body = ch_test_soft_body(world, soft, ch_vec(0, 0, 0));
  ChSimulation* s = start_soft(world, 1e-3);
  const ChGrip grip = ch_grip_default();
  ChVec3 target = ch_vec(2.1, 0.1, 0.4);
  double k = soft->mass * pow(2.0 * M_PI * grip.frequency, 2.0), gradient[2];
  for (int step = 0; step < 4000; ++step) {
    CHECK_OK(context, ch_simulation_pull(&context, s, ch_body_id(body), ch_along(soft->skin.rest[1], 1e-3, ch_axis(2)),
                                         target, &grip));
    ch_test_step(s);
  }
  ChVec3 f = ch_scale(k, ch_sub(target, place_of(s, 1)));
  ChSkinPoint point = {.count = 1, .vertex = {1}, .weight = {1.0}};
  ch_skin_gradients(s->world, s->states, body, &point, 1, &f, gradient);
  for (int a = 0; a < 2; ++a) {
    double load = gradient[a] - g * soft->S[2 * 2 + a];
    CHECK_NEAR(soft->K0[a * 2 + a] * modes_of(s, body)[a], load, 5e-2 * ch_norm(f));
  }
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(L7_free_body_keeps_momenta_and_energy),
      cmocka_unit_test(free_motion_is_of_second_order),
      cmocka_unit_test(weight_above_half_damps),
      cmocka_unit_test(fast_spin_is_followed),
      cmocka_unit_test(F2_spinning_bar_stretches_and_stiffens),
      cmocka_unit_test(F2_bending_modes_of_a_spinning_shaft_split),
      cmocka_unit_test(B21_oscillator_has_the_frequency_of_the_midpoint_rule),
      cmocka_unit_test(clamped_body_hangs_at_its_static_deflection),
      cmocka_unit_test(clamped_body_keeps_its_energy),
      cmocka_unit_test(checkpoint_of_a_soft_body_goes_on_bit_for_bit),
      cmocka_unit_test(modes_are_set),
      cmocka_unit_test(push_at_a_vertex_gives_its_momentum),
      cmocka_unit_test(pull_bends_a_clamped_body_as_a_spring_would),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
