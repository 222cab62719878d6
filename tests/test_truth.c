// What a certificate does not speak of: overlap, energy and motion beside the law; contacts along locked freedoms.
#include <math.h>

#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

// --- overlap at the end of a step
// -------------------------------------------------------------------------------------

// A wedge that falls, turning, into a notch between two blocks of triangles: its edges go round those of the blocks,
// and what is linearised at the start of a step overlaps by its end.
static void block_of_triangles(ChWorld* world, double x) {
  static const int cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  ChVec3 corners[8];
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  for (int k = 0; k < 8; ++k) corners[k] = ch_vec(k & 1 ? 0.5 : -0.5, k & 2 ? 1.0 : -1.0, k & 4 ? 0.5 : -0.5);
  body.kind = CH_BODY_FIXED;
  body.position = ch_vec(x, 0.0, 0.0);
  shape.type = CH_SHAPE_MESH;
  shape.points = corners;
  shape.point_count = 8;
  shape.triangles = cube;
  shape.triangle_count = 12;
  shape.soup = true;  // whose corners are not met by the hull's edges: a contact listed late
  ch_test_body(world, &body, &shape);
}

typedef struct Fall {
  double deepest;
  int rejected, missed;
} Fall;

static Fall fall_into_notch(double h, double tolerance) {
  static const ChVec3 wedge[6] = {{0.0, -0.4, 0.0}, {0.0, 0.4, 0.0},  {-0.5, -0.4, 3.0},
                                  {-0.5, 0.4, 3.0}, {0.5, -0.4, 3.0}, {0.5, 0.4, 3.0}};
  ChWorld* world = ch_test_world(3, g, 0.2, 0.0);
  block_of_triangles(world, -0.75);
  block_of_triangles(world, 0.75);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.position = ch_vec(0.0, 0.0, 0.501);
  body.velocity = ch_vec(1.0, 0.0, 0.0);
  shape.type = CH_SHAPE_HULL;
  shape.points = wedge;
  shape.point_count = 6;
  ch_test_body(world, &body, &shape);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.overlap_tolerance = tolerance;
  ChSimulation* s = ch_test_start(world, &options);
  Fall fall = {0};
  while (ch_simulation_time(s) < 1.0 - 0.5 * h) {
    ChStepInfo info = ch_test_step(s);
    fall.deepest = fmax(fall.deepest, info.penetration);
    fall.rejected += info.rejected;
    fall.missed += info.missed;
  }
  ch_simulation_destroy(s);
  return fall;
}

// The default is a hundredth of the margin, 1 cm here. Without it the same fall overlaps by more than ten times that.
// (A step in h/64 that still overlaps is kept: that it was not needed here is part of what is seen.)
static void a_step_that_would_end_overlapping_is_taken_in_halves(void** state) {
  (void)state;
  Fall careful = fall_into_notch(0.01, CH_OVERLAP_BY_SHAPES), careless = fall_into_notch(0.01, INFINITY);
  assert_int_equal(careless.rejected, 0);
  assert_true(careful.rejected > 0);
  assert_int_equal(careful.missed + careless.missed, 0);
  CHECK_AT_MOST(careful.deepest, 1e-4);
  assert_true(careless.deepest > 1e-3);
}

// --- locked and driven -----------------------------------------------------------------------------------------------

static int slab(ChWorld* world, ChVec3 at, ChVec3 half, unsigned locks, ChVec3 velocity) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.position = at;
  body.locks = locks;
  body.velocity = velocity;
  shape.type = CH_SHAPE_BOX;
  shape.half = half;
  return ch_test_body(world, &body, &shape);
}

