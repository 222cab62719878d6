// Built-in scenes are, body by body, what they are said to be; every contact starts at gap zero. Formulas and texts.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/body.h"
#include "cardhouse/scene.h"
#include "collide/collide.h"
#include "scene/formula.h"
#include "scene/json_text.h"
#include "support/near.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static ChScene* make(const char* name, int count, const char* const (*parameters)[2]) {
  ChContext context = {0};
  char* text;
  ChScene* scene = NULL;
  CHECK_OK(context, ch_scene_builtin(&context, name, count, parameters, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  free(text);
  return scene;
}

static ChVec3 place(const ChScene* scene, const char* format, int number) {
  char name[64];
  snprintf(name, sizeof name, format, number);
  int body = ch_world_body_row(scene->world, ch_world_find_body(scene->world, name));
  if (body < 0) fail_msg("there is no body '%s'", name);
  return scene->world->states[body].position;
}

static void check_vector(ChVec3 found, double x, double y, double z) {
  CHECK_NEAR(found.x, x, 1e-13);
  CHECK_NEAR(found.y, y, 1e-13);
  CHECK_NEAR(found.z, z, 1e-13);
}

// How many contacts there are, all of which must be at gap zero.
static int count_touching(const ChScene* scene) {
  ChContext context = {0};
  ChCollider* collider;
  const ChGap* gaps;
  int count;
  ChCollideOptions options = {.margin = 1e-6};
  CHECK_OK(context, ch_collider_create(&context, scene->world, &collider));
  CHECK_OK(context, ch_collide(&context, collider, scene->world->states, &options, &gaps, &count));
  for (int k = 0; k < count; ++k) CHECK_NEAR(gaps[k].gap, 0.0, 1e-12);
  ch_collider_destroy(collider);
  return count;
}

// ------------------------------------------------------------------------------------------------------ scenes S1 ..
// S6

static void S1_cards(void** state) {
  (void)state;
  const double L = 1.0, t = 0.02, th = 67.0 * PI / 180.0, s = 1.01;
  const double dx = 0.5 * L * cos(th) + 0.5 * t * sin(th);
  ChScene* scene = make("cards", 0, NULL);
  assert_int_equal(ch_world_body_count(scene->world), 27);
  double z0 = 0.0;
  int card = 0;
  for (int k = 0; k < 4; ++k) {
    int n = 4 - k;
    double cz = z0 + 0.5 * L * sin(th) + 0.5 * t * cos(th), top = z0 + L * sin(th) + t * cos(th);
    for (int i = 0; i < n; ++i) {
      double xc = (i - 0.5 * (n - 1)) * s;
      for (int side = -1; side <= 1; side += 2) {
        check_vector(place(scene, "card %d", ++card), xc + side * dx, 0.0, cz);
        ChQuat q = scene->world->states[card].orientation;  // the floor is body 0
        CHECK_NEAR(q.w, cos(0.5 * th), 1e-15);
        CHECK_NEAR(q.y, side * sin(0.5 * th), 1e-15);
      }
    }
    for (int i = 0; i < n - 1; ++i)
      check_vector(place(scene, "card %d", ++card), (i - 0.5 * (n - 2)) * s, 0.0, top + 0.5 * t);
    z0 = top + t;
  }
  for (int k = 1; k <= 26; ++k) CHECK_NEAR(scene->world->bodies[k].mass, 28.0, 1e-11);
  assert_int_equal(count_touching(scene), 2 * (20 + 10 + 12));  // two points an edge: feet, twins, cards on tops
  CHECK_NEAR(scene->options.h, 1e-3, 0.0);
  ch_scene_destroy(scene);
}

static void cards_of_every_size_touch(void** state) {
  (void)state;
  static const char* const sizes[][2] = {{"1", "30"}, {"1", "80"}, {"2", "62"}, {"3", "70"}, {"8", "67"}};
  for (int k = 0; k < 5; ++k) {
    const char* const parameters[][2] = {{"levels", sizes[k][0]}, {"angle", sizes[k][1]}};
    ChScene* scene = make("cards", 2, parameters);
    int n = atoi(sizes[k][0]);
    assert_int_equal(ch_world_body_count(scene->world), 1 + n * (n + 1) + n * (n - 1) / 2);
    count_touching(scene);
    ch_scene_destroy(scene);
  }
}

static void S2_arch(void** state) {
  (void)state;
  const double a = 3.0937961388712787, length = 14.95833699;
  ChScene* scene = make("arch", 0, NULL);
  const ChWorld* world = scene->world;
  assert_int_equal(ch_world_body_count(world), 29);
  assert_int_equal(count_touching(scene), 28 * 4);
  double mass = 0.0;
  for (int k = 2; k < 29; ++k) mass += world->bodies[k].mass;
  // The strip of thickness 0.5 about the centreline has the area 0.5 * length; chords instead of arcs take a little
  // off.
  CHECK_NEAR(mass / (1000.0 * 0.5 * length), 1.0, 2e-3);
  CHECK_NEAR(2.0 * a * sinh(5.0 / a), length, 1e-8);
  ChVec3 key = place(scene, "voussoir %d", 14);
  CHECK_NEAR(key.x, 0.0, 1e-13);
  assert_true(key.z > 4.9 && key.z < 5.0);
  for (int k = 1; k <= 13; ++k) {
    ChVec3 left = place(scene, "voussoir %d", k), right = place(scene, "voussoir %d", 28 - k);
    check_vector(left, -right.x, 0.0, right.z);
  }
  ChVec3 support = place(scene, "left support", 0);  // half a metre behind the end, along the centreline
  double slope = atan(sinh(5.0 / a));
  check_vector(support, -5.0 - 0.5 * cos(slope), 0.0, -0.5 * sin(slope));
  ch_scene_destroy(scene);
}

static void semicircle_has_radius_one(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"form", "semicircle"}, {"n", "30"}, {"thickness", "0.108"}};
  ChScene* scene = make("arch", 3, parameters);
  assert_int_equal(count_touching(scene), 31 * 4);
  for (int k = 0; k < scene->world->shape_count; ++k) {
    const ChShape* shape = &scene->world->shapes[k];
    if (shape->type != CH_SHAPE_HULL) continue;
    ChFrame frame = ch_shape_frame(shape, &scene->world->states[shape->body]);
    for (int v = 0; v < shape->polytope->vertex_count; ++v) {
      ChVec3 p = ch_frame_point(frame, shape->polytope->vertices[v]);
      CHECK_NEAR(fabs(hypot(p.x, p.z) - 1.0), 0.054, 1e-14);
    }
  }
  ch_scene_destroy(scene);
}

