// Facts about the gallery's scenes, in small: a screw descends by its pitch a turn or holds itself,
// links stay in links and carry their weight, sprockets turn as their teeth say, a ball on a chain goes through a wall.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "cardhouse/contact.h"
#include "cardhouse/scene.h"
#include "support/near.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static ChSimulation* make(const char* name, int count, const char* const (*parameters)[2]) {
  ChContext context = {0};
  char* text;
  ChScene* scene = NULL;
  ChSimulation* simulation;
  CHECK_OK(context, ch_scene_builtin(&context, name, count, parameters, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  free(text);
  scene->options.solve.tolerance = 1e-6;
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &simulation));
  scene->world = NULL;
  ch_scene_destroy(scene);
  return simulation;
}

// No step misses its tolerance or is out of bounds.
static ChStepInfo step(ChSimulation* s) {
  ChContext context = {0};
  ChStepInfo info;
  CHECK_OK(context, ch_simulation_step(&context, s, &info));
  if (info.missed || info.bounds) fail_msg("step at %g s: missed %d, bounds %d", info.time, info.missed, info.bounds);
  return info;
}

static int row_of(const ChSimulation* s, const char* format, int number) {
  char name[64];
  snprintf(name, sizeof name, format, number);
  const ChWorld* world = ch_simulation_world(s);
  int row = ch_world_body_row(world, ch_world_find_body(world, name));
  if (row < 0) fail_msg("there is no body '%s'", name);
  return row;
}

// Of a quaternion, about an axis of the world, from one to the next.
static double turned(ChQuat from, ChQuat to, ChVec3 axis) {
  ChQuat d = ch_quat_product(to, ch_quat_conjugate(from));
  double half = ch_dot(ch_vec(d.x, d.y, d.z), axis);
  return 2.0 * atan2(d.w < 0.0 ? -half : half, fabs(d.w));
}

// --------------------------------------------------------------------------------------------------------------- screw

typedef struct Descent {
  double down, turn, energy;  // metres, radian, joule gained since the start
} Descent;

static Descent descend(ChSimulation* s, int steps) {
  int row = row_of(s, "screw", 0);
  ChBodyView start = ch_simulation_body_at(s, row), last = start;
  ChStepInfo first = ch_simulation_info(s), info = first;
  Descent d = {0};
  for (int k = 0; k < steps; ++k) {
    info = step(s);
    ChBodyView now = ch_simulation_body_at(s, row);
    d.turn += turned(last.orientation, now.orientation, ch_vec(0.0, 0.0, 1.0));
    last = now;
  }
  d.down = start.position.z - last.position.z;
  d.energy = info.kinetic + info.potential - first.kinetic - first.potential;
  return d;
}

// z = pitch phi / (2 pi), but for the play of the thread, a 25th of the pitch.
static void a_screw_descends_by_its_pitch_a_turn(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"turns", "3"}, {"nut", "1"}, {"around", "24"}};
  ChSimulation* s = make("screw", 3, parameters);
  Descent d = descend(s, 140);
  CHECK_AT_MOST(0.003, d.down);
  CHECK_NEAR(d.down, -0.005 * d.turn / (2.0 * PI), 2e-4);
  CHECK_AT_MOST(d.energy, 1e-9);
  ch_simulation_destroy(s);
}

// Above mu = pitch / (2 pi r), about 0.09, friction holds it: no more than the play is lost.
static void a_rough_screw_holds_itself(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"turns", "3"}, {"nut", "1"}, {"around", "24"}, {"mu", "0.3"}};
  ChSimulation* s = make("screw", 4, parameters);
  Descent d = descend(s, 60);
  CHECK_AT_MOST(fabs(d.down), 2e-4);
  ch_simulation_destroy(s);
}

// --------------------------------------------------------------------------------------------------------------- links

enum { CIRCLE = 48 };

// The middle of a round link's wire.
static void circle_of(const ChSimulation* s, int row, double radius, ChVec3 at[CIRCLE]) {
  ChBodyView body = ch_simulation_body_at(s, row);
  for (int k = 0; k < CIRCLE; ++k) {
    double a = 2.0 * PI * k / CIRCLE;
    at[k] = ch_add(body.position, ch_rotate(body.orientation, ch_vec(radius * cos(a), 0.0, radius * sin(a))));
  }
}

// Gauss' integral: how often one goes through the other.
static double linking(const ChVec3 a[CIRCLE], const ChVec3 b[CIRCLE]) {
  double sum = 0.0;
  for (int i = 0; i < CIRCLE; ++i)
    for (int j = 0; j < CIRCLE; ++j) {
      ChVec3 da = ch_sub(a[(i + 1) % CIRCLE], a[i]), db = ch_sub(b[(j + 1) % CIRCLE], b[j]);
      ChVec3 r = ch_sub(ch_along(a[i], 0.5, da), ch_along(b[j], 0.5, db));
      double d = ch_norm(r);
      sum += ch_dot(r, ch_cross(da, db)) / (d * d * d);
    }
  return fabs(sum) / (4.0 * PI);
}

static void check_net_is_linked(const ChSimulation* s, int n, double radius) {
  int links = 0;
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i < n; ++i)
      for (int side = -1; side < 1; ++side) {
        int other = i + side + j % 2;  // rows are shifted by half a ring in turn
        if (other < 0 || other >= n) continue;
        ChVec3 a[CIRCLE], b[CIRCLE];
        circle_of(s, row_of(s, "link %d", j * n + i + 1), radius, a);
        circle_of(s, row_of(s, "link %d", (j + 1) * n + other + 1), radius, b);
        CHECK_NEAR(linking(a, b), 1.0, 0.1);
        ++links;
      }
  assert_int_equal(links, (n - 1) * (2 * n - 1));
}

