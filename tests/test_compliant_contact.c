// Compliant contact from the outside: springs that sink, bounce and store, stiffness by materials and by rule, and the
// rigid answer as what stiffer and stiffer springs tend to.
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81;

static ChSimulationOptions compliant(double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.contact = CH_CONTACT_COMPLIANT;
  options.h = h;
  return options;
}

// A world whose only pair of materials has this stiffness and damping (negative: by restitution).
static ChWorld* springy(double g, double mu, double restitution, double stiffness, double damping) {
  ChWorld* world = ch_test_world(3, g, mu, restitution);
  ChPairDef pair = ch_pair_def_default();
  pair.material[0] = pair.material[1] = ch_material_id(0);
  pair.stiffness = stiffness;
  pair.damping = damping;
  ChContext context = {0};
  CHECK_OK(context, ch_world_add_pair(&context, world, &pair));
  return world;
}

static double ball_mass(double radius) { return 1000.0 * 4.0 / 3.0 * M_PI * radius * radius * radius; }

static void a_ball_sinks_by_its_weight_over_the_stiffness(void** state) {
  (void)state;
  const double k = 1e6, R = 0.1;
  ChWorld* world = springy(G, 0.5, 0.0, k, -1.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, R), R, ch_vec(0.0, 0.0, 0.0));
  ChSimulationOptions options = compliant(1e-3);
  ChSimulation* s = ch_test_start(world, &options);
  ChStepInfo info = ch_test_run(s, 0.5);
  double sinks = ball_mass(R) * G / k;
  CHECK_NEAR(R - ch_simulation_body(s, ch_body_id(ball)).position.z, sinks, 1e-6 * sinks);
  CHECK_NEAR(info.penetration, sinks, 1e-6 * sinks);
  CHECK_NEAR(info.overlap, sinks / R, 1e-6 * sinks / R);
  CHECK_NEAR(info.stored, 0.5 * k * sinks * sinks, 1e-5 * k * sinks * sinks);
  ch_simulation_destroy(s);
}

typedef struct Bounce {
  double time, restitution;
} Bounce;

// Two balls meet head-on, each at v / 2, without gravity.
static Bounce collide(ChWorld* world, double R, double v, double h) {
  ch_test_ball(world, ch_vec(-R, 0.0, 0.0), R, ch_vec(0.5 * v, 0.0, 0.0));
  int right = ch_test_ball(world, ch_vec(R + 1e-12, 0.0, 0.0), R, ch_vec(-0.5 * v, 0.0, 0.0));
  ChSimulationOptions options = compliant(h);
  ChSimulation* s = ch_test_start(world, &options);
  Bounce bounce = {0};
  double highest = 0.0;
  for (int k = 0; k < 20000; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    assert_true(info.gain == 0.0);
    highest = fmax(highest, info.stored);
    if (info.step > 2 && info.stored == 0.0) break;
    bounce.time += h;
  }
  bounce.restitution = 2.0 * ch_simulation_body(s, ch_body_id(right)).velocity.x / v;
  double energy = 0.25 * ball_mass(R) * v * v;
  assert_true(highest < energy * (1.0 + 1e-9));
  ch_simulation_destroy(s);
  return bounce;
}

static void a_collision_takes_the_time_of_its_spring(void** state) {
  (void)state;
  const double k = 1e6, R = 0.1, v = 1.0, time = M_PI * sqrt(0.5 * ball_mass(R) / k);
  double lost[2];
  for (int fine = 0; fine < 2; ++fine) {
    Bounce bounce = collide(springy(0.0, 0.0, 1.0, k, -1.0), R, v, time / (fine ? 2000 : 500));
    CHECK_NEAR(bounce.time, time, 0.01 * time);
    assert_true(bounce.restitution > 0.98 && bounce.restitution <= 1.0);
    lost[fine] = 1.0 - bounce.restitution;
  }
  CHECK_NEAR(lost[1], 0.25 * lost[0], 0.02 * lost[0]);  // what implicit Euler dissipates goes with h
}