static void S3_stack(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"mass_ratio", "1e6"}};
  for (int heavy = 0; heavy < 2; ++heavy) {
    ChScene* scene = make("stack", heavy, parameters);
    assert_int_equal(ch_world_body_count(scene->world), 21);
    for (int i = 0; i < 20; ++i) {
      check_vector(place(scene, "cube %d", i + 1), 0.0, 0.0, 0.5 + i);
      CHECK_NEAR(scene->world->bodies[i + 1].mass / (heavy && i == 19 ? 1e9 : 1e3), 1.0, 1e-14);
    }
    assert_int_equal(count_touching(scene), 80);
    ch_scene_destroy(scene);
  }
}

static void S4_incline(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"ratio", "1.05"}, {"heading", "22.5"}};
  ChScene* scene = make("incline", 2, parameters);
  double a = atan(1.05 * 0.5), p = 22.5 * PI / 180.0;
  const ChSignal* g = scene->world->gravity;
  check_vector(ch_vec(g[0].base, g[1].base, g[2].base), G * sin(a) * cos(p), G * sin(a) * sin(p), -G * cos(a));
  assert_int_equal(count_touching(scene), 4);
  ch_scene_destroy(scene);
}

static void S5_pile(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"plane", "1"}};
  for (int plane = 0; plane < 2; ++plane) {
    ChScene* scene = make("pile", plane, parameters);
    assert_int_equal(ch_world_body_count(scene->world), 211);
    int ball = 0;
    for (int k = 0; k < 20; ++k)
      for (int i = 0; i < 20 - k; ++i) {
        double x = (2 * i + k - 19) * 0.1, up = 0.1 + k * 0.1 * sqrt(3.0);
        check_vector(place(scene, "ball %d", ++ball), x, plane ? up : 0.0, plane ? 0.0 : up);
        unsigned locks = plane ? 0 : CH_LOCK_Y | CH_LOCK_RX | CH_LOCK_RZ;
        assert_int_equal(scene->world->bodies[ball].locks, locks);
      }
    assert_int_equal(count_touching(scene), 20 + 190 + 2 * 190);
    ch_scene_destroy(scene);
  }
}

