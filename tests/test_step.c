// What a simulation promises besides mechanics: rest, determinism, checkpoints, failures that leave it usable.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vector.h"
#include "step/state.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;
static const ChVec3 still = {0.0, 0.0, 0.0};

enum { BOXES = 6, BALLS = 8 };

// Boxes that fall into a heap, balls beside them, a pendulum with a motor, a shaken floor piece: several islands that
// meet and part.
static ChWorld* mixed_world(double restitution) {
  ChWorld* world = ch_test_world(3, g, 0.5, restitution);
  ch_test_floor(world);
  for (int k = 0; k < BOXES; ++k)
    ch_test_box(world, ch_vec(0.03 * k, 0.02 * (k % 3), 0.2 + 0.25 * k), ch_vec(0.2, 0.1 + 0.01 * k, 0.1));
  for (int k = 0; k < BALLS; ++k)
    ch_test_ball(world, ch_vec(1.5 + 0.19 * (k % 3), 0.02 * k, 0.1 + 0.2 * k), 0.1, ch_vec(0.3 * (k % 2), 0.0, 0.0));
  int bob = ch_test_point(world, ch_vec(4.0, 0.0, 2.0), still, 1.0);
  ChJointDef hinge = ch_joint_def_default();
  hinge.type = CH_JOINT_HINGE;
  hinge.body[0] = CH_GROUND;
  hinge.body[1] = ch_body_id(bob);
  hinge.at = ch_vec(3.0, 0.0, 2.0);
  hinge.axis = ch_axis(1);
  hinge.axes[0] =
      (ChJointAxis){.drive = CH_DRIVE_VELOCITY, .target = {.amplitude = 2.0, .frequency = 1.0}, .strength = 3.0};
  ch_test_joint(world, &hinge);
  return world;
}

static size_t state_size(const ChSimulation* s) {
  ChContext context = {0};
  size_t size = 0;
  CHECK_OK(context, ch_simulation_save(&context, s, NULL, &size));
  return size;
}

static void* save(const ChSimulation* s, size_t* size) {
  ChContext context = {0};
  *size = state_size(s);
  void* bytes = malloc(*size);
  CHECK_OK(context, ch_simulation_save(&context, s, bytes, size));
  return bytes;
}

static void check_same(const ChSimulation* a, const ChSimulation* b) {
  size_t size[2];
  void* bytes[2] = {save(a, &size[0]), save(b, &size[1])};
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  for (int k = 0; k < 2; ++k) free(bytes[k]);
}

// --- rest ------------------------------------------------------------------------------------------------------------

static ChSimulation* settle(bool rest, double until) {
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(0.01 * k, 0.0, 0.105 + 0.21 * k), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_simulation_options_default();
  options.rest = rest;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, until);
  return s;
}

static void rest_changes_nothing_but_the_time_it_takes(void** state) {
  (void)state;
  ChSimulation* s[2] = {settle(false, 2.0), settle(true, 2.0)};
  assert_int_equal(ch_simulation_info(s[1]).resting, 1);
  assert_int_equal(ch_simulation_info(s[1]).iterations, 0);
  for (int b = 1; b <= 4; ++b) {
    ChBodyView x = ch_simulation_body_at(s[0], b), y = ch_simulation_body_at(s[1], b);
    CHECK_NEAR(ch_norm(ch_sub(x.position, y.position)), 0.0, 1e-7);
    CHECK_NEAR(ch_norm(x.velocity), 0.0, 1e-8);
    assert_true(ch_norm(y.velocity) == 0.0);
  }
  for (int k = 0; k < 2; ++k) ch_simulation_destroy(s[k]);
}

// Without certified rest, too, most steps of what stands are served by the reactions of the one before.
static void a_standing_stack_is_seldom_solved(void** state) {
  (void)state;
  ChSimulation* s = settle(false, 2.0);
  int solved = 0;
  for (int n = 0; n < 200; ++n) {
    ch_test_step(s);
    ChStepInfo info = ch_simulation_info(s);
    assert_false(info.missed);
    solved += info.iterations > 0;
  }
  assert_true(solved > 0);
  assert_true(solved < 120);
  ch_simulation_destroy(s);
}

