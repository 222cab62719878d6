// Laws of mechanics with closed forms, held to the engine.
#include "base/vector.h"
#include "step/rotation.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

// Euler's equations: the midpoint rule with Cayley's map keeps energy and momentum.
static void free_spin_keeps_energy_and_momentum(void** state) {
  (void)state;
  ChMat3 J = {{{1.0, 0.1, 0.0}, {0.1, 2.0, 0.2}, {0.0, 0.2, 2.5}}};
  ChVec3 w = {0.3, 5.0, 0.1};
  ChQuat q = ch_quat_identity();
  double energy = ch_dot(w, ch_mat_apply(&J, w)), h = 1e-2;
  ChVec3 momentum = ch_mat_apply(&J, w);
  for (int k = 0; k < 1000000; ++k) {
    ChVec3 next = ch_free_spin(&J, w, h);
    q = ch_turn(q, ch_scale(0.5, ch_add(w, next)), h);
    w = next;
  }
  ChVec3 end = ch_rotate(q, ch_mat_apply(&J, w));
  CHECK_NEAR(ch_dot(w, ch_mat_apply(&J, w)) / energy, 1.0, 1e-9);
  CHECK_NEAR(ch_norm(ch_sub(end, momentum)) / ch_norm(momentum), 0.0, 1e-9);
}

// h_n = e^(2n) h, first order in the step
static void bouncing_ball_loses_e_squared_each_time(void** state) {
  (void)state;
  double e = 0.8, error[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.0, e);
    ch_test_floor(world);
    int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 1.1), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = k == 0 ? 1e-3 : 5e-4;
    ChSimulation* s = ch_test_start(world, &options);
    double top = 0.0, last = 1.0, rises = 0;
    error[k] = 0.0;
    while (rises < 3) {
      ch_test_run(s, ch_simulation_time(s) + options.h);
      ChBodyView body = ch_simulation_body(s, ball);
      double height = body.position.z - 0.1;
      if (body.velocity.z > 0.0) top = fmax(top, height);
      if (body.velocity.z < 0.0 && top > 0.0) {
        double miss = fabs(top / last - e * e);
        error[k] = fmax(error[k], miss);
        last = top;
        top = 0.0;
        ++rises;
      }
    }
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(error[0], 0.0, 0.02);
  assert_true(error[1] < 0.75 * error[0] + 1e-4);
}

// A ball thrown along the floor rolls at 5/7 v0 from t = 2 v0 / (7 mu g) on.
static void sliding_ball_rolls_at_five_sevenths(void** state) {
  (void)state;
  double mu = 0.3, v0 = 2.0;
  ChWorld* world = ch_test_world(3, g, mu, 0.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, ch_vec(v0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double t = 2.0 * v0 / (7.0 * mu * g);
  ch_test_run(s, 0.5 * t);
  CHECK_NEAR(ch_simulation_body(s, ball).velocity.x, v0 - mu * g * ch_simulation_time(s), 1e-9);
  ch_test_run(s, 0.95 * t);
  ChBodyView sliding = ch_simulation_body(s, ball);
  assert_true(sliding.velocity.x - 0.1 * sliding.omega.y > 1e-3);
  ch_test_run(s, t + 0.05);
  ChBodyView rolling = ch_simulation_body(s, ball);
  CHECK_NEAR(rolling.velocity.x, 5.0 / 7.0 * v0, 1e-9);
  CHECK_NEAR(rolling.omega.y * 0.1, 5.0 / 7.0 * v0, 1e-9);
  ch_simulation_destroy(s);
}

static void cradle(ChRestitution law, double gap, const double expected[3]) {
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 1.0);
  int ball[3];
  for (int k = 0; k < 3; ++k)
    ball[k] = ch_test_ball(world, ch_vec(k == 0 ? -0.05 : (k - 1) * (0.2 + gap) + 0.2, 0.0, 0.0), 0.1,
                           ch_vec(k == 0 ? 1.0 : 0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.restitution = law;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.1);
  double momentum = 0.0;
  for (int k = 0; k < 3; ++k) {
    CHECK_NEAR(ch_simulation_body(s, ball[k]).velocity.x, expected[k], 1e-8);
    momentum += ch_simulation_body(s, ball[k]).velocity.x;
  }
  CHECK_NEAR(momentum, 1.0, 1e-12);
  ch_simulation_destroy(s);
}

static void newtons_cradle_touching_and_a_hair_apart(void** state) {
  (void)state;
  const double touching[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, apart[3] = {0.0, 0.0, 1.0};
  for (int law = 0; law < 2; ++law) {
    cradle((ChRestitution)law, 0.0, touching);
    cradle((ChRestitution)law, 1e-6, apart);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_spin_keeps_energy_and_momentum),
                                     cmocka_unit_test(bouncing_ball_loses_e_squared_each_time),
                                     cmocka_unit_test(sliding_ball_rolls_at_five_sevenths),
                                     cmocka_unit_test(newtons_cradle_touching_and_a_hair_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
