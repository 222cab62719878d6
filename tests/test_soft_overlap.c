// Deformable bodies that overlap what they touch: the overlap is undone, and no faster than the body springs back.
#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "cardhouse/scene.h"
#include "cardhouse/simulation.h"
#include "model/soft/soft.h"
#include "model/world.h"
#include "support/near.h"

// A block of 0.2 m whose centre is at height z over the floor: it overlaps by 0.1 - z. There is no gravity.
static ChSimulation* block_at(double z) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"cardhouse\": 1, \"gravity\": [0, 0, 0], \"step\": {\"h\": 0.001, \"overlap\": 1, \"push_out\": 1e9}, "
           "\"bodies\": "
           "[{\"name\": \"floor\", "
           "\"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]}, {\"name\": \"block\", \"position\": [0, 0, %g], "
           "\"soft\": {\"mesh\": {\"shape\": \"block\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}, "
           "\"young\": 1e5, \"modes\": 6}}]}",
           z);
  ChContext context = {0};
  ChScene* scene;
  ChSimulation* s;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &s));
  scene->world = NULL;
  ch_scene_destroy(scene);
  return s;
}

static double rise_in_a_step(ChSimulation* s) {
  ChContext context = {0};
  ChStepInfo info;
  double before = ch_simulation_body_at(s, 1).position.z;
  CHECK_OK(context, ch_simulation_step(&context, s, &info));
  assert_false(info.missed);
  return ch_simulation_body_at(s, 1).position.z - before;
}

static void a_small_overlap_is_gone_after_one_step(void** state) {
  (void)state;
  ChSimulation* s = block_at(0.1 - 1e-5);
  CHECK_NEAR(rise_in_a_step(s), 1e-5, 1e-9);
  ch_simulation_destroy(s);
}

static void a_deep_overlap_is_undone_no_faster_than_the_body_springs_back(void** state) {
  (void)state;
  ChSimulation* s = block_at(0.05);
  const ChWorld* world = ch_simulation_world(s);
  double radius = world->shapes[1].bound, hertz = world->bodies[1].soft->frequency[0] / (2.0 * M_PI);
  CHECK_NEAR(rise_in_a_step(s), 1e-3 * radius * hertz, 1e-3 * 1e-3 * radius * hertz);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_overlap_is_gone_after_one_step),
      cmocka_unit_test(a_deep_overlap_is_undone_no_faster_than_the_body_springs_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
