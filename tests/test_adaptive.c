// Steps that miss are undone to the last bit and taken in halves: what comes out is what shorter steps give, the step
// ends where it would have ended, and nothing depends on threads, checkpoints or stops.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/joint.h"
#include "cardhouse/scene.h"
#include "support/near.h"
#include "support/same_bits.h"
#include "support/worlds.h"

#define H 0.0078125  // a power of two: halves of it are exact

static ChSimulation* open_scene(const char* name, const char* text, ChSimulationOptions* out) {
  ChContext context = {0};
  ChScene* scene;
  char* built = NULL;
  if (name) CHECK_OK(context, ch_scene_builtin(&context, name, 0, NULL, &built));
  CHECK_OK(context, ch_scene_parse(&context, name ? built : text, "test", &scene));
  free(built);
  ChSimulationOptions options = scene->options;
  options.h = H;
  options.adaptive = out->adaptive;
  if (out->adaptive == CH_ADAPTIVE_OFF) options.h = out->h;
  options.halvings = out->halvings;
  options.good_steps = out->good_steps;
  options.trial_work = out->trial_work;
  options.threads = out->threads;
  if (out->solve.tolerance > 0.0) options.solve.tolerance = out->solve.tolerance;
  if (out->solve.max_iterations > 0) options.solve.max_iterations = out->solve.max_iterations;
  options.solve.method = out->solve.method;
  options.solve.work_limit = out->solve.work_limit;
  ChWorld* world = scene->world;
  scene->world = NULL;
  ch_scene_destroy(scene);
  return ch_test_start(world, &options);
}

// No solve meets 1e-16, and its limit is that of iterations: a step is rejected once and then made of two.
static ChSimulationOptions never_met(ChAdaptive adaptive, double h) {
  ChSimulationOptions o = ch_simulation_options_default();
  o.h = h;
  o.adaptive = adaptive;
  o.halvings = 1;
  o.good_steps = 1000;
  o.trial_work = 1.0;
  o.solve.tolerance = 1e-16;
  o.solve.max_iterations = 20;
  o.solve.method = "nsgs";
  o.solve.work_limit = 2e6;
  return o;
}

static void check_same_motion(const ChSimulation* a, const ChSimulation* b) {
  int bodies = ch_world_body_count(ch_simulation_world(a)), mine, other;
  for (int k = 0; k < bodies; ++k) {
    ChBodyView x = ch_simulation_body_at(a, k), y = ch_simulation_body_at(b, k);
    assert_memory_equal(&x.position, &y.position, sizeof x.position);
    assert_memory_equal(&x.velocity, &y.velocity, sizeof x.velocity);
    assert_memory_equal(&x.omega, &y.omega, sizeof x.omega);
    const double *q = ch_simulation_modes(a, ch_body_id(k), &mine), *p = ch_simulation_modes(b, ch_body_id(k), &other);
    assert_int_equal(mine, other);
    if (mine > 0) assert_memory_equal(q, p, (size_t)mine * sizeof *q);
  }
  const ChContactView *c = ch_simulation_contacts(a, &mine), *d = ch_simulation_contacts(b, &other);
  assert_int_equal(mine, other);
  for (int k = 0; k < mine; ++k) assert_memory_equal(&c[k].force, &d[k].force, sizeof c[k].force);
}