// Rest needs mu >= 0.560: just above, every one of the first steps is certified and nothing moves.
static void S5_pile_stands_at_0_57(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"mu", "0.57"}};
  ChScene* scene = make("pile", 1, parameters);
  ChContext context = {0};
  ChSimulation* simulation;
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &simulation));
  scene->world = NULL;
  for (int step = 0; step < 20; ++step) {
    ChStepInfo info;
    CHECK_OK(context, ch_simulation_step(&context, simulation, &info));
    if (info.missed) fail_msg("step %d missed its tolerance: natural %g", step, info.certificate.natural);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
  }
  CHECK_AT_MOST(ch_simulation_info(simulation).kinetic, 1e-12);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
}

static void S6_box_of_spheres(void** state) {
  (void)state;
  ChScene* scene = make("box-of-spheres", 0, NULL);
  assert_int_equal(ch_world_body_count(scene->world), 1002);
  uint32_t rs = 12345;
  double shift[2];
  for (int k = 0; k < 2; ++k) {
    rs = rs * 1664525u + 1013904223u;
    shift[k] = ((rs >> 8) / 16777216.0 - 0.5) * 0.018;
  }
  check_vector(place(scene, "ball %d", 1), -0.99 + shift[0], -0.99 + shift[1], 0.12);
  assert_int_equal(count_touching(scene), 0);
  ch_scene_destroy(scene);
  const char* const wide[][2] = {{"n", "50"}, {"across", "5"}};
  scene = make("box-of-spheres", 2, wide);
  assert_true(fabs(place(scene, "ball %d", 25).z - 0.12) < 1e-12);
  assert_true(fabs(place(scene, "ball %d", 26).z - 0.34) < 1e-12);
  ch_scene_destroy(scene);
}

// ---------------------------------------------------------------------------------------------------- the other scenes

// Steps the scene up to `until`.
static ChSimulation* stepped(ChScene* scene, double until) {
  ChContext context = {0};
  ChSimulation* simulation = NULL;
  ChWorld* world = scene->world;
  scene->world = NULL;
  CHECK_OK(context, ch_simulation_create(&context, world, &scene->options, &simulation));
  while (ch_simulation_time(simulation) < until - 0.5 * scene->options.h)
    CHECK_OK(context, ch_simulation_step(&context, simulation, NULL));
  return simulation;
}

static ChBodyView body_of(const ChSimulation* simulation, const char* name) {
  ChBodyId body = ch_world_find_body(ch_simulation_world(simulation), name);
  if (ch_body_id_is_none(body)) fail_msg("there is no body '%s'", name);
  return ch_simulation_body(simulation, body);
}