static ChContactView* copy_contacts(const ChSimulation* s, int* count) {
  const ChContactView* list = ch_simulation_contacts(s, count);
  ChContactView* copy = malloc((size_t)*count * sizeof *copy);
  memcpy(copy, list, (size_t)*count * sizeof *copy);
  return copy;
}

// Something else moves all the while, so that steps are made and not repeated.
static void resting_island_keeps_its_reactions_until_it_is_pushed(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.3, 0.2, 0.1));
  ch_test_box(world, ch_vec(0.05, 0.0, 0.3), ch_vec(0.2, 0.2, 0.1));
  ch_test_ball(world, ch_vec(3.0, 0.0, 50.0), 0.1, still);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.1);
  int count, later;
  ChContactView* before = copy_contacts(s, &count);
  ChStepInfo info = ch_test_run(s, 0.6);
  ChContactView* after = copy_contacts(s, &later);
  assert_int_equal(info.resting, 1);
  assert_int_equal(count, later);
  assert_memory_equal(before, after, (size_t)count * sizeof *before);
  free(before);
  free(after);
  CHECK_OK(context, ch_simulation_push(&context, s, ch_body_id(box), ch_vec(60.0, 0.0, 0.0), ch_vec(0.0, 0.0, 0.1)));
  assert_int_equal(ch_test_step(s).resting, 0);
  assert_true(ch_simulation_body_at(s, box).velocity.x > 0.1);
  ch_test_run(s, 2.0);
  assert_true(ch_simulation_body_at(s, box).position.x > 0.01);
  assert_int_equal(ch_simulation_info(s).resting, 1);
  ch_simulation_destroy(s);
}

// A push against a wall of friction that holds leaves the island where it is, but it is solved anew.
static void a_push_too_weak_to_move_is_carried(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = settle(true, 1.0);
  ChVec3 at = ch_simulation_body_at(s, 1).position;
  CHECK_OK(context, ch_simulation_push(&context, s, ch_body_id(1), ch_vec(1e-3, 0.0, 0.0), at));
  ch_test_run(s, 1.5);
  CHECK_NEAR(ch_norm(ch_sub(ch_simulation_body_at(s, 1).position, at)), 0.0, 1e-6);
  assert_int_equal(ch_simulation_info(s).resting, 1);
  ch_simulation_destroy(s);
}

// Reactions are impulses: at another h they are scaled, and a house that stands needs no iteration.
static void another_step_length_needs_no_iteration(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(0.0, 0.0, 0.125 + 0.25 * k), ch_vec(0.1, 0.1, 0.125));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_step(s);
  for (int k = 0; k < 4; ++k) {
    options.h = 1e-3 * pow(0.37, k);
    ch_test_set_options(s, &options);
    ChStepInfo info = ch_test_step(s);
    assert_int_equal(info.iterations, 0);
    assert_int_equal(info.resting, 1);
    assert_true(info.h == 1e-3 * pow(0.37, k));
  }
  ch_simulation_destroy(s);
}

// --- bits ------------------------------------------------------------------------------------------------------------

static void same_bits_for_any_number_of_threads(void** state) {
  (void)state;
  const int threads[5] = {1, 1, 2, 3, 4};
  ChSimulation* s[5];
  for (int k = 0; k < 5; ++k) {
    ChSimulationOptions options = ch_simulation_options_default();
    options.threads = threads[k];
    options.h = 2e-3;
    s[k] = ch_test_start(mixed_world(0.3), &options);
    for (int n = 0; n < 200; ++n) ch_test_step(s[k]);
  }
  for (int k = 1; k < 5; ++k) check_same(s[0], s[k]);
  for (int k = 0; k < 5; ++k) ch_simulation_destroy(s[k]);
}