static void damping_follows_from_restitution(void** state) {
  (void)state;
  const double k = 1e6, R = 0.1, time = M_PI * sqrt(0.5 * ball_mass(R) / k);
  for (int i = 0; i < 3; ++i) {
    double e = 0.3 + 0.25 * i;
    Bounce bounce = collide(springy(0.0, 0.0, e, k, -1.0), R, 1.0, time / 2000);
    CHECK_NEAR(bounce.restitution, e, 0.01);
  }
  Bounce given = collide(springy(0.0, 0.0, 1.0, k, 0.0), R, 1.0, time / 2000);
  assert_true(given.restitution > 0.99);
}

static void hertz_says_how_long_balls_touch(void** state) {
  (void)state;
  const double R = 0.05, v = 2.0, young = 1e8, poisson = 0.3;
  ChContext context = {0};
  ChWorld* world;
  CHECK_OK(context, ch_world_create(&context, 3, &world));
  ChMaterialDef material = ch_material_def_default();
  material.young = young;
  material.poisson = poisson;
  material.friction[0] = material.friction[1] = 0.0;
  material.restitution = 1.0;
  ch_test_material(world, &material);
  double m = 0.5 * ball_mass(R), E = 0.5 * young / (1.0 - poisson * poisson);
  double time = 2.87 * pow(m * m / (0.5 * R * E * E * v), 0.2);
  Bounce bounce = collide(world, R, v, time / 1000);
  CHECK_NEAR(bounce.time, time, 0.02 * time);
  assert_true(bounce.restitution > 0.98);
}

// Five balls one on another: what the stack is lower by goes with 1 / k; and a box slides on a slope as a rigid one.
static void stiffer_springs_tend_to_the_rigid_answer(void** state) {
  (void)state;
  enum { BALLS = 5 };
  const double R = 0.1;
  double weight = ball_mass(R) * G;
  for (double k = 1e5; k < 1e9; k *= 100.0) {
    ChWorld* world = springy(G, 0.5, 0.0, k, -1.0);
    ch_test_floor(world);
    for (int i = 0; i < BALLS; ++i) ch_test_ball(world, ch_vec(0.0, 0.0, R + 2.0 * R * i), R, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = compliant(2e-3);
    ChSimulation* s = ch_test_start(world, &options);
    ch_test_run(s, 2.0);
    double top = ch_simulation_body(s, ch_body_id(BALLS)).position.z, lower = weight * BALLS * (BALLS + 1) / 2 / k;
    CHECK_NEAR(R + 2.0 * R * (BALLS - 1) - top, lower, 1e-3 * lower);
    ch_simulation_destroy(s);
  }
}

static double slide(ChContactLaw law, double k) {
  ChWorld* world = springy(0.0, 0.3, 0.0, k, -1.0);
  ChContext context = {0};
  ChSignal gravity[3] = {{.base = G * sin(0.5)}, {.base = 0.0}, {.base = -G * cos(0.5)}};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.2, 0.1, 0.1));
  ChSimulationOptions options = compliant(2e-3);
  options.contact = law;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.5);
  double way = ch_simulation_body(s, ch_body_id(box)).position.x;
  ch_simulation_destroy(s);
  return way;
}

static void a_box_on_a_slope_slides_as_a_rigid_one_the_stiffer_the_better(void** state) {
  (void)state;
  double rigid = slide(CH_CONTACT_RIGID, 1e6), last = INFINITY;
  for (double k = 1e5; k < 1e9; k *= 100.0) {
    double error = fabs(slide(CH_CONTACT_COMPLIANT, k) - rigid);
    assert_true(error < last);
    last = error;
  }
  assert_true(last < 1e-4 * rigid);
}

// --- a small heap, by rule -------------------------------------------------------------------------------------------