// Two slabs that lie in one plane, one a millimetre into the other along their common locked axis. Nothing can part
// them along it, and their sides hit each other as if it were not there: equal masses at e = 0 share their momentum.
static void contacts_along_locked_axes_are_left_out(void** state) {
  (void)state;
  const unsigned flat = CH_LOCK_Z | CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  const ChVec3 half = {0.5, 0.5, 0.1};
  slab(world, ch_vec(0.0, 0.0, 0.199), ch_vec(2.0, 2.0, 0.1), flat | CH_LOCK_X | CH_LOCK_Y, ch_vec(0.0, 0.0, 0.0));
  int left = slab(world, ch_vec(-1.0, 0.0, 0.0), half, flat, ch_vec(1.0, 0.0, 0.0));
  int right = slab(world, ch_vec(0.1, 0.0, 0.0), half, flat, ch_vec(0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 0.01;
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 0; n < 40; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    assert_true(info.locked > 0);
    CHECK_NEAR(info.locked_overlap, 1e-3, 1e-12);
    assert_int_equal(info.bounds, 0);
  }
  CHECK_NEAR(ch_simulation_body_at(s, left).velocity.x, 0.5, 1e-7);
  CHECK_NEAR(ch_simulation_body_at(s, right).velocity.x, 0.5, 1e-7);
  ch_simulation_destroy(s);
}

// A paddle that follows a table of angles drives a block round a floor. All energy comes from the paddle: what the
// block has and what friction took is what the ledger says, and no step gains.
static void a_paddle_on_a_table_of_angles_explains_what_it_drives(void** state) {
  (void)state;
  static const double table[] = {0.0, 0.0, 0.5, 0.5, 1.5, 3.5};
  ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
  ch_test_floor(world);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.kind = CH_BODY_KINEMATIC;
  body.position = ch_vec(0.0, 0.0, 0.1);
  body.axis = ch_axis(2);
  body.turn = (ChSignal){.table_count = 3, .table = table};
  shape.type = CH_SHAPE_BOX;
  shape.half = ch_vec(1.0, 0.02, 0.05);
  int paddle = ch_test_body(world, &body, &shape);
  int block = ch_test_box(world, ch_vec(0.6, 0.15, 0.1), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double work = 0.0, energy = ch_simulation_info(s).kinetic + ch_simulation_info(s).potential, most = 0.0;
  ChStepInfo info = ch_simulation_info(s);
  while (ch_simulation_time(s) < 1.2) {
    info = ch_test_step(s);
    work += info.work;
    assert_false(info.missed);
    assert_int_equal(info.bounds, 0);
    most = fmax(most, info.kinetic);
  }
  assert_true(most > 1.0);  // it is driven: 8 kg at 3 radian a second and 0.6 m
  assert_true(info.kinetic + info.potential - energy < work);
  ChBodyView view = ch_simulation_body_at(s, block);
  assert_true(atan2(view.position.y, view.position.x) > 0.6);  // it was at 0.24, and has slid off the end by now
  (void)paddle;
  ch_simulation_destroy(s);
}

// --- bounds ----------------------------------------------------------------------------------------------------------

// Without halves a bullet of ten metres a step drives a plate through the next: the step's certificate is good, and its
// report says that something passed.
static void motion_that_nobody_looked_at_is_told(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  ch_test_ball(world, ch_vec(-13.0, 0.0, 0.0), 0.005, ch_vec(1000.0, 0.0, 0.0));
  slab(world, ch_vec(0.0, 0.0, 0.0), ch_vec(5e-4, 0.1, 0.1), 0, ch_vec(0.0, 0.0, 0.0));
  slab(world, ch_vec(0.05, 0.0, 0.0), ch_vec(5e-4, 0.1, 0.1), 0, ch_vec(0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 0.01;
  options.adaptive = CH_ADAPTIVE_OFF;
  ChSimulation* s = ch_test_start(world, &options);
  int bounds = 0;
  double uncovered = 0.0;
  for (int n = 0; n < 4; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    bounds |= info.bounds;
    uncovered = fmax(uncovered, info.uncovered);
  }
  assert_true(bounds & CH_BOUND_MOTION);
  assert_true(uncovered > 0.05);
  ch_simulation_destroy(s);
}

// A ball that begins 2 % of its radius deep is out of the bound of 1 %, until it has come out, and within one of 3 %.
static void overlap_beyond_its_bound_is_told(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
    ch_test_floor(world);
    ch_test_ball(world, ch_vec(0.0, 0.0, 0.098), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    if (k == 1) options.penetration_bound = 0.03;
    ChSimulation* s = ch_test_start(world, &options);
    assert_int_equal(ch_test_step(s).bounds & CH_BOUND_PENETRATION, k == 0 ? CH_BOUND_PENETRATION : 0);
    assert_int_equal(ch_test_run(s, 1.0).bounds, 0);
    ch_simulation_destroy(s);
  }
}

// A ball that is pushed out at once from 2 % of its radius, 2 mm in a step of 1 ms, leaves with 2 m/s that nobody gave
// it: m 2^2 / 2, of m g R = 0.98 m that would lift it by its radius.
static void energy_from_nowhere_is_told(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.098), 0.1, ch_vec(0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.push_out = INFINITY;
  ChSimulation* s = ch_test_start(world, &options);
  ChStepInfo info = ch_test_step(s);
  CHECK_NEAR(ch_simulation_body_at(s, ball).velocity.z, 2.0, 1e-6);
  assert_true(info.bounds & CH_BOUND_ENERGY);
  CHECK_NEAR(info.gain, info.kinetic, 0.02 * info.kinetic);
  assert_int_equal(ch_test_step(s).bounds & CH_BOUND_ENERGY, 0);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_that_would_end_overlapping_is_taken_in_halves),
      cmocka_unit_test(contacts_along_locked_axes_are_left_out),
      cmocka_unit_test(a_paddle_on_a_table_of_angles_explains_what_it_drives),
      cmocka_unit_test(motion_that_nobody_looked_at_is_told),
      cmocka_unit_test(overlap_beyond_its_bound_is_told),
      cmocka_unit_test(energy_from_nowhere_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