static ChSimulationOptions checkpoint_options(int kind) {
  ChSimulationOptions o = ch_simulation_options_default();
  o.h = 4e-3;
  o.restitution = kind == 1 ? CH_RESTITUTION_POISSON : CH_RESTITUTION_NEWTON;
  o.adaptive = kind == 2;
  o.look_ahead = kind != 2;
  o.gap_tolerance = 1e-3;
  o.stabilization = kind == 2 ? CH_STABILIZE_OFF : CH_STABILIZE_ON;
  o.project = kind == 3;
  o.rest = kind != 4;
  o.warm = kind != 5;
  return o;
}

// From any step on: flight, shocks, heaps and rest.
static void continues_bit_for_bit_from_any_checkpoint(void** state) {
  (void)state;
  enum { STEPS = 150 };
  ChContext context = {0};
  for (int kind = 0; kind < 6; ++kind) {
    ChSimulationOptions options = checkpoint_options(kind);
    ChSimulation* whole = ch_test_start(mixed_world(kind == 1 || kind == 2 ? 0.4 : 0.0), &options);
    void* bytes[3];
    size_t size[3];
    for (int n = 0; n < STEPS; ++n) {
      if (n % 50 == 37) bytes[n / 50] = save(whole, &size[n / 50]);
      ch_test_step(whole);
    }
    for (int k = 0; k < 3; ++k) {
      ChSimulation* part = ch_test_start(mixed_world(kind == 1 || kind == 2 ? 0.4 : 0.0), &options);
      CHECK_OK(context, ch_simulation_load(&context, part, bytes[k], size[k]));
      for (int n = 37 + 50 * k; n < STEPS; ++n) ch_test_step(part);
      check_same(whole, part);
      ch_simulation_destroy(part);
      free(bytes[k]);
    }
    ch_simulation_destroy(whole);
  }
}

// A world at rest, where whole steps are repeated, goes on in the same way too.
static void continues_bit_for_bit_at_rest(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *whole = settle(true, 2.0), *part = settle(true, 0.01);
  size_t size;
  void* bytes = save(whole, &size);
  CHECK_OK(context, ch_simulation_load(&context, part, bytes, size));
  for (int n = 0; n < 20; ++n) {
    ch_test_step(whole);
    ch_test_step(part);
    check_same(whole, part);
  }
  free(bytes);
  ch_simulation_destroy(whole);
  ch_simulation_destroy(part);
}

static void checkpoints_that_do_not_fit_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *s = settle(true, 0.05), *twin = settle(true, 0.05);
  size_t size, small;
  char* bytes = save(s, &size);
  small = size - 1;
  assert_int_equal(ch_simulation_save(&context, s, bytes, &small), CH_ERR_SIZE);
  assert_int_equal(ch_simulation_load(&context, s, bytes, 5), CH_ERR_SIZE);
  assert_int_equal(ch_simulation_load(&context, s, bytes, size - 8), CH_ERR_SIZE);
  for (size_t k = 0; k < size; k += 8) {  // whatever is broken, it is refused or loaded, and a refusal changes nothing
    char kept[8];
    size_t n = size - k < 8 ? size - k : 8;
    memcpy(kept, bytes + k, n);
    memset(bytes + k, 0xff, n);
    if (ch_simulation_load(&context, s, bytes, size) == CH_OK) {
      ChStepInfo info;
      (void)ch_simulation_step(&context, s, &info);
      memcpy(bytes + k, kept, n);
      CHECK_OK(context, ch_simulation_load(&context, s, bytes, size));
    } else {
      assert_true(context.message[0] != '\0');
      memcpy(bytes + k, kept, n);
    }
    check_same(s, twin);
  }
  free(bytes);
  ch_simulation_destroy(s);
  ch_simulation_destroy(twin);
}

// --- failures --------------------------------------------------------------------------------------------------------

static void hear_nothing(void* user, const char* text) { (void)user, (void)text; }