// Of a motor, a kinematic body, a spring, formulas of time.
static const char driven[] =
    "{\"cardhouse\": 1, \"gravity\": [{\"amplitude\": 1, \"frequency\": 3}, 0, -9.81], \"bodies\": ["
    "{\"name\": \"belt\", \"motion\": [{\"amplitude\": 0.2, \"frequency\": 2}, 0, 0],"
    "  \"shapes\": [{\"type\": \"box\", \"half\": [2, 2, 0.5]}]},"
    "{\"name\": \"a\", \"position\": [0, 0, 1], \"shapes\": [{\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}]},"
    "{\"name\": \"arm\", \"position\": [0.1, 0, 2], \"shapes\": [{\"type\": \"box\", \"half\": [0.5, 0.3, 0.5]}]}],"
    "\"joints\": [{\"type\": \"hinge\", \"bodies\": [\"a\", \"arm\"], \"at\": [0, 0, 1.5], \"axis\": [0, 1, 0],"
    "  \"axes\": [{\"drive\": \"velocity\", \"target\": {\"amplitude\": 2, \"frequency\": 1}, \"strength\": 50}]}],"
    "\"forces\": [{\"type\": \"spring\", \"bodies\": [\"ground\", \"arm\"], \"at\": [[0, 0, 4], [0, 0, 0.5]],"
    "  \"stiffness\": 100, \"damping\": 3}]}";

static const char soft[] =
    "{\"cardhouse\": 1, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]},"
    "{\"name\": \"bar\", \"position\": [0, 0, 0.03], \"soft\": {\"mesh\": {\"shape\": \"bar\", \"size\": [0.3, 0.06, "
    "0.06],"
    "  \"cells\": [6, 1, 1]}, \"model\": \"modal\", \"young\": 400000, \"poisson\": 0.4, \"modes\": 4}}]}";

// Balls that yield where they touch.
static const char yielding[] =
    "{\"cardhouse\": 1, \"contact\": \"compliant\", \"materials\": {\"rubber\": {\"density\": 1000, "
    "\"stiffness\": 3e4}},"
    "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\", \"material\": "
    "\"rubber\"}]},"
    "{\"name\": \"a\", \"position\": [0, 0, 0.0999], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1, "
    "\"material\": "
    "\"rubber\"}]},"
    "{\"name\": \"b\", \"position\": [0.05, 0, 0.295], \"velocity\": [0, 0, -1], \"shapes\": [{\"type\": \"sphere\", "
    "\"radius\": 0.1, \"material\": \"rubber\"}]}]}";

// Two cubes with less room than they need, and another that sinks into the floor.
static const char tight[] =
    "{\"cardhouse\": 1, \"step\": {\"overlap\": 0.1}, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": "
    "[{\"type\": \"box\", \"half\": "
    "[9, 9, 1], \"at\": [0, 0, -1]},"
    "  {\"type\": \"box\", \"half\": [1, 1, 1], \"at\": [-2, 0, 1]}, {\"type\": \"box\", \"half\": [1, 1, 1], \"at\": "
    "[2, "
    "0, 1]}]},"
    "{\"name\": \"a\", \"position\": [-0.5, 0, 0.501], \"shapes\": [{\"type\": \"box\", \"half\": [0.501, 0.5, 0.5]}]},"
    "{\"name\": \"b\", \"position\": [0.5, 0, 0.501], \"shapes\": [{\"type\": \"box\", \"half\": [0.501, 0.5, 0.5]}]},"
    "{\"name\": \"c\", \"position\": [6, 0, 0.45], \"shapes\": [{\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}]}]}";

// Of a step of two substeps what two steps say: sums of what was done, the worst of what went wrong, the last state.
static void check_figures(const ChStepInfo* whole, const ChStepInfo* first, const ChStepInfo* second) {
  CHECK_NEAR(whole->work, first->work + second->work, 0.0);
  CHECK_NEAR(whole->gain, first->gain + second->gain, 0.0);
  CHECK_NEAR(whole->kinetic, second->kinetic, 0.0);
  CHECK_NEAR(whole->potential, second->potential, 0.0);
  CHECK_NEAR(whole->stored, second->stored, 0.0);
  CHECK_NEAR(whole->penetration, fmax(first->penetration, second->penetration), 0.0);
  CHECK_NEAR(whole->overlap, fmax(first->overlap, second->overlap), 0.0);
  CHECK_NEAR(whole->deferred, fmax(first->deferred, second->deferred), 0.0);
  CHECK_NEAR(whole->relaxed, fmax(first->relaxed, second->relaxed), 0.0);
  CHECK_NEAR(whole->joint_error, fmax(first->joint_error, second->joint_error), 0.0);
#define X(name, text) CHECK_NEAR(whole->certificate.name, fmax(first->certificate.name, second->certificate.name), 0.0);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  assert_int_equal(whole->contacts, second->contacts);
  assert_int_equal(whole->impacts, first->impacts + second->impacts);
  long tried = whole->iterations - first->iterations - second->iterations;
  assert_true(whole->rejected > 0 ? tried > 0 : tried == 0);
}

