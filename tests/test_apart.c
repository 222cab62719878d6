// Decomposition changes the work and not the answer (004 7.9): islands, and sets of carrying contacts inside the
// projections of staggered.
#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

enum { BODIES = 7 };

// Two stacks of two boxes, a plank across both, a ball that falls on the plank, and a box that lies apart.
static ChWorld* make_world(void) {
  ChWorld* world = ch_test_world(3, 9.81, 0.2, 0.0);
  ch_test_floor(world);
  const ChVec3 half = {0.1, 0.1, 0.1};
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(k < 2 ? -0.4 : 0.4, 0.0, 0.1 + 0.2 * (k % 2)), half);
  ch_test_box(world, ch_vec(0.0, 0.0, 0.43), ch_vec(0.7, 0.1, 0.03));
  ch_test_ball(world, ch_vec(0.2, 0.02, 0.6), 0.08, ch_vec(0.0, 0.0, 0.0));
  ch_test_box(world, ch_vec(0.0, 2.0, 0.1), half);
  return world;
}

typedef struct End {
  ChVec3 at[BODIES];
  int islands;
} End;

static End run(bool islands, int apart, const char* inner, int sides) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 5e-3;
  options.margin = 2e-3;
  options.rest = false;
  options.islands = islands;
  options.cone_sides = sides;
  options.solve.method = "staggered";
  options.solve.inner = inner;
  options.solve.tolerance = 1e-7;
  options.solve.time_limit = 20.0;
  options.solve.settings = &(ChSetting){"staggered.apart", apart};
  options.solve.setting_count = 1;
  ChSimulation* s = ch_test_start(make_world(), &options);
  End end = {.islands = 0};
  while (ch_simulation_time(s) < 0.4) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    CHECK_AT_MOST(info.certificate.natural, 1e-7);
    if (info.islands > end.islands) end.islands = info.islands;
  }
  for (int b = 0; b < BODIES; ++b) end.at[b] = ch_simulation_body_at(s, b + 1).position;
  ch_simulation_destroy(s);
  return end;
}

static void check_same(const End* a, const End* b) {
  for (int k = 0; k < BODIES; ++k) CHECK_AT_MOST(ch_norm(ch_sub(a->at[k], b->at[k])), 1e-5);
}

static void D26_one_problem_a_step_gives_what_islands_give(void** state) {
  (void)state;
  End islands = run(true, 0, NULL, 0), whole = run(false, 0, NULL, 0);
  assert_true(islands.islands >= 2);
  assert_int_equal(whole.islands, 1);
  check_same(&islands, &whole);
}

static void D27_sets_of_carrying_contacts_give_what_the_whole_gives(void** state) {
  (void)state;
  End whole = run(false, 0, NULL, 0), apart = run(false, 1, NULL, 0);
  check_same(&whole, &apart);
  End polygon = run(false, 0, "active-set", 8), polygon_apart = run(false, 1, "active-set", 8);
  check_same(&polygon, &polygon_apart);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(D26_one_problem_a_step_gives_what_islands_give),
      cmocka_unit_test(D27_sets_of_carrying_contacts_give_what_the_whole_gives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