// Held until their time, then they fall freely: g t^2 / 2 but for the millisecond in which they are let go and the
// error of a step, together less than 2 g t ms.
static void blocks_fall_on_the_cards_one_after_the_other(void** state) {
  (void)state;
  const double th = 67.0 * PI / 180.0, top = sin(th) + 0.02 * cos(th) + 0.02, edge = 0.1, drop = 0.5, t = 0.1;
  const char* const parameters[][2] = {
      {"levels", "1"}, {"blocks", "10"}, {"drop", "0.5"}, {"every", "0.2"}, {"edge", "0.1"}};
  ChScene* scene = make("cards", 5, parameters);
  assert_int_equal(ch_world_body_count(scene->world), 1 + 2 + 10);
  assert_int_equal(count_touching(scene), 2 * 3);
  CHECK_NEAR(scene->until, 5.0 + 10 * 0.2, 1e-12);
  ChVec3 first = place(scene, "block %d", 1), ninth = place(scene, "block %d", 9);
  check_vector(first, (3.5 / 8.0 - 0.5) * 1.01, 0.2 * 1.4, top + drop + 0.5 * edge);
  check_vector(ninth, first.x, -0.2 * 1.4, first.z + 1.5 * edge);
  int block = ch_world_body_row(scene->world, ch_world_find_body(scene->world, "block 1"));
  CHECK_NEAR(scene->world->bodies[block].mass, 1000.0 * edge * edge * edge, 1e-12);
  for (int k = 1; k <= 10; ++k) assert_true(fabs(place(scene, "block %d", k).x) < 0.5 * 1.01);
  ChSimulation* simulation = stepped(scene, 1.0 + t);
  CHECK_NEAR(body_of(simulation, "block 1").position.z, first.z - 0.5 * G * t * t, 2e-3 * G * t);
  CHECK_NEAR(body_of(simulation, "block 2").position.z, first.z, 1e-9);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
}

static void blocks_are_thrown_at_the_leg_of_the_arch(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"blocks", "2"}, {"at", "leg"}, {"speed", "6"}, {"edge", "0.3"}};
  ChScene* scene = make("arch", 4, parameters);
  assert_int_equal(ch_world_body_count(scene->world), 29 + 2 + 1);  // and a floor
  ChVec3 first = place(scene, "block %d", 1), second = place(scene, "block %d", 2);
  check_vector(second, first.x - 1.5 * 0.3, 0.0, first.z);
  assert_true(first.x < -5.0 && first.z > 0.0);
  ChSimulation* simulation = stepped(scene, 1.05);
  ChBodyView thrown = body_of(simulation, "block 1"), waiting = body_of(simulation, "block 2");
  CHECK_NEAR(thrown.velocity.x, 6.0, 0.06 * 6.0);  // the push takes 20 ms, to a step
  CHECK_NEAR(thrown.velocity.y, 0.0, 1e-12);
  CHECK_NEAR(waiting.position.x, second.x, 1e-9);
  CHECK_NEAR(waiting.position.z, second.z, 1e-9);
  CHECK_NEAR(body_of(simulation, "voussoir 14").velocity.z, 0.0, 1e-9);  // the arch stands
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
}

static void blocks_fall_on_the_keystone(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"blocks", "3"}, {"drop", "2"}, {"edge", "0.3"}, {"form", "semicircle"}};
  ChScene* scene = make("arch", 4, parameters);
  for (int k = 0; k < 3; ++k)
    check_vector(place(scene, "block %d", k + 1), 0.0, 0.0, 1.0 + 0.06 + 2.0 + (0.5 + 1.5 * k) * 0.3);
  ch_scene_destroy(scene);
}

