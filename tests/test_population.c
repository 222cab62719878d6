// Bodies and joints that come and go between steps: the rest goes on as if nothing had happened.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "cardhouse/joint.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81, h = 1e-3;
static const ChVec3 still = {0.0, 0.0, 0.0};
static ChContext context;

enum { PILE = 6 };

// Boxes that tumble on the floor about x; returns the row of the first.
static int add_pile(ChWorld* world, double x) {
  int first = ch_world_body_count(world);
  for (int k = 0; k < PILE; ++k)
    ch_test_box(world, ch_vec(x + 0.03 * k, 0.02 * k * (k % 2), 0.11 + 0.22 * k), ch_vec(0.1, 0.08, 0.1));
  return first;
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

static ChSimulation* two_piles(void) {
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  add_pile(world, -5.0);
  add_pile(world, 5.0);
  return start(world);
}

// One pile is taken away while both tumble; the other's motion is the same to the last bit, iterations and all.
static void what_stays_goes_on_bit_for_bit(void** state) {
  (void)state;
  ChSimulation *s = two_piles(), *other = two_piles();
  ChBodyId gone[PILE], stays[PILE];
  for (int k = 0; k < PILE; ++k) {
    gone[k] = ch_world_body_at(ch_simulation_world(s), 1 + k);
    stays[k] = ch_world_body_at(ch_simulation_world(s), 1 + PILE + k);
  }
  for (int n = 0; n < 200; ++n) ch_test_step(s), ch_test_step(other);
  for (int k = 0; k < PILE; ++k) CHECK_OK(context, ch_simulation_remove_body(&context, s, gone[k]));
  assert_int_equal(ch_world_body_count(ch_simulation_world(s)), 1 + PILE);
  for (int n = 0; n < 200; ++n) ch_test_step(s), ch_test_step(other);
  for (int k = 0; k < PILE; ++k) {
    ChBodyView a = ch_simulation_body(s, stays[k]), b = ch_simulation_body_at(other, 1 + PILE + k);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(ch_world_body_row(ch_simulation_world(s), stays[k]), 1 + k);
    assert_true(isnan(ch_simulation_body(s, gone[k]).position.x));
  }
  assert_int_equal(ch_simulation_remove_body(&context, s, gone[0]), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "was removed"));
  ch_simulation_destroy(s);
  ch_simulation_destroy(other);
}

// A house at rest starts from its own reactions when something far away comes or goes: it needs no iteration, but for
// those that improve a start which passes. From nothing it needs many.
static void warm_starts_survive(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  ChBodyId far = ch_body_id(ch_test_box(world, ch_vec(9.0, 0.0, 5.0), ch_vec(0.1, 0.1, 0.1)));
  for (int k = 0; k < 5; ++k) ch_test_box(world, ch_vec(0.0, 0.0, 0.125 + 0.25 * k), ch_vec(0.1, 0.1, 0.125));
  ChSimulation* s = start(world);
  assert_true(ch_test_step(s).iterations > 20);
  for (int n = 0; n < 20; ++n) ch_test_step(s);
  CHECK_OK(context, ch_simulation_remove_body(&context, s, far));
  assert_true(ch_test_step(s).iterations <= 2);
  ChBodyDef def = ch_body_def_default();
  ChShapeDef ball = ch_shape_def_default();
  ball.radius = 0.2;
  def.position = ch_vec(-9.0, 0.0, 5.0);
  CHECK_OK(context, ch_simulation_add_body(&context, s, &def, 1, &ball, NULL));
  assert_true(ch_test_step(s).iterations <= 2);
  ch_simulation_destroy(s);
}

