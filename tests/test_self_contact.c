// Deformable bodies that touch themselves: a clamp whose arms close, and a bent bar whose ends meet (F2, F3).
#include <stdlib.h>
#include <string.h>

#include "model/tet/tet_grid.h"
#include "step/state.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

typedef struct Body {
  int cells[3];
  bool (*keep)(const void* state, const int cell[3]);
  ChVec3 (*place)(const void* state, const int at[3]);
  ChVec3 clamp_low, clamp_high;
  ChSoftKind kind;
  double young, beta;
  int modes;
} Body;

static int add(ChWorld* world, const Body* body, bool touches) {
  ChContext context = {0};
  ChArena* arena = ch_arena_create(NULL);
  ChTetMesh mesh;
  ChTetGrid grid = {{body->cells[0], body->cells[1], body->cells[2]}, body->keep, body->place, body};
  CHECK_OK(context, ch_tet_grid(&context, arena, "body", &grid, &mesh));
  ChSoftDef def = ch_soft_def_default();
  def.kind = body->kind;
  def.vertex_count = mesh.vertex_count, def.vertices = mesh.vertices;
  def.tet_count = mesh.tet_count, def.tets = mesh.tets;
  def.young = body->young, def.beta = body->beta, def.modes = body->modes;
  def.clamped = body->clamp_low.x <= body->clamp_high.x, def.clamp_low = body->clamp_low,
  def.clamp_high = body->clamp_high;
  def.self_contact = touches;
  ChBodyDef place = ch_body_def_default();
  int id = ch_test_body(world, &place, NULL);
  CHECK_OK(context, ch_world_add_soft(&context, world, ch_body_id(id), &def, NULL));
  ch_arena_destroy(arena);
  return id;
}

// --- a clamp ---------------------------------------------------------------------------------------------------------

// Two arms of 0.2 m, 2 cm thick and 6 cm apart, on a back that is held.
static bool clamp_keeps(const void* state, const int cell[3]) {
  (void)state;
  return cell[0] < 1 || cell[2] < 1 || cell[2] >= 4;
}
static ChVec3 clamp_corner(const void* state, const int at[3]) {
  (void)state;
  return ch_vec(0.02 * at[0], 0.02 * at[1] - 0.02, 0.02 * at[2] - 0.05);
}
static const Body clamp = {.cells = {10, 2, 5},
                           .keep = clamp_keeps,
                           .place = clamp_corner,
                           .clamp_low = {-1.0, -1.0, -1.0},
                           .clamp_high = {0.001, 1.0, 1.0},
                           .young = 1e6,
                           .beta = 2e-3,
                           .modes = 12};

// How far the arms are apart at least: vertices of their inner faces that stand over each other at rest.
static double arms_apart(const ChSimulation* s, int body, double rest) {
  const ChSoft* soft = s->world->bodies[body].soft;
  const double* q = ch_state_modes(s->world, s->states, body);
  double least = INFINITY;
  for (int a = 0; a < soft->skin.vertex_count; ++a)
    for (int b = 0; b < soft->skin.vertex_count; ++b) {
      const ChVec3 apart = ch_sub(soft->skin.rest[a], soft->skin.rest[b]);
      if (hypot(apart.x, apart.y) > 1e-9 || fabs(apart.z - rest) > 1e-9) continue;
      least = fmin(least, ch_soft_vertex(soft, a, q).z - ch_soft_vertex(soft, b, q).z);
    }
  return least;
}

typedef struct Seen {
  double least, gained, first;  // distance of the arms over the run; energy
  int touched;                  // steps in which the body touched itself
  ChVec3 end;                   // of the load
} Seen;

static Seen close_clamp(bool touches, double h, double speed, double mu) {
  ChWorld* world = ch_test_world(3, g, mu, 0.0);
  const int body = add(world, &clamp, touches);
  const int ball = ch_test_ball(world, ch_vec(0.17, 0.0, 0.095), 0.04, ch_vec(0.0, 0.0, -speed));
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  Seen seen = {.least = INFINITY, .first = ch_kinetic_energy(world, s->states)};
  while (ch_simulation_time(s) < 0.25) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    seen.least = fmin(seen.least, arms_apart(s, body, 0.06));
    seen.gained += info.gain;
    int count, itself = 0;
    const ChContactView* contacts = ch_simulation_contacts(s, &count);
    for (int k = 0; k < count; ++k) itself += contacts[k].body[0] == contacts[k].body[1] && contacts[k].gap <= 0.0;
    seen.touched += itself > 0;
  }
  seen.end = s->states[ball].position;
  ch_simulation_destroy(s);
  return seen;
}