// Every allocation of a step fails in turn: the step is refused, nothing has changed, and the next try goes on as a run
// that never knew.
static void memory_that_runs_out_leaves_the_simulation_usable(void** state) {
  (void)state;
  ChContext context = {.notice = hear_nothing, .user = &context};
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 4e-3;
  ChSimulation *s = ch_test_start(mixed_world(0.3), &options), *twin = ch_test_start(mixed_world(0.3), &options);
  int failures = 0;
  for (int n = 0; n < 20; ++n) {
    for (long after = 1;; after += 1 + after / 4) {
      ch_arena_trim();
      ch_arena_fail_after(after);
      ChContext* told = failures % 2 ? &context : NULL;  // it is legal to listen to nothing
      ChStatus status = ch_simulation_step(told, s, NULL);
      ch_arena_fail_after(0);
      if (status == CH_OK) break;
      ++failures;
      assert_int_equal(status, CH_ERR_MEMORY);
      if (told) assert_true(strstr(context.message, "memory") != NULL);
      assert_true(context.notice == hear_nothing && context.user == &context);  // the caller's, come what may
      assert_int_equal(ch_simulation_step_count(s), n);
    }
    ch_test_step(twin);
    assert_true(ch_simulation_time(s) == ch_simulation_time(twin));
    for (int b = 0; b < ch_world_body_count(ch_simulation_world(s)); ++b) {
      ChVec3 x = ch_simulation_body_at(s, b).position, y = ch_simulation_body_at(twin, b).position;
      CHECK_NEAR(ch_norm(ch_sub(x, y)), 0.0, 1e-6);  // warm starts may differ, answers not by more than the tolerance
    }
  }
  assert_true(failures > 50);
  ch_simulation_destroy(s);
  ch_simulation_destroy(twin);
}

static void memory_that_runs_out_at_the_start(void** state) {
  (void)state;
  ChContext context = {0};
  for (long after = 1; after < 100; ++after) {
    ChWorld* world = mixed_world(0.0);
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s;
    ch_arena_trim();
    ch_arena_fail_after(after);
    ChStatus status = ch_simulation_create(&context, world, &options, &s);
    ch_arena_fail_after(0);
    if (status == CH_OK) {
      ch_simulation_destroy(s);
      return;
    }
    assert_int_equal(status, CH_ERR_MEMORY);
    assert_null(s);
  }
  fail_msg("the start asks for memory a hundred times");
}

static void check_refused(const ChSimulationOptions* options, const char* word) {
  ChContext context = {0};
  ChSimulation* s;
  assert_int_not_equal(ch_simulation_create(&context, ch_test_world(3, g, 0.5, 0.0), options, &s), CH_OK);
  assert_null(s);
  if (!strstr(context.message, word)) fail_msg("'%s' says nothing about '%s'", context.message, word);
}

static void bad_options_are_refused_with_a_sentence(void** state) {
  (void)state;
  const ChSimulationOptions good = ch_simulation_options_default();
#define REFUSED(field, value, word) \
  do {                              \
    ChSimulationOptions o = good;   \
    o.field = (value);              \
    check_refused(&o, word);        \
  } while (0)
  REFUSED(h, 0.0, "step h");
  REFUSED(h, NAN, "step h");
  REFUSED(h, INFINITY, "step h");
  REFUSED(gamma, 0.0, "stabilization");
  REFUSED(gamma, 1.5, "stabilization");
  REFUSED(gamma, NAN, "stabilization");
  REFUSED(margin, -0.5, "margin");
  REFUSED(margin, NAN, "margin");
  REFUSED(integrator, "runge", "runge");
  REFUSED(integrator, NULL, "integrator");
  REFUSED(threads, 0, "threads");
  REFUSED(threads, 1 << 20, "threads");
  REFUSED(cone_sides, -3, "sides");
  REFUSED(cone_sides, 3, "polygon");
  REFUSED(stabilization, (ChStabilization)9, "stabilization");
  REFUSED(restitution, (ChRestitution)7, "restitution");
  REFUSED(solve.tolerance, 0.0, "tolerance");
  REFUSED(solve.tolerance, NAN, "tolerance");
  REFUSED(solve.time_limit, -1.0, "time limit");
  REFUSED(solve.method, "magic", "magic");
  REFUSED(solve.inner, "magic", "magic");
#undef REFUSED
  ChSimulationOptions o = good;
  o.adaptive = true;
  o.gap_tolerance = 0.0;
  check_refused(&o, "gap tolerance");
}

