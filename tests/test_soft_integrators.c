// Deformable bodies, modal and St. Venant-Kirchhoff, with every integrator (requirements B13, B15, B24, F2, F3, L13).
#include <string.h>

#include "step/state.h"
#include "support/near.h"
#include "support/soft_world.h"

static const double g = 9.81;
static const ChSoftKind kinds[] = {CH_SOFT_MODAL, CH_SOFT_STVK};
static const char* const second[] = {"half-step", "trapezoidal", "implicit-midpoint", "newmark", "two-step"};
enum { SECOND = sizeof second / sizeof *second };

// A rubber bar in the air, 1 m long, that spins and vibrates.
static ChSimulation* thrown(ChSoftKind kind, const char* integrator, double h) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChBar bar = ch_bar(kind, false, 8);
  ChBodyDef def = ch_body_def_default();
  def.position = ch_vec(0.0, 0.0, 5.0);
  def.omega = ch_vec(0.5, 4.0, 1.0);
  int body = ch_test_bar_body(world, &bar, &def);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = integrator;
  options.h = h;
  if (strcmp(integrator, "trapezoidal") == 0) options.adaptive = CH_ADAPTIVE_GAP, options.gap_tolerance = 1e-3;
  ChSimulation* s = ch_test_start(world, &options);
  ch_state_rates(s->world, s->states, body)[0] = 0.5;
  return s;
}

static void free_bodies_keep_momenta_and_energy_with_every_integrator(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < SECOND; ++i) {
      ChSimulation* s = thrown(kinds[k], second[i], 1e-3);
      const ChVec3 L = ch_test_soft_spin(s, 0);
      const double start = ch_test_energy(s);
      for (int n = 0; n < 500; ++n) assert_false(ch_test_step(s).missed);
      CHECK_NEAR(ch_test_energy(s), start, 1e-10 * start);
      CHECK_NEAR(ch_norm(ch_sub(ch_test_soft_spin(s, 0), L)), 0.0, 1e-11 * ch_norm(L));
      ch_simulation_destroy(s);
    }
}

static ChVec3 corner_after(ChSoftKind kind, const char* integrator, double h) {
  ChSimulation* s = thrown(kind, integrator, h);
  ch_test_run(s, 0.02 - 0.5 * h);
  ChVec3 y = ch_soft_vertex(s->world->bodies[0].soft, 0, ch_state_modes(s->world, s->states, 0));
  ChVec3 at = ch_frame_point(ch_state_frame(s->states, 0), y);
  ch_simulation_destroy(s);
  return at;
}

static void their_order_is_two(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < SECOND; ++i) {
      ChVec3 at[3];
      for (int n = 0; n < 3; ++n) at[n] = corner_after(kinds[k], second[i], 1e-4 / (1 << n));
      CHECK_NEAR(log2(ch_norm(ch_sub(at[0], at[1])) / ch_norm(ch_sub(at[1], at[2]))), 2.0, 0.15);
    }
}

static void L13_five_half_steps_are_of_fourth_order(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 2e-3 : 2e-4;
    ChVec3 exact = corner_after(kinds[k], "fourth-order", h / 8.0);
    double coarse = ch_norm(ch_sub(corner_after(kinds[k], "fourth-order", h), exact));
    double fine = ch_norm(ch_sub(corner_after(kinds[k], "fourth-order", 0.5 * h), exact));
    CHECK_NEAR(log2(coarse / fine), 4.0, 0.3);
  }
}

// A bar that falls onto two balls without friction. In the half-step every contact bounces, n'd >= 0 in the mean of old
// and new rates, and what bends takes part in it: all energy is kept, but for what of it turns (M^ is linearised).
static double bounced(ChSoftKind kind, double h, int* met) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  for (int k = -1; k <= 1; k += 2) {
    ChBodyDef ball = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    ball.kind = CH_BODY_FIXED;
    ball.position = ch_vec(0.3 * k, 0.0, 0.0);
    shape.type = CH_SHAPE_SPHERE, shape.radius = 0.1;
    ch_test_body(world, &ball, &shape);
  }
  ChBar bar = ch_bar(kind, false, 8);
  ChBodyDef def = ch_body_def_default();
  def.position = ch_vec(0.02, 0.0, 0.3);
  ch_test_bar_body(world, &bar, &def);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = "half-step";
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  const double start = ch_test_energy(s);
  double worst = 0.0;
  *met = 0;
  while (ch_simulation_time(s) < 0.4 - 0.5 * h) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    *met += info.contacts > 0;
    worst = fmax(worst, fabs(ch_test_energy(s) - start) / start);
  }
  ch_simulation_destroy(s);
  return worst;
}

static void B15_elastic_contact_keeps_the_energy_of_what_bends(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    int met;
    double coarse = bounced(kinds[k], 1e-3, &met), fine = bounced(kinds[k], 2.5e-4, &met);
    assert_true(met > 2);
    CHECK_AT_MOST(coarse, k == 0 ? 1e-4 : 5e-3);
    CHECK_AT_MOST(fine, 0.5 * coarse);
  }
}

static void midpoints_beyond_one_half_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChBar bar = ch_bar(CH_SOFT_MODAL, false, 6);
  ChBodyDef def = ch_body_def_default();
  ch_test_bar_body(world, &bar, &def);
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = "midpoint";
  options.midpoint = 0.75;
  ChSimulation* s;
  assert_int_not_equal(ch_simulation_create(&context, world, &options, &s), CH_OK);
  assert_non_null(strstr(context.message, "deformable"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_keep_momenta_and_energy_with_every_integrator),
      cmocka_unit_test(their_order_is_two),
      cmocka_unit_test(L13_five_half_steps_are_of_fourth_order),
      cmocka_unit_test(B15_elastic_contact_keeps_the_energy_of_what_bends),
      cmocka_unit_test(midpoints_beyond_one_half_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