static void halves_are_the_bits_of_a_simulation_with_half_the_step(void** state) {
  (void)state;
  const struct {
    const char *name, *text;
  } scenes[] = {{"cards", NULL}, {NULL, driven}, {NULL, soft}, {NULL, yielding}, {NULL, tight}};
  double stored = 0.0, relaxed = 0.0, deferred = 0.0;
  for (int k = 0; k < 5; ++k) {
    ChSimulationOptions whole = never_met(CH_ADAPTIVE_MISS, H), half = never_met(CH_ADAPTIVE_OFF, 0.5 * H);
    ChSimulation* a = open_scene(scenes[k].name, scenes[k].text, &whole);
    ChSimulation* b = open_scene(scenes[k].name, scenes[k].text, &half);
    for (int step = 1; step <= 6; ++step) {
      ChStepInfo info = ch_test_step(a), first = ch_test_step(b), second = ch_test_step(b);
      assert_int_equal(info.rejected, step == 1);  // no longer one is tried before two were good
      assert_int_equal(info.substeps, 2);
      assert_true(info.time == step * H && info.shortest == 0.5 * H);
      check_figures(&info, &first, &second);
      check_same_motion(a, b);
      stored = fmax(stored, info.stored);
      relaxed = fmax(relaxed, info.relaxed);
      deferred = fmax(deferred, info.deferred);
    }
    ch_simulation_destroy(a);
    ch_simulation_destroy(b);
  }
  assert_true(stored > 0.0 && relaxed > 0.0 && deferred > 0.0);
}

// A trial has no work to speak of, the floor has.
static ChSimulationOptions often_rejected(int threads) {
  ChSimulationOptions o = ch_simulation_options_default();
  o.adaptive = CH_ADAPTIVE_MISS;
  o.halvings = 3;
  o.good_steps = 3;
  o.trial_work = 1e-6;
  o.threads = threads;
  o.solve.tolerance = 1e-8;
  return o;
}

static const char falling[] =
    "{\"cardhouse\": 1, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]},"
    "{\"name\": \"a\", \"position\": [0, 0, 0.52], \"omega\": [0, 1, 2], \"shapes\": [{\"type\": \"box\", \"half\": "
    "[0.5, 0.5, "
    "0.5]}]},"
    "{\"name\": \"b\", \"position\": [3, 0, 0.6], \"velocity\": [1, 0, -1], \"shapes\": [{\"type\": \"box\", \"half\": "
    "[0.5, "
    "0.5, 0.5]}]},"
    "{\"name\": \"c\", \"position\": [3.1, 0.1, 1.7], \"velocity\": [0, 1, -2], \"shapes\": [{\"type\": \"box\", "
    "\"half\": "
    "[0.5, 0.5, 0.5]}]}]}";

static void neither_threads_nor_checkpoints_change_a_bit(void** state) {
  (void)state;
  ChSimulationOptions one = often_rejected(1), two = often_rejected(2);
  ChSimulation *a = open_scene(NULL, falling, &one), *b = open_scene(NULL, falling, &two);
  ChContext context = {0};
  long rejected = 0, middle = 0;
  for (int step = 0; step < 40; ++step) {
    ChStepInfo info = ch_test_step(a);
    rejected += info.rejected;
    middle += info.substeps > 1;
    ch_test_step(b);
    ch_check_same_bits(a, b);
    size_t size;
    char* bytes = ch_saved(b, &size);
    ch_simulation_destroy(b);
    b = open_scene(NULL, falling, &two);
    CHECK_OK(context, ch_simulation_load(&context, b, bytes, size));
    free(bytes);
  }
  assert_true(rejected >= 3 && middle > 5);
  ch_simulation_destroy(a);
  ch_simulation_destroy(b);
}

