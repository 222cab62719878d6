// Facts about scenes of many bodies: a packing lies as it was placed, and copies are bodies like others.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/contact.h"
#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "support/near.h"

static ChScene* parse(const char* text) {
  ChContext context = {0};
  ChScene* scene = NULL;
  CHECK_OK(context, ch_scene_parse(&context, text, "scene.json", &scene));
  return scene;
}

static ChScene* packed_bed(const char* n) {
  const char* const parameters[][2] = {{"n", n}, {"packing", "random"}};
  ChContext context = {0};
  char* text = NULL;
  CHECK_OK(context, ch_scene_builtin(&context, "pebble-bed", 2, parameters, &text));
  ChScene* scene = parse(text);
  free(text);
  return scene;
}

static ChSimulation* simulate(ChScene* scene) {
  ChContext context = {0};
  ChSimulation* simulation = NULL;
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &simulation));
  scene->world = NULL;
  ch_scene_destroy(scene);
  return simulation;
}

// ------------------------------------------------------------------------------------------------------------- packing

// Every pebble lies: no overlap at all, and beneath it two or more others or walls, which bear its weight without
// friction: no direction that all their normals allow goes down.
static void a_packing_is_placed_to_lie(void** state) {
  (void)state;
  ChContext context = {0};
  ChScene* scene = packed_bed("3000");
  ChOverlap* overlaps;
  int count, bodies = ch_world_body_count(scene->world);
  CHECK_OK(context, ch_world_overlaps(&context, scene->world, &overlaps, &count));
  assert_int_equal(count, 0);
  free(overlaps);
  ChClearance* near;
  CHECK_OK(context, ch_world_clearances(&context, scene->world, 1e-7, &near, &count));
  int* touches = calloc((size_t)bodies, sizeof *touches);
  for (int k = 0; k < count; ++k)
    for (int side = 0; side < 2; ++side) ++touches[near[k].body[side]];
  free(near);
  int loose = 0;
  for (int b = 0; b < bodies; ++b) loose += touches[b] < 2;
  free(touches);
  assert_int_equal(loose, 0);
  if (count < 5 * 3000 / 2) fail_msg("%d contacts are too few for balls that lie", count);
  ch_scene_destroy(scene);
}

// In 10 ms a body falls by 0.49 mm. Those that lie move far less in the mean.
static void a_packing_starts_near_rest(void** state) {
  (void)state;
  ChContext context = {0};
  ChScene* scene = packed_bed("400");
  scene->options.solve.tolerance = 1e-4;
  ChSimulation* s = simulate(scene);
  int bodies = ch_world_body_count(ch_simulation_world(s));
  double* z = calloc((size_t)bodies, sizeof *z);
  for (int b = 0; b < bodies; ++b) z[b] = ch_simulation_body_at(s, b).position.z;
  for (int k = 0; k < 40; ++k) {
    ChStepInfo info;
    CHECK_OK(context, ch_simulation_step(&context, s, &info));
    assert_false(info.missed);
  }
  double mean = 0.0;
  for (int b = 0; b < bodies; ++b) mean += fabs(ch_simulation_body_at(s, b).position.z - z[b]) / bodies;
  free(z);
  if (!(mean < 0.2 * 0.5 * 9.81 * 0.01 * 0.01)) fail_msg("pebbles moved by %g m in the mean", mean);
  ch_simulation_destroy(s);
}

static void a_packing_is_the_same_every_time(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"n", "500"}, {"packing", "random"}};
  ChContext context = {0};
  char *one = NULL, *two = NULL;
  CHECK_OK(context, ch_scene_builtin(&context, "pebble-bed", 2, parameters, &one));
  CHECK_OK(context, ch_scene_builtin(&context, "pebble-bed", 2, parameters, &two));
  assert_string_equal(one, two);
  free(one);
  free(two);
}

// ------------------------------------------------------------------------------------------------------------- threads