static ChSimulation* start_box(int threads, const char* n, const char* across) {
  const char* const parameters[2][2] = {{"n", n}, {"across", across}};
  ChContext context = {0};
  char* text = NULL;
  ChScene* scene;
  CHECK_OK(context, ch_scene_builtin(&context, "box-of-spheres", 2, parameters, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, "box", &scene));
  free(text);
  ChWorld* world = scene->world;
  scene->world = NULL;
  ChSimulationOptions options = scene->options;
  options.threads = threads;
  ChSimulation* s = ch_test_start(world, &options);
  ch_scene_destroy(scene);
  return s;
}

static void check_fall(ChSimulation* s, int steps) {
  assert_int_equal(ch_simulation_options(s)->contact, CH_CONTACT_COMPLIANT);
  double energy = ch_simulation_info(s).potential, overlap = 0.0, gain = 0.0;
  for (int k = 0; k < steps; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    overlap = fmax(overlap, info.overlap);
    gain = fmax(gain, info.gain);
  }
  assert_true(overlap > 1e-5 && overlap < 3e-3);
  assert_true(gain < 1e-6 * energy);
  ch_simulation_destroy(s);
}

static void spheres_fall_certified_and_overlap_little(void** state) {
  (void)state;
  check_fall(start_box(1, "27", "3"), 600);
}

// Thirty layers with small gaps: those on top come down by the gaps of all, and arrive at 0.3 s and later.
static void a_loose_column_collapses_and_overlaps_little(void** state) {
  (void)state;
  check_fall(start_box(1, "120", "2"), 450);
}

static void* save(ChSimulation* s, size_t* size) {
  ChContext context = {0};
  CHECK_OK(context, ch_simulation_save(&context, s, NULL, size));
  void* bytes = malloc(*size);
  CHECK_OK(context, ch_simulation_save(&context, s, bytes, size));
  return bytes;
}

static void the_motion_is_the_same_with_threads_and_after_a_checkpoint(void** state) {
  (void)state;
  ChSimulation* runs[3] = {start_box(1, "27", "3"), start_box(2, "27", "3"), start_box(1, "27", "3")};
  size_t size, other;
  ChContext context = {0};
  for (int k = 0; k < 150; ++k) ch_test_step(runs[0]);
  void* half = save(runs[0], &size);
  CHECK_OK(context, ch_simulation_load(&context, runs[2], half, size));
  free(half);
  for (int k = 0; k < 300; ++k) {
    ch_test_step(runs[1]);
    if (k < 150) ch_test_step(runs[0]), ch_test_step(runs[2]);
  }
  void* end = save(runs[0], &size);
  for (int k = 1; k < 3; ++k) {
    void* same = save(runs[k], &other);
    assert_int_equal(size, other);
    assert_memory_equal(end, same, size);
    free(same);
  }
  free(end);
  for (int k = 0; k < 3; ++k) ch_simulation_destroy(runs[k]);
}

// --- words -----------------------------------------------------------------------------------------------------------

static ChScene* open_as(const char* name, const char* law) {
  ChContext context = {0};
  ChScene* scene;
  CHECK_OK(context, ch_scene_open_as(&context, name, law, &scene));
  return scene;
}

static void granular_scenes_are_compliant_unless_rigid_is_asked_for(void** state) {
  (void)state;
  const char* const names[] = {"box-of-spheres", "hourglass", "hopper", "pebble-bed"};
  for (int k = 0; k < 4; ++k) {
    ChScene *as_is = open_as(names[k], NULL), *rigid = open_as(names[k], "rigid");
    assert_int_equal(as_is->options.contact, CH_CONTACT_COMPLIANT);
    assert_true(as_is->options.solve.tolerance <= 1e-6);
    assert_int_equal(rigid->options.contact, CH_CONTACT_RIGID);
    assert_null(strstr(rigid->text, "\"contact\""));
    assert_true(rigid->options.h >= 2e-3);
    ch_scene_destroy(as_is);
    ch_scene_destroy(rigid);
  }
  ChScene *pile = open_as("pile", NULL), *soft = open_as("pile", "compliant");
  assert_int_equal(pile->options.contact, CH_CONTACT_RIGID);
  assert_int_equal(soft->options.contact, CH_CONTACT_COMPLIANT);
  ch_scene_destroy(pile);
  ch_scene_destroy(soft);
  ChContext context = {0};
  ChScene* none;
  assert_int_equal(ch_scene_open_as(&context, "pile", "soft", &none), CH_ERR_ARGUMENT);
}