static void steps_end_on_time_and_grow_back(void** state) {
  (void)state;
  ChSimulationOptions o = often_rejected(1);
  ChSimulation* s = open_scene(NULL, falling, &o);
  ChStepInfo info = {0};
  double shortest = INFINITY;
  int most = 0;
  for (int step = 1; step <= 400; ++step) {
    info = ch_test_step(s);
    assert_true(info.time == step * H && info.h == H);
    shortest = fmin(shortest, info.shortest);
    if (info.substeps > most) most = info.substeps;
    assert_true(info.shortest * 8.0 >= H && info.substeps <= 8);
  }
  assert_true(shortest == H / 8.0 && most > 3);
  assert_int_equal(info.substeps, 1);  // at rest
  ch_simulation_destroy(s);
}

// A body that the caller leads somewhere arrives when the step ends, at an even speed.
static void led_bodies_arrive_at_the_end_of_the_whole_step(void** state) {
  (void)state;
  static const char text[] =
      "{\"cardhouse\": 1, \"bodies\": [{\"name\": \"tray\", \"motion\": [0, 0, 0], \"shapes\": [{\"type\": \"box\", "
      "\"half\": [2, 2, "
      "0.5]}]},"
      "{\"name\": \"a\", \"position\": [0, 0, 1], \"shapes\": [{\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}]}]}";
  ChSimulationOptions o = never_met(CH_ADAPTIVE_MISS, H);
  o.halvings = 2;
  ChSimulation* s = open_scene(NULL, text, &o);
  ChContext context = {0};
  for (int step = 1; step <= 10; ++step) {
    double way = 1e-5 * step * step;
    CHECK_OK(context,
             ch_simulation_move(&context, s, ch_body_id(0), ch_vec(way, 0, 0), (ChQuat){1.0, 0.0, 0.0, 0.0}, 0.0));
    ChStepInfo info = ch_test_step(s);
    assert_int_equal(info.substeps, 4);
    CHECK_NEAR(ch_simulation_body_at(s, 0).position.x, way, 0.0);
    CHECK_NEAR(ch_simulation_body_at(s, 0).velocity.x, 1e-5 * (2 * step - 1) / H, 1e-12);
    CHECK_NEAR(ch_simulation_body_at(s, 1).position.x, way, 1e-6);  // it sticks
  }
  ch_simulation_destroy(s);
}

// Where halves do not help, the default makes of a step what `off` makes of it, to the last bit, and leaves the next
// ones alone for a while.
static void the_default_never_makes_less_of_a_step(void** state) {
  (void)state;
  static const char* const large[][2] = {{"n", "22"}};
  ChContext context = {0};
  char* text;
  CHECK_OK(context, ch_scene_builtin(&context, "pile", 1, large, &text));
  ChSimulationOptions halves = never_met(CH_ADAPTIVE_LARGE, H), off = never_met(CH_ADAPTIVE_OFF, H);
  ChSimulation *a = open_scene(NULL, text, &halves), *b = open_scene(NULL, text, &off);
  free(text);
  for (int step = 1; step <= 4; ++step) {
    ChStepInfo mine = ch_test_step(a), other = ch_test_step(b);
    assert_true(mine.contacts >= 500 && mine.missed && other.missed);
    assert_int_equal(mine.rejected, step == 1 ? 2 : 0);  // the whole, and its first half
    assert_int_equal(mine.substeps, 1);
    CHECK_NEAR(mine.certificate.natural, other.certificate.natural, 0.0);
    check_same_motion(a, b);
  }
  ch_simulation_destroy(a);
  ch_simulation_destroy(b);
}

