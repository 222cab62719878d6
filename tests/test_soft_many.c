// Thousands of contacts on thousands of degrees of freedom of deformable bodies: every step certified.
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/scene.h"
#include "step/state.h"
#include "support/near.h"
#include "support/worlds.h"

// Sanitizers and counters of lines make a step several times as long.
#ifdef CH_SLOW_BUILD
enum { STEPS = 2 };
#else
enum { STEPS = 12 };
#endif

static int freedoms(const ChWorld* world) {
  int count = 0;
  for (int b = 0; b < world->body_count; ++b)
    if (world->bodies[b].kind == CH_BODY_DYNAMIC)
      count += 6 + (world->bodies[b].soft ? world->bodies[b].soft->modes : 0);
  return count;
}

static ChSimulation* start_scene(const char* text) {
  ChContext context = {0};
  ChScene* scene;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  ChSimulation* s = ch_test_start(scene->world, &scene->options);
  scene->world = NULL;
  ch_scene_destroy(scene);
  return s;
}

// Every step is certified at 1e-6, the scenes' tolerance.
static void check_steps(ChSimulation* s, int contacts, int islands) {
  for (int k = 0; k < STEPS; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_true(info.contacts >= contacts);
    assert_int_equal(info.islands, islands);
    assert_false(info.missed);
    assert_true(ch_certificate_met(&info.certificate, 1e-6));
  }
}

// 52 chairs of 40 degrees of freedom on a slope that inclines; a leg stands on 49 points, so that there are 10192
// contacts as long as all do.
static void E13_ten_thousand_contacts_on_two_thousand_freedoms(void** state) {
  (void)state;
  static const char* const choices[][2] = {{"n", "52"}, {"modes", "34"}, {"cells", "6"}};
  ChContext context = {0};
  char* text;
  CHECK_OK(context, ch_scene_builtin(&context, "chairs", 3, choices, &text));
  ChSimulation* s = start_scene(text);
  free(text);
  assert_int_equal(freedoms(s->world), 2080);
  check_steps(s, 10000, 52);
  ch_simulation_destroy(s);
}

// Chairs that stand on one free plate, which lies on a floor: whatever one of them does, all others feel.
static const char* plate_text(int chairs) {
  static char text[8192];
  int end =
      snprintf(text, sizeof text,
               "{\"cardhouse\": 1, \"step\": {\"h\": 0.01, \"margin\": 0.002}, \"method\": {\"tolerance\": 1e-6}, "
               "\"materials\": {\"plastic\": {\"density\": 900, \"friction\": 0.5}}, \"bodies\": ["
               "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\", \"material\": "
               "\"plastic\"}]}, {\"name\": \"plate\", \"position\": [0, 0, 0.05], \"shapes\": [{\"type\": "
               "\"box\", \"half\": [3, 1, 0.05], \"material\": \"plastic\"}]}");
  for (int k = 0; k < chairs; ++k)
    end +=
        snprintf(text + end, sizeof text - (size_t)end,
                 ", {\"name\": \"chair %d\", \"position\": [%g, %g, 0.5505], \"velocity\": [%g, 0.2, -0.2], \"soft\": "
                 "{\"mesh\": {\"shape\": \"chair\", \"size\": [0.45, 0.45, 0.9], \"cells\": [6, 6, 8]}, "
                 "\"material\": \"plastic\", \"young\": 1.2e9, \"poisson\": 0.4, \"damping\": [0, 5e-5], "
                 "\"modes\": 34}}",
                 k + 1, 0.8 * (k % 3 - 1), 0.8 * (k / 3 - 0.5), 0.3 * (k % 2 ? -1 : 1));
  snprintf(text + end, sizeof text - (size_t)end, "]}");
  return text;
}

// Six chairs, 196 contacts each, and the plate's four corners. The chairs land and slide against each other.
static void E13_chairs_on_one_plate_are_one_island_of_a_thousand_contacts(void** state) {
  (void)state;
  ChSimulation* s = start_scene(plate_text(6));
  assert_int_equal(freedoms(s->world), 246);
  check_steps(s, 1000, 1);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(E13_ten_thousand_contacts_on_two_thousand_freedoms),
      cmocka_unit_test(E13_chairs_on_one_plate_are_one_island_of_a_thousand_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