// Options that are refused leave the old ones in force; names are copied.
static void options_changed_on_the_way_are_checked_at_once(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = settle(true, 0.1);
  ChSimulationOptions options = *ch_simulation_options(s);
  options.h = NAN;
  assert_int_equal(ch_simulation_set_options(&context, s, &options), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_check_options(&context, s, &options), CH_ERR_RANGE);
  assert_true(ch_simulation_options(s)->h == 1e-3);
  char method[] = "nsgs", setting[] = "nsgs.anderson", integrator[] = "euler";
  options.h = 2e-3;
  options.solve.method = method;
  ChSetting settings[] = {{setting, 4.0}};
  options.solve.settings = settings;
  options.solve.setting_count = 1;
  options.integrator = integrator;
  ch_test_set_options(s, &options);
  memset(method, 'x', sizeof method - 1), memset(setting, 'x', sizeof setting - 1);
  memset(integrator, 'x', sizeof integrator - 1);
  assert_true(ch_test_step(s).h == 2e-3);
  assert_string_equal(ch_simulation_options(s)->solve.method, "nsgs");
  ch_simulation_destroy(s);
}

// A limit of time that changes from step to step costs nothing: no solver is tried on a problem of its own, and an
// island at rest stays so. Another tolerance is looked at once.
static void another_step_limit_tries_no_solver(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation* s = settle(true, 0.1);
  ChSimulationOptions options = *ch_simulation_options(s);
  assert_int_equal(s->solver_checks, 1);
  for (int k = 1; k <= 100; ++k) {
    options.step_limit = 1.0 / k;
    ch_test_set_options(s, &options);
    CHECK_OK(context, ch_simulation_set_step_limit(&context, s, 2.0 / k));
    assert_true(ch_simulation_options(s)->step_limit == 2.0 / k);
    assert_int_equal(ch_test_step(s).iterations, 0);
  }
  assert_int_equal(s->solver_checks, 1);
  assert_int_equal(ch_simulation_set_step_limit(&context, s, NAN), CH_ERR_RANGE);
  options.solve.tolerance = 1e-9;
  ch_test_set_options(s, &options);
  ch_test_set_options(s, &options);
  assert_int_equal(s->solver_checks, 2);
  ch_simulation_destroy(s);
}

// A force that grows beyond all bounds ends in a sentence, not in NaN.
static void numbers_out_of_bounds_end_the_step(void** state) {
  (void)state;
  const double sizes[3] = {1e300, 1e25, 1e160};
  for (int k = 0; k < 3; ++k) {
    ChContext context = {0};
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    ch_test_floor(world);
    int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, still);
    const double table[4] = {0.01, 0.0, 0.0100001, sizes[k]};
    ChForceDef push = ch_force_def_default();
    push.type = CH_FORCE_WRENCH;
    push.length_as_is = false;
    push.body[0] = ch_body_id(ball);
    push.force[0] = (ChSignal){.table_count = 2, .table = table};
    push.torque[1] = (ChSignal){.table_count = 2, .table = table};
    ch_test_force(world, &push);
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    ChStatus status = CH_OK;
    for (int n = 0; n < 200 && status == CH_OK; ++n) status = ch_simulation_step(&context, s, NULL);
    assert_int_equal(status, CH_ERR_NUMERIC);
    assert_true(strstr(context.message, "body 1") != NULL);
    ChBodyView view = ch_simulation_body_at(s, ball);
    assert_true(isfinite(view.position.x) && isfinite(view.velocity.x) && isfinite(view.omega.y));
    assert_int_equal(ch_simulation_step(&context, s, NULL), CH_ERR_NUMERIC);
    ch_simulation_destroy(s);
  }
}

