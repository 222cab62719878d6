// Facts about bodies that sink out below and come back above: the ledger knows what that takes, nobody comes back into
// another one, and a run that is taken up again goes on bit for bit.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/contact.h"
#include "cardhouse/recirculation.h"
#include "cardhouse/scene.h"
#include "support/near.h"

#define BALL "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]"

static ChSimulation* simulate(const char* text) {
  ChContext context = {0};
  ChScene* scene = NULL;
  ChSimulation* simulation = NULL;
  CHECK_OK(context, ch_scene_parse(&context, text, "scene.json", &scene));
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &simulation));
  scene->world = NULL;
  ch_scene_destroy(scene);
  return simulation;
}

static ChStepInfo step(ChSimulation* s) {
  ChContext context = {0};
  ChStepInfo info;
  CHECK_OK(context, ch_simulation_step(&context, s, &info));
  return info;
}

// A ball that falls without end: energy rises by nothing but the work of lifting it, m g times the height less what it
// had from its fall, and explicit gravity's m (g h)^2 / 2 a step, which leaves at once with the velocity.
static void lifting_is_work(void** state) {
  (void)state;
  ChSimulation* s = simulate(
      "{\"cardhouse\": 1, \"step\": {\"h\": 0.001}, \"recirculate\": {\"below\": -1, \"at\": [0, 0, 1], \"radius\": "
      "0.3},"
      " \"bodies\": [{\"name\": \"ball\", \"mass\": 2, \"position\": [0, 0, 1], " BALL "}]}");
  double total = 2.0 * 9.81, came = 0.0;
  for (int k = 0; k < 3000; ++k) {
    ChStepInfo before = ch_simulation_info(s), info = step(s);
    assert_true(info.gain == 0.0 && !info.missed);
    double drift = info.kinetic + info.potential - before.kinetic - before.potential - info.work;
    assert_true(fabs(drift) <= 2.0 * 9.81 * 9.81 * 1e-6);
    total += info.work + drift;
    came += info.recirculated;
    if (info.recirculated == 0) continue;
    ChVec3 at = ch_simulation_body_at(s, 0).position;
    CHECK_NEAR(info.kinetic, 0.0, 0.0);
    CHECK_NEAR(info.potential, 2.0 * 9.81, 1e-12);
    assert_true(at.z == 1.0 && hypot(at.x, at.y) <= 0.3);
  }
  CHECK_NEAR(total, ch_simulation_info(s).kinetic + ch_simulation_info(s).potential, 1e-9);
  assert_true(came == 4.0);  // 3 s of falls by 2 m, 0.6386 s each
  assert_int_equal(ch_simulation_recirculated(s), 4);
  ch_simulation_destroy(s);
}

// A narrow inlet takes one body at a time: the others wait below until it has room.
static void nobody_comes_back_into_another(void** state) {
  (void)state;
  ChSimulation* s = simulate(
      "{\"cardhouse\": 1, \"step\": {\"h\": 0.001}, \"recirculate\": {\"below\": 0, \"at\": [0, 0, 3], \"radius\": "
      "1e-3},"
      " \"bodies\": [{\"name\": \"ball\", \"copies\": [0, 0, 0.01, 0.3, 0, 0.01, 0.6, 0, 0.01], " BALL "}]}");
  int most = 0;
  for (int k = 0; k < 1000; ++k) {
    ChStepInfo info = step(s);
    if (info.recirculated > most) most = info.recirculated;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) {
        ChVec3 d = ch_sub(ch_simulation_body_at(s, a).position, ch_simulation_body_at(s, b).position);
        assert_true(ch_norm(d) >= 0.2);
      }
  }
  assert_int_equal(most, 1);
  assert_true(ch_simulation_recirculated(s) >= 3);
  ch_simulation_destroy(s);
}