static void every_built_in_makes_steps(void** state) {
  (void)state;
  static const struct {
    const char *name, *key, *value;
    int bodies;
  } scenes[] = {{"cards", "levels", "2", 8},
                {"arch", "n", "5", 7},
                {"stack", "n", "3", 4},
                {"incline", "mu", "0.3", 2},
                {"pile", "n", "3", 7},
                {"box-of-spheres", "n", "27", 29},
                {"cannonball", "base", "6", 22},
                {"pendulum", "links", "3", 3},
                {"slider-crank", "speed", "5", 3},
                {"painleve-rod", "mu", "1.4", 2},
                {"spinning-top", "spin", "100", 2},
                {"newtons-cradle", "balls", "3", 3},
                {"domino", "n", "4", 5},
                {"hourglass", "n", "20", 21},
                {"hopper", "n", "20", 21},
                {"pebble-bed", "n", "20", 21},
                {"drop", "n", "8", 10},
                {"log-house", "speed", "2", 72},
                {"soft-bar", "cells", "6", 3},
                {"chairs", "n", "2", 3},
                {"dinosaurs", "n", "2", 3},
                {"bunnies-arches", "n", "1", 25},
                {"haptic", "mu", "0.4", 9},
                {"composite", "strands", "3", 8},
                {"thrown-composite", "strands", "2", 14},
                {"jamming", "bars", "2", 7},
                {"periodic-cell", "n", "9", 11},
                {"terrain", "bodies", "2", 3},
                {"screw", "turns", "3", 2},
                {"chain-net", "n", "3", 10},
                {"bike-chain", "links", "34", 36},
                {"anchor", "links", "3", 4},
                {"wrecking-ball", "rows", "1", 19},
                {"stick-slip", "speed", "0.1", 3}};
  const int count = sizeof scenes / sizeof *scenes;
  assert_int_equal(ch_scene_builtin_count(), count);
  for (int k = 0; k < count; ++k) {
    assert_string_equal(ch_scene_builtin_name(k), scenes[k].name);
    const char* const parameters[][2] = {{scenes[k].key, scenes[k].value}};
    ChScene* scene = make(scenes[k].name, 1, parameters);
    assert_int_equal(ch_world_body_count(scene->world), scenes[k].bodies);
    ChContext context = {0};
    ChSimulation* simulation;
    CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &simulation));
    scene->world = NULL;
    for (int step = 0; step < 5; ++step) {
      ChStepInfo info;
      CHECK_OK(context, ch_simulation_step(&context, simulation, &info));
      if (info.missed) fail_msg("%s: step %d missed its tolerance", scenes[k].name, step);
    }
    ch_simulation_destroy(simulation);
    ch_scene_destroy(scene);
  }
}

// The tip is on the floor and moves along it; the rod's needle has the inertia of a uniform rod.
// Pebbles that an impact pushes aside meet others that were not ahead of them: the margin must reach as far.
static void pebbles_do_not_overlap_at_long_steps(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"n", "60"}, {"contact", "rigid"}};
  ChScene* scene = make("pebble-bed", 2, parameters);
  scene->options.h = 5e-3;
  scene->options.solve.tolerance = 1e-3;
  ChSimulation* simulation = stepped(scene, 0.25);
  CHECK_AT_MOST(ch_simulation_info(simulation).penetration, 1e-4);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
}

static void painleve_rod_is_a_uniform_rod(void** state) {
  (void)state;
  ChScene* scene = make("painleve-rod", 0, NULL);
  const ChBody* rod = &scene->world->bodies[1];
  CHECK_NEAR(rod->mass, 1.0, 0.0);
  CHECK_NEAR(rod->inertia.m[2][2], 1.0 / 3.0, 1e-16);
  assert_int_equal(count_touching(scene), 1);
  ch_scene_destroy(scene);
}

static void raised_bars_start_where_their_joints_are(void** state) {
  (void)state;
  ChScene* scene = make("slider-crank", 0, NULL);
  assert_int_equal(scene->world->joint_count, 4);
  check_vector(place(scene, "slider", 0), sqrt(0.3 * 0.3 - 0.1 * 0.1), 0.0, 0.0);
  ch_scene_destroy(scene);
}

// ------------------------------------------------------------------------------------------------------ text and world