// Enough contacts that sweeps, looks, extrapolation and products take several threads.
static void threads_change_no_bit(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s[2];
  for (int j = 0; j < 2; ++j) {
    ChScene* scene = packed_bed("5500");
    scene->options.threads = 1 + 2 * j;
    scene->options.solve.tolerance = 0.05;
    s[j] = simulate(scene);
    for (int k = 0; k < 2; ++k) {
      ChStepInfo info;
      CHECK_OK(context, ch_simulation_step(&context, s[j], &info));
      if (info.contacts < 16384) fail_msg("%d contacts are too few for threads", info.contacts);
    }
  }
  for (int b = 0; b < ch_world_body_count(ch_simulation_world(s[0])); ++b) {
    ChBodyView now[2] = {ch_simulation_body_at(s[0], b), ch_simulation_body_at(s[1], b)};
    assert_memory_equal(&now[0], &now[1], sizeof now[0]);
  }
  for (int j = 0; j < 2; ++j) ch_simulation_destroy(s[j]);
}

// -------------------------------------------------------------------------------------------------------------- copies

#define FLOOR "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]}"
#define BALL "\"velocity\": [0.3, 0, 0], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]"

// Names, order and motion, to the last bit.
static void copies_are_bodies_like_others(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s[2] = {simulate(parse("{\"cardhouse\": 1, \"bodies\": [" FLOOR
                                       ", {\"name\": \"ball\", \"copies\": [0, 0, 0.3, 0.05, 0, 0.52], " BALL "}]}")),
                        simulate(parse("{\"cardhouse\": 1, \"bodies\": [" FLOOR
                                       ", {\"name\": \"ball 1\", \"position\": [0, 0, 0.3], " BALL
                                       "}, {\"name\": \"ball 2\", \"position\": [0.05, 0, 0.52], " BALL "}]}"))};
  for (int k = 0; k < 200; ++k)
    for (int j = 0; j < 2; ++j) CHECK_OK(context, ch_simulation_step(&context, s[j], NULL));
  for (int b = 0; b < 3; ++b) {
    const ChWorld* world[2] = {ch_simulation_world(s[0]), ch_simulation_world(s[1])};
    ChBodyView now[2] = {ch_simulation_body_at(s[0], b), ch_simulation_body_at(s[1], b)};
    assert_string_equal(ch_world_body_name(world[0], ch_world_body_at(world[0], b)),
                        ch_world_body_name(world[1], ch_world_body_at(world[1], b)));
    assert_memory_equal(&now[0], &now[1], sizeof now[0]);
  }
  for (int j = 0; j < 2; ++j) ch_simulation_destroy(s[j]);
}

static void refused(const char* body, const char* why) {
  char text[500];
  snprintf(text, sizeof text, "{\"cardhouse\": 1, \"bodies\": [%s]}", body);
  ChContext context = {0};
  ChScene* scene = NULL;
  assert_int_not_equal(ch_scene_parse(&context, text, "scene.json", &scene), CH_OK);
  if (!strstr(context.message, why)) fail_msg("'%s' does not say '%s'", context.message, why);
}

static void wrong_copies_are_refused(void** state) {
  (void)state;
  refused("{\"copies\": [0, 0, 1, 2], " BALL "}", "$.bodies[0].copies: has 4 numbers");
  refused("{\"copies\": [], " BALL "}", "$.bodies[0].copies: has 0 numbers");
  refused("{\"copies\": [0, 0, 1], \"position\": [0, 0, 0], " BALL "}", "excludes \"position\"");
  refused("{\"copies\": [0, 0, true], " BALL "}", "$.bodies[0].copies[2]");
  refused("{\"copies\": [0, 0, 1]}", "has no mass");
  refused("{\"name\": \"a\", \"copies\": [0, 0, 1, 0, 0, 2], " BALL "}, {\"name\": \"a 2\", " BALL "}", "a 2");
  refused("{\"name\": \"a\", \"copies\": [0, 0, 1, 0, 0, 1.1], " BALL "}", "$.bodies[0]: 'a 1' and 'a 2' overlap");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packing_is_placed_to_lie),
      cmocka_unit_test(a_packing_starts_near_rest),
      cmocka_unit_test(a_packing_is_the_same_every_time),
      cmocka_unit_test(copies_are_bodies_like_others),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(wrong_copies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