// A ball thrown onto the upper arm drives it through the lower one where nothing holds it, and onto it where the body
// touches itself.
static void a_clamp_closes_on_itself(void** state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    Seen through = close_clamp(false, k % 2 ? 1e-3 : 2e-3, 3.0, k / 2 ? 0.5 : 0.0),
         held = close_clamp(true, k % 2 ? 1e-3 : 2e-3, 3.0, k / 2 ? 0.5 : 0.0);
    assert_true(through.least < -0.02 && through.touched == 0);
    assert_true(held.touched > 3);
    CHECK_AT_MOST(-held.least, 1e-3);
    CHECK_AT_MOST(held.gained, 1e-3 * held.first);
  }
}

// --- a bent bar ------------------------------------------------------------------------------------------------------

enum { AROUND = 24 };
// An arc of five sixths of a circle of 0.1 m, 2 cm thick, open towards x. Its lower end is held.
static ChVec3 arc_corner(const void* state, const int at[3]) {
  (void)state;
  const double angle = (30.0 + 300.0 * at[0] / AROUND) * acos(-1.0) / 180.0, radius = 0.09 + 0.01 * at[2];
  return ch_vec(radius * cos(angle), 0.015 * at[1] - 0.015, radius * sin(angle));
}
static const Body arc = {.cells = {AROUND, 2, 2},
                         .place = arc_corner,
                         .clamp_low = {0.06, -1.0, -0.2},
                         .clamp_high = {0.2, 1.0, -0.04},
                         .kind = CH_SOFT_STVK,
                         .young = 6e5,
                         .beta = 5e-3,
                         .modes = 20};

// How low the free end is after it has come to rest; overlap of the body with itself over the run.
static double sag(bool touches, double* overlap) {
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  const int body = add(world, &arc, touches);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 2e-3;
  ChSimulation* s = ch_test_start(world, &options);
  double gained = 0.0, lowest = INFINITY;
  ChStepInfo info = {0};
  *overlap = 0.0;
  while (ch_simulation_time(s) < 1.0) {
    info = ch_test_step(s);
    assert_false(info.missed);
    gained += info.gain;
    *overlap = fmax(*overlap, info.penetration);
  }
  assert_int_equal(info.contacts > 0, touches);
  CHECK_AT_MOST(gained, 1e-6);
  const ChSoft* soft = world->bodies[body].soft;
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    if (soft->skin.rest[v].z > 0.0)
      lowest = fmin(lowest, ch_soft_vertex(soft, v, ch_state_modes(world, s->states, body)).z);
  ch_simulation_destroy(s);
  return lowest;
}

// Its weight bends the bar until its free end lies inside of the bend; where nothing holds it, it goes through.
static void a_bent_bar_meets_its_own_end(void** state) {
  (void)state;
  double overlap;
  assert_true(sag(false, &overlap) < -0.115);
  const double held = sag(true, &overlap);
  assert_true(held > -0.108);
  CHECK_AT_MOST(overlap, 2e-4);
}

// The contact pushes along what deforms alone: a body in the air that closes on itself keeps its momentum.
static void a_body_does_not_move_itself(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  Body free = clamp;
  free.clamp_low = ch_vec(2.0, 2.0, 2.0), free.clamp_high = ch_vec(1.0, 1.0, 1.0);
  const int body = add(world, &free, true);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double* rates = ch_state_rates(s->world, s->states, body);
  const ChSoft* soft = world->bodies[body].soft;
  for (int a = 0; a < soft->modes; ++a) {  // the upper arm's tip towards the lower one's
    double apart = 0.0;
    for (int v = 0; v < soft->skin.vertex_count; ++v)
      apart += (soft->skin.rest[v].z > 0.0 ? -1.0 : 1.0) * soft->skin.shape[(3L * v + 2) * soft->modes + a];
    rates[a] = 2e-2 * apart;
  }
  double gained = 0.0;
  int touched = 0;
  while (ch_simulation_time(s) < 0.1) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    gained += info.gain, touched += arms_apart(s, body, 0.06) < 1e-3;
  }
  assert_true(touched > 0);
  CHECK_AT_MOST(-arms_apart(s, body, 0.06), 1e-3);
  CHECK_AT_MOST(gained, 1e-6);
  CHECK_AT_MOST(ch_norm(s->states[body].velocity), 1e-12);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clamp_closes_on_itself),
      cmocka_unit_test(a_bent_bar_meets_its_own_end),
      cmocka_unit_test(a_body_does_not_move_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