// What was read, written, is read as the same world.
static void resolved_text_is_the_same_scene(void** state) {
  (void)state;
  ChContext context = {0};
  for (int k = 0; k < ch_scene_builtin_count(); ++k) {
    ChScene *one, *two;
    CHECK_OK(context, ch_scene_open(&context, ch_scene_builtin_name(k), &one));
    CHECK_OK(context, ch_scene_parse(&context, one->text, NULL, &two));
    assert_string_equal(one->text, two->text);
    int count = ch_world_body_count(one->world);
    assert_int_equal(count, ch_world_body_count(two->world));
    assert_memory_equal(one->world->states, two->world->states, (size_t)count * sizeof *one->world->states);
    ch_scene_destroy(one);
    ch_scene_destroy(two);
  }
}

static void settings_arrive(void** state) {
  (void)state;
  static const char text[] =
      "{\"cardhouse\": 1, \"dimension\": 2, \"gravity\": [0, {\"base\": -1, \"amplitude\": 2, \"frequency\": 3}],"
      "\"step\": {\"h\": 0.002, \"until\": 7, \"stabilization\": {\"mode\": \"contacts\", \"gamma\": 0.25},"
      "  \"margin\": 0.003, \"look_ahead\": false, \"restitution\": \"poisson\", \"project\": true,"
      "  \"adaptive\": {\"gap_tolerance\": 1e-5}, \"reduce_contacts\": true, \"warm\": false, \"rest\": false},"
      "\"method\": {\"name\": \"staggered\", \"inner\": \"apgd\", \"tolerance\": 1e-6, \"cone\": \"outer-polygon:12\","
      "  \"pose\": \"relaxed\", \"max_iterations\": 77, \"work_limit\": 3e7, \"time_limit\": 2.5}}";
  ChContext context = {0};
  ChScene* scene;
  CHECK_OK(context, ch_scene_parse(&context, text, "settings.json", &scene));
  const ChSimulationOptions* o = &scene->options;
  assert_string_equal(scene->name, "settings.json");
  CHECK_NEAR(o->h, 0.002, 0.0);
  CHECK_NEAR(scene->until, 7.0, 0.0);
  assert_int_equal(o->stabilization, CH_STABILIZE_CONTACTS);
  CHECK_NEAR(o->gamma, 0.25, 0.0);
  CHECK_NEAR(o->margin, 0.003, 0.0);
  assert_int_equal(o->restitution, CH_RESTITUTION_POISSON);
  assert_true(o->project && o->adaptive && o->reduce_contacts && !o->look_ahead && !o->warm && !o->rest);
  CHECK_NEAR(o->gap_tolerance, 1e-5, 0.0);
  assert_string_equal(o->solve.method, "staggered");
  assert_string_equal(o->solve.inner, "apgd");
  assert_int_equal(o->solve.pose, CH_POSE_RELAXED);
  assert_int_equal(o->solve.max_iterations, 77);
  CHECK_NEAR(o->solve.work_limit, 3e7, 0.0);
  CHECK_NEAR(o->solve.time_limit, 2.5, 0.0);
  assert_int_equal(o->cone_sides, 12);
  assert_true(o->cone_outer);
  CHECK_NEAR(scene->world->gravity[1].amplitude, 2.0, 0.0);
  ch_scene_destroy(scene);
}

static void formulas_have_the_value_of_arithmetic(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double value;
  } good[] = {{"1+2*3", 7},     {"(1+2)*3", 9},   {"2^3^2", 512},
              {"-2^2", -4},     {"2*-3", -6},     {"8/4/2", 1},
              {"7-4-2", 1},     {"sqrt(n)*2", 6}, {"pi", 3.141592653589793},
              {" n - 1e0 ", 8}, {"cos(0)", 1},    {"4*atan(1)", 3.141592653589793},
              {"abs(-n)", 9},   {".5", 0.5}};
  static const char* const bad[] = {"",       "1+",  "(1",       "1)", "1 2", "m",     "sqrt",
                                    "sqrt 4", "1/0", "sqrt(-1)", "*",  "--",  "1e999", "2(3)"};
  json_t* parameters = json_pack("{s:i}", "n", 9);
  double value;
  char why[256];
  for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
    if (!ch_formula_value(good[k].text, parameters, &value, why, sizeof why)) fail_msg("%s: %s", good[k].text, why);
    CHECK_NEAR(value, good[k].value, 1e-15);
  }
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    if (ch_formula_value(bad[k], parameters, &value, why, sizeof why)) fail_msg("'%s' was taken for %g", bad[k], value);
    assert_true(why[0] != '\0');
  }
  char deep[4001];
  memset(deep, '(', 4000);
  deep[4000] = '\0';
  assert_false(ch_formula_value(deep, parameters, &value, why, sizeof why));
  json_decref(parameters);
}