// A bullet, a body far away, and one that turns a thousand times a second.
static void fast_and_far_bodies_are_stepped(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.5);
  ch_test_floor(world);
  int wall = ch_test_box(world, ch_vec(0.0, 0.0, 0.5), ch_vec(0.1, 0.5, 0.5));
  int bullet = ch_test_ball(world, ch_vec(-20.0, 0.0, 0.6), 0.01, ch_vec(2000.0, 0.0, 0.0));
  ch_test_ball(world, ch_vec(1e9, 0.0, 1e6), 0.1, ch_vec(0.0, 1e7, 0.0));
  ChBodyDef def = ch_body_def_default();
  def.position = ch_vec(5.0, 5.0, 2.0);
  def.mass = 1.0;
  def.inertia[0] = 1.0, def.inertia[1] = 2.0, def.inertia[2] = 2.9;
  def.omega = ch_vec(100.0, 6000.0, 50.0);
  ch_test_body(world, &def, NULL);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ChBodyView spin = ch_simulation_body_at(s, 4);
  double energy =
      0.5 * (spin.omega.x * spin.omega.x + 2.0 * spin.omega.y * spin.omega.y + 2.9 * spin.omega.z * spin.omega.z);
  for (int n = 0; n < 100; ++n) assert_false(ch_test_step(s).missed);
  assert_true(ch_simulation_body_at(s, bullet).position.x < 0.0);  // it did not pass through
  assert_true(ch_simulation_body_at(s, wall).position.x != 0.0);
  spin = ch_simulation_body_at(s, 4);
  ChVec3 w = ch_rotate_back(spin.orientation, spin.omega);
  CHECK_NEAR(0.5 * (w.x * w.x + 2.0 * w.y * w.y + 2.9 * w.z * w.z) / energy, 1.0, 1e-9);
  ch_simulation_destroy(s);
}

// --- small things ----------------------------------------------------------------------------------------------------

static void time_is_counted_and_not_summed(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);  // no bodies at all
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  for (long n = 0; n < 600000; ++n) ch_test_step(s);
  assert_true(ch_simulation_time(s) == 600.0);
  options.h = 0.1;
  ch_test_set_options(s, &options);
  for (long n = 0; n < 10; ++n) ch_test_step(s);
  assert_true(ch_simulation_time(s) == 601.0);
  ch_simulation_destroy(s);
}

// Boxes that touch and fall together, a chain of joints that falls with them, a pair that coasts: there is nothing to
// solve, and no round-off is mistaken for something.
static void what_falls_or_coasts_together_has_nothing_to_solve(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, k == 0 ? g : 0.0, 0.5, 0.0);
    ChVec3 v = k == 0 ? still : ch_vec(3.1, -1.7, 0.3);
    for (int b = 0; b < 3; ++b) {
      ChBodyDef def = ch_body_def_default();
      ChShapeDef shape = ch_shape_def_default();
      def.position = ch_vec(0.1, 0.2, 10.0 + 0.2 * b);
      def.orientation = ch_quat_about(ch_axis(2), 0.3);
      def.velocity = v;
      shape.type = CH_SHAPE_BOX;
      shape.half = ch_vec(0.1 + 0.03 * b, 0.1, 0.1);
      ch_test_body(world, &def, &shape);
    }
    int last = -1;
    for (int b = 0; b < 4; ++b) {
      int ball = ch_test_point(world, ch_vec(2.0 + 0.3 * b, 0.1 * b, 9.0), v, 1.0 + 0.37 * b);
      ChJointDef joint = ch_joint_def_default();
      joint.type = b % 2 ? CH_JOINT_BALL : CH_JOINT_HINGE;
      joint.body[0] = ch_body_id(last);
      joint.body[1] = ch_body_id(ball);
      joint.at = ch_vec(1.85 + 0.3 * b, 0.1 * b, 9.0);
      if (last >= 0) ch_test_joint(world, &joint);
      last = ball;
    }
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    for (int n = 0; n < 1000; ++n) {
      ChStepInfo info = ch_test_step(s);
      assert_false(info.missed);
      assert_true(info.gain == 0.0);
    }
    CHECK_NEAR(ch_simulation_body_at(s, 2).velocity.x, v.x, 1e-9);
    CHECK_NEAR(ch_simulation_body_at(s, last).velocity.z, v.z - (k == 0 ? g : 0.0) * 1.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

// A method that is stopped early misses. What is used then is safe all the same: bodies do not go into each other, and
// a heap that collapses has no energy to gain, nor does friction leave its cone.
static void missed_steps_are_counted_and_keep_bodies_apart(void** state) {
  (void)state;
  static const char* const methods[] = {"nsgs", "auto"};
  for (int m = 0; m < 2; ++m) {
    ChWorld* world = ch_test_world(3, g, 0.2, 0.0);
    ch_test_floor(world);
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 6 - k; ++i)
        ch_test_ball(world, ch_vec(0.2 * i + 0.1 * k, 0.0, 0.1 + 0.1 * k * sqrt(3.0)), 0.1, still);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = 5e-3;
    options.solve.method = methods[m];
    options.solve.max_iterations = 1;
    options.warm = false;
    ChSimulation* s = ch_test_start(world, &options);
    int missed = 0, count;
    for (int n = 0; n < 60; ++n) {
      ChStepInfo info = ch_test_step(s);
      missed += info.missed;
      assert_true(info.gain == 0.0);
      CHECK_AT_MOST(info.certificate.cone, 1e-10);
      const ChContactView* contacts = ch_simulation_contacts(s, &count);
      for (int k = 0; k < count; ++k)  // where the contact will be, as the step sees it
        CHECK_AT_MOST(-contacts[k].gap - options.h * ch_dot(contacts[k].slip, contacts[k].normal), 1e-10);
    }
    assert_true(missed > 20);
    ch_simulation_destroy(s);
  }
}