// Balls that roll down a slope and fall off it, without end: half way the state goes to another simulation.
static void a_run_that_is_taken_up_goes_on_bit_for_bit(void** state) {
  (void)state;
  const char* text =
      "{\"cardhouse\": 1, \"step\": {\"h\": 0.002}, \"recirculate\": {\"below\": -2, \"at\": [-0.3, 0, 1], \"radius\": "
      "0.4}, \"bodies\": [{\"name\": \"slope\", \"fixed\": true, \"orientation\": {\"axis\": [0, 1, 0], \"degrees\": "
      "30},"
      " \"shapes\": [{\"type\": \"box\", \"half\": [1, 1, 0.05]}]}, {\"name\": \"ball\", \"copies\": [0, 0, 0.3, 0.3, "
      "0, 0.3, 0, 0.3, 0.5, -0.3, 0, 0.5, 0.2, -0.3, 0.4, -0.4, 0.3, 0.6], " BALL "}]}";
  ChContext context = {0};
  ChSimulation *one = simulate(text), *two = simulate(text);
  for (int k = 0; k < 1000; ++k) step(one);
  long before = ch_simulation_recirculated(one);
  assert_true(before > 0);
  size_t size;
  CHECK_OK(context, ch_simulation_save(&context, one, NULL, &size));
  void* bytes = malloc(size);
  CHECK_OK(context, ch_simulation_save(&context, one, bytes, &size));
  CHECK_OK(context, ch_simulation_load(&context, two, bytes, size));
  free(bytes);
  assert_int_equal(ch_simulation_recirculated(two), before);
  int contacts = 0;
  for (int k = 0; k < 1000; ++k) {
    ChStepInfo a = step(one), b = step(two);
    assert_true(a.work == b.work && a.recirculated == b.recirculated && !a.missed);
    contacts += a.contacts;
  }
  assert_true(contacts > 0 && ch_simulation_recirculated(one) > before);
  for (int b = 0; b < ch_world_body_count(ch_simulation_world(one)); ++b) {
    ChBodyView now[2] = {ch_simulation_body_at(one, b), ch_simulation_body_at(two, b)};
    assert_memory_equal(&now[0], &now[1], sizeof now[0]);
  }
  ch_simulation_destroy(one);
  ch_simulation_destroy(two);
}

static void refused(const char* keys, const char* why) {
  char text[600];
  snprintf(text, sizeof text, "{\"cardhouse\": 1, %s, \"bodies\": [{\"name\": \"ball\", " BALL "}]}", keys);
  ChContext context = {0};
  ChScene* scene = NULL;
  assert_int_not_equal(ch_scene_parse(&context, text, "scene.json", &scene), CH_OK);
  if (!strstr(context.message, why)) fail_msg("'%s' does not say '%s'", context.message, why);
}

static void what_cannot_be_is_refused(void** state) {
  (void)state;
  refused("\"recirculate\": {\"below\": 0, \"at\": [0, 0, 0], \"radius\": 1}", "below is 0 m, must be lower than");
  refused("\"recirculate\": {\"below\": 0, \"at\": [0, 0, 1], \"radius\": 0}", "$.recirculate.radius");
  refused("\"recirculate\": {\"below\": 0, \"radius\": 1}", "at");
  refused("\"periodic\": {\"z\": [0, 4]}, \"recirculate\": {\"below\": 0, \"at\": [0, 0, 1], \"radius\": 1}",
          "is periodic along its height");
  const char* const poured[][2] = {{"outlet", "4"}};
  const char* const wide[][2] = {{"outlet", "50"}, {"packing", "random"}};
  ChContext context = {0};
  char* text = NULL;
  assert_int_equal(ch_scene_builtin(&context, "pebble-bed", 1, poured, &text), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "--packing random"));
  assert_int_equal(ch_scene_builtin(&context, "pebble-bed", 2, wide, &text), CH_ERR_RANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lifting_is_work),
      cmocka_unit_test(nobody_comes_back_into_another),
      cmocka_unit_test(a_run_that_is_taken_up_goes_on_bit_for_bit),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