static void text_reads_back_bit_for_bit(void** state) {
  (void)state;
  const double numbers[] = {0.1, 1.0 / 3.0, 1e300, -2.5e-310, 123456789012345680.0, 0.30000000000000004, 5e-324};
  json_t* array = json_array();
  for (int k = 0; k < 7; ++k) json_array_append_new(array, json_real(numbers[k]));
  char* text = ch_json_text(array);
  json_t* back = json_loads(text, 0, NULL);
  for (int k = 0; k < 7; ++k) {
    double value = json_number_value(json_array_get(back, (size_t)k));
    assert_memory_equal(&value, &numbers[k], sizeof value);
  }
  assert_non_null(strstr(text, " 0.1,"));
  free(text);
  json_decref(array);
  json_decref(back);
}

// Of a playing card: 63 x 88 x 0.3 mm, 1.8 g. The house is as the plain one, smaller.
static void playing_cards_have_their_size_and_weight(void** state) {
  (void)state;
  const char* const playing[][2] = {{"card", "playing"}, {"levels", "2"}};
  const char* const plain[][2] = {{"thickness", "0.0047619047619047619"}, {"levels", "2"}};
  ChScene *small = make("cards", 2, playing), *large = make("cards", 2, plain);
  for (int card = 1; card <= 7; ++card) {
    char name[16];
    snprintf(name, sizeof name, "card %d", card);
    ChBodyId id = ch_world_find_body(small->world, name);
    CHECK_NEAR(ch_world_body_info(small->world, id).mass, 1.8e-3, 1e-15);
    ChVec3 at = place(large, "card %d", card);
    ChVec3 there = place(small, "card %d", card);  // nearer to each other, but as high
    CHECK_NEAR(there.x, 0.063 * at.x, 0.063 * 0.005);
    CHECK_NEAR(there.z, 0.063 * at.z, 1e-13);
    assert_int_equal(ch_world_look(small->world, ch_world_body_row(small->world, id)).pattern, CH_PATTERN_CARD);
  }
  ch_scene_destroy(small);
  ch_scene_destroy(large);
}

// A body's look goes before its material's, key by key; the scene's own is handed on as text.
static void looks_arrive(void** state) {
  (void)state;
  static const char text[] =
      "{\"cardhouse\": 1, \"materials\": {\"oak\": {\"look\": {\"colour\": \"#B8864b\", \"pattern\": \"stripes\"}}},"
      " \"bodies\": [{\"name\": \"a\", \"look\": {\"opacity\": 0.25},"
      " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": \"oak\"}]}],"
      " \"look\": {\"camera\": {\"follow\": \"a\", \"keys\": [{\"time\": 0}, {\"time\": 2, \"fov\": 20}]}}}";
  ChContext context = {0};
  ChScene* scene = NULL;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  ChLook look = ch_world_look(scene->world, 0);
  assert_true(look.coloured && look.sheer);
  assert_int_equal(look.colour, 0xb8864b);
  CHECK_NEAR(look.opacity, 0.25, 0.0);
  assert_int_equal(look.pattern, CH_PATTERN_STRIPES);
  assert_false(ch_world_look(scene->world, 7).coloured);
  assert_non_null(strstr(scene->look, "\"follow\": \"a\""));
  ch_scene_destroy(scene);
}