// It falls, lands and rests like one that was always there; its id is its own, though it takes the place of another.
static void a_body_may_come_on_the_way(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  ChBodyId first = ch_body_id(ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, still)), id;
  ChSimulation* s = start(world);
  const ChWorld* w = ch_simulation_world(s);
  for (int n = 0; n < 10; ++n) ch_test_step(s);
  CHECK_OK(context, ch_simulation_remove_body(&context, s, first));
  ChBodyDef def = ch_body_def_default();
  def.name = "late";
  def.position = ch_vec(1.0, 0.0, 0.5);
  ChShapeDef shapes[2] = {ch_shape_def_default(), ch_shape_def_default()};
  for (int k = 0; k < 2; ++k) shapes[k].radius = 0.1, shapes[k].at = ch_vec(k ? 0.3 : 0.0, 0.0, 0.0);
  CHECK_OK(context, ch_simulation_add_body(&context, s, &def, 2, shapes, &id));
  assert_false(ch_body_id_equal(id, first));
  assert_true(ch_body_id_equal(ch_world_find_body(w, "late"), id));
  assert_int_equal(ch_world_body_count(w), 2);
  CHECK_NEAR(ch_simulation_body(s, id).position.x, 1.15, 1e-12);  // of the centre of mass
  for (int n = 0; n < 100; ++n) ch_test_step(s);
  CHECK_NEAR(ch_simulation_body(s, id).velocity.z, -g * 100 * h, 1e-9);
  ch_test_run(s, 1.5);
  CHECK_NEAR(ch_simulation_body(s, id).position.z, 0.1, 1e-5);
  int count;
  ch_simulation_contacts(s, &count);
  assert_int_equal(count, 2);
  assert_int_equal(ch_simulation_push(&context, s, first, still, still), CH_ERR_RANGE);
  shapes[1].radius = NAN;
  def.name = "never";
  assert_int_equal(ch_simulation_add_body(&context, s, &def, 2, shapes, NULL), CH_ERR_RANGE);
  assert_int_equal(ch_world_body_count(w), 2);
  assert_true(ch_body_id_is_none(ch_world_find_body(w, "never")));
  for (int k = 0; k < 100; ++k) {  // more than there was room for, some of which go again
    char name[32];
    snprintf(name, sizeof name, "more %d", k);
    def.name = name;
    def.position = ch_vec(3.0 + 0.5 * k, 0.0, 1.0);
    CHECK_OK(context, ch_simulation_add_body(&context, s, &def, 1, shapes, NULL));
    ChBodyId odd = ch_world_find_body(w, name);
    if (k % 3 == 1) CHECK_OK(context, ch_simulation_remove_body(&context, s, odd));
    ch_test_step(s);
  }
  assert_int_equal(ch_world_body_count(w), 2 + 67);
  ch_simulation_destroy(s);
}

// A ball that falls is caught by a ball joint, and swings about its point; let go, it falls with g again.
static void a_joint_may_come_and_go(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ChBodyId ball = ch_body_id(ch_test_ball(world, ch_vec(1.0, 0.0, 5.0), 0.1, still));
  ChSimulation* s = start(world);
  for (int n = 0; n < 50; ++n) ch_test_step(s);
  ChVec3 at = ch_simulation_body(s, ball).position, pivot = ch_vec(0.0, 0.0, at.z);
  ChJointDef def = ch_joint_def_default();
  def.type = CH_JOINT_BALL;
  def.body[0] = CH_GROUND, def.body[1] = ball;
  def.at = pivot;
  ChJointId joint;
  CHECK_OK(context, ch_simulation_add_joint(&context, s, &def, &joint));
  for (int n = 0; n < 300; ++n) assert_true(ch_test_step(s).joint_error < 1e-3);
  CHECK_NEAR(ch_norm(ch_sub(ch_simulation_body(s, ball).position, pivot)), 1.0, 1e-3);
  assert_true(ch_norm(ch_simulation_joint(s, joint).force) > 0.1);
  CHECK_OK(context, ch_simulation_remove_joint(&context, s, joint));
  assert_int_equal(ch_simulation_remove_joint(&context, s, joint), CH_ERR_RANGE);
  ChVec3 v = ch_simulation_body(s, ball).velocity;
  for (int n = 0; n < 10; ++n) ch_test_step(s);
  CHECK_NEAR(ch_simulation_body(s, ball).velocity.z, v.z - 10 * h * g, 1e-12);
  CHECK_NEAR(ch_simulation_body(s, ball).velocity.x, v.x, 1e-12);
  ch_simulation_destroy(s);
}