static const char SCENE[] =
    "{\"cardhouse\": 1, \"contact\": {\"law\": \"compliant\", \"overlap\": 0.002}, \"materials\": {"
    "\"default\": {\"young\": 1e7, \"poisson\": 0.25, \"damping\": 3}, \"steel\": {\"stiffness\": 1e6}},"
    " \"pairs\": [{\"materials\": [\"default\", \"steel\"], \"stiffness\": 2e6, \"damping\": 0}]}";

static void scenes_say_how_materials_yield(void** state) {
  (void)state;
  ChContext context = {0};
  ChScene *scene, *again;
  CHECK_OK(context, ch_scene_parse(&context, SCENE, NULL, &scene));
  CHECK_OK(context, ch_scene_parse(&context, scene->text, NULL, &again));  // the text is whole
  for (int k = 0; k < 2; ++k) {
    const ChScene* s = k ? again : scene;
    assert_int_equal(s->options.contact, CH_CONTACT_COMPLIANT);
    CHECK_NEAR(s->options.overlap, 0.002, 0.0);
    ChMaterialDef soft = ch_world_material(s->world, 0), steel = ch_world_material(s->world, 1);
    CHECK_NEAR(soft.young, 1e7, 0.0);
    CHECK_NEAR(soft.poisson, 0.25, 0.0);
    CHECK_NEAR(soft.damping, 3.0, 0.0);
    CHECK_NEAR(steel.stiffness, 1e6, 0.0);
    assert_true(steel.damping < 0.0);
    ChPairDef pair = ch_world_pair(s->world, 0);
    CHECK_NEAR(pair.stiffness, 2e6, 0.0);
    CHECK_NEAR(pair.damping, 0.0, 0.0);
  }
  ch_scene_destroy(scene);
  ch_scene_destroy(again);
  assert_int_equal(ch_scene_parse(&context, "{\"cardhouse\": 1, \"contact\": \"soft\"}", NULL, &scene), CH_ERR_FORMAT);
}

static void what_would_push_springs_out_is_refused(void** state) {
  (void)state;
  const char* const integrators[] = {"midpoint", "trapezoidal"};
  for (int k = 0; k < 3; ++k) {
    ChWorld* world = springy(G, 0.5, 0.0, 1e6, -1.0);
    ch_test_floor(world);
    ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = compliant(1e-3);
    if (k < 2) options.integrator = integrators[k];
    options.project = k == 2;
    ChContext context = {0};
    ChSimulation* s;
    assert_int_equal(ch_simulation_create(&context, world, &options, &s), CH_ERR_ARGUMENT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_sinks_by_its_weight_over_the_stiffness),
      cmocka_unit_test(a_collision_takes_the_time_of_its_spring),
      cmocka_unit_test(damping_follows_from_restitution),
      cmocka_unit_test(hertz_says_how_long_balls_touch),
      cmocka_unit_test(stiffer_springs_tend_to_the_rigid_answer),
      cmocka_unit_test(a_box_on_a_slope_slides_as_a_rigid_one_the_stiffer_the_better),
      cmocka_unit_test(spheres_fall_certified_and_overlap_little),
      cmocka_unit_test(a_loose_column_collapses_and_overlaps_little),
      cmocka_unit_test(the_motion_is_the_same_with_threads_and_after_a_checkpoint),
      cmocka_unit_test(granular_scenes_are_compliant_unless_rigid_is_asked_for),
      cmocka_unit_test(scenes_say_how_materials_yield),
      cmocka_unit_test(what_would_push_springs_out_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