static void wrong_looks_are_refused(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {"{\"background\": \"red\"}", "must be # and six hexadecimal digits"},
      {"{\"background\": \"#12345g\"}", "must be # and six hexadecimal digits"},
      {"{\"background\": 4}", "must be a colour as text"},
      {"{\"camera\": {\"fov\": 0}}", "must be 1 to 150"},
      {"{\"camera\": {\"follow\": \"b\"}}", "there is no body 'b'; did you mean 'a'?"},
      {"{\"camera\": {\"at\": [1, 2, 3], \"target\": [1, 2, 3]}}", "is at its own target"},
      {"{\"camera\": {\"keys\": [{\"time\": 1}, {\"time\": 1}]}}", "times must ascend"},
      {"{\"camera\": {\"keys\": [{\"at\": [1, 2, 3]}]}}", "\"time\" is missing"},
      {"{\"camera\": {\"keys\": [7]}}", "must be an object"},
      {"{\"colour_by\": \"sped\"}", "did you mean 'speed'?"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    char text[512];
    snprintf(text, sizeof text, "{\"cardhouse\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1}], \"look\": %s}",
             wrong[k][0]);
    ChContext context = {0};
    ChScene* scene = NULL;
    assert_int_equal(ch_scene_parse(&context, text, NULL, &scene), CH_ERR_FORMAT);
    if (!strstr(context.message, wrong[k][1])) fail_msg("%s: %s", wrong[k][0], context.message);
  }
}

// Memory that runs out anywhere is a status, never a crash.
static void failed_allocations_are_reported(void** state) {
  (void)state;
  ChContext context = {0};
  char* text;
  const char* const parameters[][2] = {{"n", "3"}};
  CHECK_OK(context, ch_scene_builtin(&context, "arch", 1, parameters, &text));
  ChStatus status = CH_ERR_MEMORY;
  int tries = 0;
  for (long n = 1; status != CH_OK && tries < 500; ++n, ++tries) {
    ChScene* scene = NULL;
    ch_arena_trim();
    ch_arena_fail_after(n);
    status = ch_scene_parse(&context, text, NULL, &scene);
    ch_arena_fail_after(0);
    assert_true((status == CH_OK) == (scene != NULL));
    if (status != CH_OK) assert_int_equal(status, CH_ERR_MEMORY);
    ch_scene_destroy(scene);
  }
  assert_int_equal(status, CH_OK);
  assert_true(tries > 1);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(S1_cards),
                                     cmocka_unit_test(cards_of_every_size_touch),
                                     cmocka_unit_test(S2_arch),
                                     cmocka_unit_test(semicircle_has_radius_one),
                                     cmocka_unit_test(S3_stack),
                                     cmocka_unit_test(S4_incline),
                                     cmocka_unit_test(S5_pile),
                                     cmocka_unit_test(S5_pile_stands_at_0_57),
                                     cmocka_unit_test(S6_box_of_spheres),
                                     cmocka_unit_test(blocks_fall_on_the_cards_one_after_the_other),
                                     cmocka_unit_test(blocks_are_thrown_at_the_leg_of_the_arch),
                                     cmocka_unit_test(blocks_fall_on_the_keystone),
                                     cmocka_unit_test(every_built_in_makes_steps),
                                     cmocka_unit_test(pebbles_do_not_overlap_at_long_steps),
                                     cmocka_unit_test(painleve_rod_is_a_uniform_rod),
                                     cmocka_unit_test(raised_bars_start_where_their_joints_are),
                                     cmocka_unit_test(resolved_text_is_the_same_scene),
                                     cmocka_unit_test(settings_arrive),
                                     cmocka_unit_test(formulas_have_the_value_of_arithmetic),
                                     cmocka_unit_test(text_reads_back_bit_for_bit),
                                     cmocka_unit_test(playing_cards_have_their_size_and_weight),
                                     cmocka_unit_test(looks_arrive),
                                     cmocka_unit_test(wrong_looks_are_refused),
                                     cmocka_unit_test(failed_allocations_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