// Joined bodies do not touch; when the joint goes they do. A body that goes takes its joints with it.
static void a_joint_that_goes_lets_bodies_touch(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  ChBodyId box[3];
  for (int k = 0; k < 3; ++k)
    box[k] = ch_body_id(ch_test_box(world, ch_vec(0.0, 0.0, 0.1 + 0.2 * k), ch_vec(0.1, 0.1, 0.1)));
  ChJointDef def = ch_joint_def_default();
  ChJointId joint[2];
  for (int k = 0; k < 2; ++k) {
    def.body[0] = box[k], def.body[1] = box[k + 1];
    joint[k] = ch_test_joint(world, &def);
  }
  ChSimulation* s = start(world);
  int count;
  ch_test_step(s);
  ch_simulation_contacts(s, &count);
  assert_int_equal(count, 4);
  CHECK_OK(context, ch_simulation_remove_joint(&context, s, joint[0]));
  ch_test_step(s);
  ch_simulation_contacts(s, &count);
  assert_int_equal(count, 8);
  CHECK_OK(context, ch_simulation_remove_body(&context, s, box[2]));
  assert_int_equal(ch_world_joint_count(ch_simulation_world(s)), 0);
  assert_true(isnan(ch_simulation_joint(s, joint[1]).force.x));
  ch_test_run(s, 0.1);
  ch_simulation_destroy(s);
}

// A file has one set of bodies: who records is told when it changes.
static void a_recording_refuses_other_bodies(void** state) {
  (void)state;
  char path[] = "population_XXXXXX";
  close(mkstemp(path));
  ChSimulation* s = two_piles();
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, NULL, 1, false, &trajectory));
  ch_test_step(s);
  CHECK_OK(context, ch_trajectory_add(&context, trajectory, s));
  CHECK_OK(context, ch_simulation_remove_body(&context, s, ch_world_body_at(ch_simulation_world(s), 3)));
  ch_test_step(s);
  assert_int_equal(ch_trajectory_add(&context, trajectory, s), CH_ERR_UNSUPPORTED);
  assert_int_equal(ch_trajectory_close(&context, trajectory), CH_OK);
  ch_simulation_destroy(s);
  unlink(path);
}

// --- from a scene's text ---------------------------------------------------------------------------------------------

#define HEAD "{\"cardhouse\": 1, \"bodies\": ["
#define FIRST                                                                        \
  "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]}," \
  "{\"name\": \"box\", \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"half\": [0.1, 0.1, 0.1]}]}"
// Its centre of mass is not its origin.
#define LATE                                                                                                          \
  "{\"name\": \"late\", \"position\": [0.02, 0.01, 0.6], \"velocity\": [0.1, 0, 0], \"shapes\": ["                    \
  "{\"type\": \"box\", \"half\": [0.1, 0.1, 0.1]}, {\"type\": \"sphere\", \"radius\": 0.1, \"at\": [0.2, 0, 0]}]},"   \
  "{\"name\": \"arm\", \"position\": [3, 0, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1, \"at\": [0, 0, " \
  "-0.1]}]}],"                                                                                                        \
  "\"joints\": [{\"type\": \"hinge\", \"name\": \"pin\", \"bodies\": [\"ground\", \"arm\"], \"at\": [3, 0, 1.3], "    \
  "\"axis\": [0, 1, 0]}],"                                                                                            \
  "\"forces\": [{\"type\": \"spring\", \"name\": \"rope\", \"bodies\": [\"late\", \"ground\"], \"stiffness\": 40, "   \
  "\"damping\": 1,"                                                                                                   \
  "\"at\": [[0.1, 0, 0.1], [0, 0, 2]]}]}"

static ChSimulation* from_text(const char* text) {
  ChScene* scene;
  ChSimulation* s;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &s));
  scene->world = NULL;
  ch_scene_destroy(scene);
  return s;
}

// Bodies, a joint and a spring that come before the first step are as if they had always been there, to the last bit.
static void what_comes_from_a_text_is_what_a_scene_has(void** state) {
  (void)state;
  ChSimulation *whole = from_text(HEAD FIRST "," LATE), *s = from_text(HEAD FIRST "]}");
  CHECK_OK(context, ch_scene_add_to(&context, s, HEAD LATE, NULL));
  const ChWorld* world = ch_simulation_world(s);
  assert_int_equal(ch_world_body_count(world), 4);
  assert_int_equal(ch_world_force_count(world), 1);
  for (int n = 0; n < 500; ++n) ch_test_step(s), ch_test_step(whole);
  for (int b = 0; b < 4; ++b) {
    ChBodyView one = ch_simulation_body_at(s, b), other = ch_simulation_body_at(whole, b);
    assert_memory_equal(&one, &other, sizeof one);
  }
  ch_simulation_destroy(s);
  ch_simulation_destroy(whole);
}