// Upward force on what moves from what is fixed, of the last step.
static double carried(const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  double up = 0.0;
  for (int k = 0; k < count; ++k) {
    bool fixed[2];
    for (int side = 0; side < 2; ++side)
      fixed[side] = ch_world_body_info(world, ch_body_id(contacts[k].body[side])).kind == CH_BODY_FIXED;
    if (fixed[0] != fixed[1]) up += (fixed[0] ? 1.0 : -1.0) * contacts[k].force.z;
  }
  return up;
}

static double weight(const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  double mass = 0.0;
  for (int row = 0; row < ch_world_body_count(world); ++row) mass += ch_world_body_info(world, ch_body_id(row)).mass;
  return G * mass;
}

// Come to rest, the border carries all the weight, and every link is in those that it was in.
static void a_net_holds_and_carries_its_weight(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"n", "4"}, {"mu", "0.5"}, {"ball", "0.25"}};
  ChSimulation* s = make("chain-net", 3, parameters);
  check_net_is_linked(s, 4, 0.05);
  ChStepInfo info;
  for (int k = 0; k < 200; ++k) info = step(s);
  CHECK_AT_MOST(info.kinetic, 1e-6);
  CHECK_NEAR(carried(s), weight(s), 1e-3 * weight(s));
  check_net_is_linked(s, 4, 0.05);
  ch_simulation_destroy(s);
}

// ---------------------------------------------------------------------------------------------------------- bike chain

// Joined links stay a pitch apart but for the play of a pin, and the sprockets turn by 9 and 12 teeth alike, once the
// play of all pins is taken up.
static void sprockets_turn_as_their_teeth_say(void** state) {
  (void)state;
  const double pitch = 0.0127, play = 2.5e-4;
  enum { LINKS = 20 };
  const char* const parameters[][2] = {{"driver", "9"}, {"driven", "12"}, {"links", "20"}, {"speed", "15"}};
  ChSimulation* s = make("bike-chain", 4, parameters);
  int wheel[2] = {row_of(s, "driver", 0), row_of(s, "driven", 0)};
  double turn[2] = {0.0, 0.0};
  for (int k = 0; k < 60; ++k) {
    ChQuat before[2];
    for (int w = 0; w < 2; ++w) before[w] = ch_simulation_body_at(s, wheel[w]).orientation;
    step(s);
    for (int w = 0; w < 2 && k >= 20; ++w)
      turn[w] += turned(before[w], ch_simulation_body_at(s, wheel[w]).orientation, ch_vec(0.0, 1.0, 0.0));
    for (int j = 0; j < LINKS; ++j) {
      ChBodyView a = ch_simulation_body_at(s, row_of(s, "link %d", j + 1));
      ChBodyView b = ch_simulation_body_at(s, row_of(s, "link %d", (j + 1) % LINKS + 1));
      ChVec3 end = ch_add(a.position, ch_rotate(a.orientation, ch_vec(0.5 * pitch, 0.0, 0.0)));
      ChVec3 begin = ch_sub(b.position, ch_rotate(b.orientation, ch_vec(0.5 * pitch, 0.0, 0.0)));
      CHECK_AT_MOST(ch_norm(ch_sub(end, begin)), play);
    }
  }
  CHECK_AT_MOST(0.5, turn[0]);
  CHECK_NEAR(turn[1] * 12.0, turn[0] * 9.0, 0.03 * 9.0 * turn[0]);
  ch_simulation_destroy(s);
}

// ------------------------------------------------------------------------------------------------------ anchor and
// ball

// Hung up at a hair's distance it comes down by the air in its links and no more, and its first link carries it.
static void an_anchor_hangs_on_its_chain(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"links", "4"}, {"angle", "0"}, {"mu", "0.5"}};
  ChSimulation* s = make("anchor", 3, parameters);
  int row = row_of(s, "anchor", 0);
  double start = ch_simulation_body_at(s, row).position.z;
  for (int k = 0; k < 150; ++k) step(s);
  double down = start - ch_simulation_body_at(s, row).position.z;
  CHECK_AT_MOST(0.0, down);
  CHECK_AT_MOST(down, 0.008);
  CHECK_NEAR(carried(s), weight(s), 0.02 * weight(s));
  ch_simulation_destroy(s);
}

// The ball stays on its chain, no energy comes from nowhere, and a brick in its way is thrown forward.
static void a_wrecking_ball_stays_on_its_chain(void** state) {
  (void)state;
  const char* const parameters[][2] = {{"links", "3"}, {"angle", "40"}, {"rows", "2"}, {"columns", "1"}};
  ChSimulation* s = make("wrecking-ball", 4, parameters);
  int ball = row_of(s, "ball", 0), brick = row_of(s, "brick %d", 2), top = row_of(s, "link %d", 1);
  ChVec3 pivot = ch_simulation_body_at(s, top).position;
  double reach = ch_norm(ch_sub(ch_simulation_body_at(s, ball).position, pivot)), far = 0.0;
  for (int k = 0; k < 240; ++k) {
    step(s);
    far = fmax(far, ch_norm(ch_sub(ch_simulation_body_at(s, ball).position, pivot)));
  }
  CHECK_AT_MOST(far, reach + 0.005);
  CHECK_AT_MOST(0.5, ch_simulation_body_at(s, brick).position.x);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_screw_descends_by_its_pitch_a_turn), cmocka_unit_test(a_rough_screw_holds_itself),
      cmocka_unit_test(a_net_holds_and_carries_its_weight),   cmocka_unit_test(sprockets_turn_as_their_teeth_say),
      cmocka_unit_test(an_anchor_hangs_on_its_chain),         cmocka_unit_test(a_wrecking_ball_stays_on_its_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