// The least limit, to a third, with which a whole step of the scene is certified.
static double limit_of_a_step(const char* text, ChSimulationOptions o) {
  o.adaptive = CH_ADAPTIVE_OFF;
  for (o.solve.work_limit = 2e6; o.solve.work_limit < 1e9; o.solve.work_limit *= 1.3) {
    ChSimulation* s = open_scene(NULL, text, &o);
    ChStepInfo info = ch_test_step(s);
    ch_simulation_destroy(s);
    if (!info.missed) return o.solve.work_limit;
  }
  fail_msg("no limit suffices");
  return 0.0;
}

// Substeps that meet their tolerance and get on have more than twelve limits in all, asked for or not.
static void the_default_goes_on_where_halves_get_on(void** state) {
  (void)state;
  static const char* const large[][2] = {{"n", "22"}};
  ChContext context = {0};
  char* text;
  CHECK_OK(context, ch_scene_builtin(&context, "pile", 1, large, &text));
  ChSimulationOptions first = never_met(CH_ADAPTIVE_MISS, H);
  first.halvings = 5;
  first.solve.method = "auto";  // what it leaves stands, certified or not
  first.solve.max_iterations = 100000;
  first.solve.work_limit = 3e7;
  ChSimulationOptions whole = first;
  whole.solve.tolerance = 1e-2;
  ChSimulation* s = open_scene(NULL, text, &first);
  assert_int_equal(ch_test_step(s).substeps, 32);  // none met: the next step begins with the shortest
  ChSimulationOptions then = *ch_simulation_options(s);
  then.adaptive = CH_ADAPTIVE_LARGE;
  then.warm = false;  // each is as hard as the first
  then.rest = false;
  then.solve.tolerance = whole.solve.tolerance;
  then.solve.work_limit = 4.0 * limit_of_a_step(text, whole);  // short ones take three times the work of a whole one
  free(text);
  ch_test_set_options(s, &then);
  ChStepInfo info = ch_test_step(s);
  assert_true(info.contacts >= 500 && !info.missed);
  assert_int_equal(info.substeps, 32);  // with more than twelve limits and less than 64
  ch_simulation_destroy(s);
}

// Limits on the clock leave no time for it, baselines miss as a rule, and small steps are left alone by default.
static void some_steps_are_never_halved(void** state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    ChSimulationOptions o = often_rejected(1);
    if (k == 2) o.adaptive = CH_ADAPTIVE_LARGE;
    ChSimulation* s = open_scene(NULL, falling, &o);
    ChSimulationOptions own = *ch_simulation_options(s);
    if (k == 0) own.step_limit = 10.0;
    if (k == 1) own.solve.method = "pgs";
    ch_test_set_options(s, &own);
    ch_test_step(s);
    for (int step = 0; step < 10; ++step) assert_int_equal(ch_test_step(s).rejected, 0);
    ch_simulation_destroy(s);
  }
}

static void options_out_of_range_are_refused(void** state) {
  (void)state;
  ChSimulationOptions o = often_rejected(1);
  ChSimulation* s = open_scene(NULL, falling, &o);
  ChSimulationOptions bad[5];
  for (int k = 0; k < 5; ++k) bad[k] = *ch_simulation_options(s);
  bad[0].halvings = 0;
  bad[1].halvings = 21;
  bad[2].good_steps = 0;
  bad[3].trial_work = NAN;
  bad[4].adaptive = (ChAdaptive)4;
  for (int k = 0; k < 5; ++k) {
    ChContext context = {0};
    assert_int_equal(ch_simulation_check_options(&context, s, &bad[k]), CH_ERR_RANGE);
  }
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(halves_are_the_bits_of_a_simulation_with_half_the_step),
      cmocka_unit_test(neither_threads_nor_checkpoints_change_a_bit),
      cmocka_unit_test(steps_end_on_time_and_grow_back),
      cmocka_unit_test(led_bodies_arrive_at_the_end_of_the_whole_step),
      cmocka_unit_test(the_default_never_makes_less_of_a_step),
      cmocka_unit_test(the_default_goes_on_where_halves_get_on),
      cmocka_unit_test(some_steps_are_never_halved),
      cmocka_unit_test(options_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