static void steady_scene_allocates_nothing(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 5; ++k) ch_test_box(world, ch_vec(0.01 * k, 0.0, 0.1 + 0.2 * k), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_simulation_options_default();
  options.rest = false;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.05);
  long before = ch_arena_allocations();
  ch_test_run(s, 0.5);
  assert_int_equal(ch_arena_allocations() - before, 0);
  ch_simulation_destroy(s);
}

// The problem of the last step, as others see it, has the step's answer for its own.
static void the_problem_of_a_step_is_the_one_it_solved(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(mixed_world(0.0), &options);
  ChProblem* problem;
  assert_int_not_equal(ch_simulation_problem(&context, s, &problem), CH_OK);
  ch_test_run(s, 0.4);
  CHECK_OK(context, ch_simulation_problem(&context, s, &problem));
  ChCertificate grade;  // absolute velocities and all islands in one: round-off of another kind, hence the factor
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, s->rest.r, NULL, &grade));
  assert_true(ch_certificate_met(&grade, 10.0 * options.solve.tolerance));
  ch_problem_destroy(problem);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rest_changes_nothing_but_the_time_it_takes),
                                     cmocka_unit_test(a_standing_stack_is_seldom_solved),
                                     cmocka_unit_test(resting_island_keeps_its_reactions_until_it_is_pushed),
                                     cmocka_unit_test(a_push_too_weak_to_move_is_carried),
                                     cmocka_unit_test(another_step_length_needs_no_iteration),
                                     cmocka_unit_test(same_bits_for_any_number_of_threads),
                                     cmocka_unit_test(continues_bit_for_bit_from_any_checkpoint),
                                     cmocka_unit_test(continues_bit_for_bit_at_rest),
                                     cmocka_unit_test(checkpoints_that_do_not_fit_are_refused),
                                     cmocka_unit_test(memory_that_runs_out_leaves_the_simulation_usable),
                                     cmocka_unit_test(memory_that_runs_out_at_the_start),
                                     cmocka_unit_test(bad_options_are_refused_with_a_sentence),
                                     cmocka_unit_test(options_changed_on_the_way_are_checked_at_once),
                                     cmocka_unit_test(another_step_limit_tries_no_solver),
                                     cmocka_unit_test(numbers_out_of_bounds_end_the_step),
                                     cmocka_unit_test(fast_and_far_bodies_are_stepped),
                                     cmocka_unit_test(time_is_counted_and_not_summed),
                                     cmocka_unit_test(what_falls_or_coasts_together_has_nothing_to_solve),
                                     cmocka_unit_test(missed_steps_are_counted_and_keep_bodies_apart),
                                     cmocka_unit_test(steady_scene_allocates_nothing),
                                     cmocka_unit_test(the_problem_of_a_step_is_the_one_it_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