// Of a text of which the last thing is wrong, nothing is added; the message says where.
static void a_wrong_text_adds_nothing(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {HEAD "{\"mass\": 1}, {\"mass\": -1}]}", "$.bodies[1].mass"},
      {HEAD "{\"name\": \"box\", \"mass\": 1}]}", "$.bodies[0]"},
      {HEAD "{\"name\": \"a\", \"mass\": 1}], \"joints\": [{\"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"at\": "
            "[0, 0, 0], \"axis\": [0, 1, 0]}]}",
       "there is no body 'b'"},
      {HEAD "{\"mass\": 1}], \"materials\": {\"ice\": {\"friction\": 0}}}", "materials cannot be added"},
      {"{\"cardhouse\": 1, \"dimension\": 2}", "dimension 2"},
      {"{", "1:"},
  };
  ChSimulation* s = from_text(HEAD FIRST "]}");
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    assert_int_not_equal(ch_scene_add_to(&context, s, wrong[k][0], NULL), CH_OK);
    if (!strstr(context.message, wrong[k][1])) fail_msg("'%s' is not in: %s", wrong[k][1], context.message);
    assert_int_equal(ch_world_body_count(ch_simulation_world(s)), 2);
  }
  ch_test_step(s);
  ch_simulation_destroy(s);
}

// A spring that comes between two free bodies turns them back; once it has gone they drift with constant velocity.
static void a_spring_may_come_and_go(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  ch_test_ball(world, ch_vec(-1.0, 0.0, 0.0), 0.1, ch_vec(-1.0, 0.0, 0.0));
  ch_test_ball(world, ch_vec(1.0, 0.0, 0.0), 0.1, ch_vec(1.0, 0.0, 0.0));
  ChSimulation* s = start(world);
  const ChWorld* w = ch_simulation_world(s);
  ChForceDef def = ch_force_def_default();
  for (int k = 0; k < 2; ++k) def.body[k] = ch_world_body_at(w, k);
  double mass = ch_world_body_info(w, def.body[0]).mass, period = 2.0;
  def.name = "rope";
  def.stiffness = 0.5 * mass * pow(2.0 * 3.141592653589793 / period, 2.0);  // of the reduced mass
  ChForceId id;
  CHECK_OK(context, ch_simulation_add_force(&context, s, &def, &id));
  assert_true(ch_force_id_equal(ch_world_find_force(w, "rope"), id));
  ch_test_run(s, 0.5 * period);                                   // half a swing, from rest length to rest length
  CHECK_NEAR(ch_simulation_body_at(s, 1).position.x, 1.0, 0.01);  // the step is implicit: first order in h
  CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.x, -1.0, 0.01);
  CHECK_OK(context, ch_simulation_remove_force(&context, s, id));
  double before = ch_simulation_body_at(s, 1).velocity.x;
  ch_test_run(s, 0.2);
  assert_true(ch_simulation_body_at(s, 1).velocity.x == before);
  assert_int_equal(ch_simulation_remove_force(&context, s, id), CH_ERR_RANGE);
  assert_true(ch_force_id_is_none(ch_world_find_force(w, "rope")));
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stays_goes_on_bit_for_bit),
      cmocka_unit_test(warm_starts_survive),
      cmocka_unit_test(a_body_may_come_on_the_way),
      cmocka_unit_test(a_joint_may_come_and_go),
      cmocka_unit_test(a_joint_that_goes_lets_bodies_touch),
      cmocka_unit_test(a_recording_refuses_other_bodies),
      cmocka_unit_test(what_comes_from_a_text_is_what_a_scene_has),
      cmocka_unit_test(a_wrong_text_adds_nothing),
      cmocka_unit_test(a_spring_may_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
