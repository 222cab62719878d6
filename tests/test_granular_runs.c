// What the granular items of `cardhouse reproduce` are made of: hard disks in equilibrium, points that are given a
// correlation function, a bed of pebbles that is loaded and kept in motion.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "reproduce/hard_disks.h"
#include "reproduce/pebble_bed.h"
#include "support/near.h"

static ChMeasureRoom* room_open(void) {
  ChContext context = {0};
  ChMeasureRoom* room;
  CHECK_OK(context, ch_measure_room_create(&context, &room));
  return room;
}

static double image(double d, const ChRegion* r) { return r->periodic ? remainder(d, r->high.x) : d; }
static double distance(ChVec3 a, ChVec3 b, const ChRegion* r) {
  return hypot(image(b.x - a.x, r), image(b.y - a.y, r));
}

// --- hard disks ------------------------------------------------------------------------------------------------------

static void disks_never_overlap_nor_leave(void** state) {
  (void)state;
  enum { SIDE = 8, COUNT = SIDE * SIDE };
  for (int periodic = 0; periodic < 2; ++periodic) {
    ChVec3 at[COUNT];
    uint64_t seed = 7;
    const double fraction = 0.5, room = periodic ? 0.0 : 0.5;
    ChRegion region = ch_hard_disks_region(SIDE, fraction, periodic);
    CHECK_NEAR(COUNT * 0.25 * M_PI / ch_region_volume(&region), fraction, 1e-14);
    ch_hard_disks_lattice(SIDE, &region, at);
    double accepted = 0.0;
    for (int k = 0; k < 300; ++k) accepted += ch_hard_disks_sweep(COUNT, at, &region, 0.2, &seed) / 300.0;
    assert_true(accepted > 0.1 && accepted < 0.9);
    for (int k = 0; k < COUNT; ++k) {
      assert_true(at[k].x >= room && at[k].x <= region.high.x - room);
      assert_true(at[k].y >= room && at[k].y <= region.high.y - room);
      for (int j = 0; j < k; ++j) assert_true(distance(at[j], at[k], &region) >= 1.0);
    }
  }
}

// Two disks on a torus: their distance vector is uniform over what the disk of radius 1 leaves of the square, so that
// they are closer than a < L/2 for pi (a^2 - 1) / (L^2 - pi) of the time.
static void two_disks_are_everywhere_alike(void** state) {
  (void)state;
  enum { SWEEPS = 400000 };
  ChRegion region = ch_hard_disks_region(2, 0.25, true);
  const double L = region.high.x, a = 0.45 * L;
  ChVec3 at[4];
  uint64_t seed = 11;
  ch_hard_disks_lattice(2, &region, at);
  int closer = 0;
  for (int k = 0; k < SWEEPS; ++k) {
    ch_hard_disks_sweep(2, at, &region, 1.0, &seed);
    closer += distance(at[0], at[1], &region) < a;
  }
  // The state is forgotten within some ten sweeps: 4e4 independent ones leave a deviation of 0.0025.
  CHECK_NEAR((double)closer / SWEEPS, M_PI * (a * a - 1.0) / (L * L - M_PI), 0.01);
}

// Counted anew by the general code, the pairs have the miss that the annealing reports, and far less of it than points
// without order.
static void reconstructed_points_have_the_function_they_were_given(void** state) {
  (void)state;
  enum { SIDE = 10, COUNT = SIDE * SIDE, BINS = 30 };
  const double width = 0.1;
  double target[BINS], found = 0.0, disorder = 0.0;
  ChVec3 at[COUNT], again[COUNT];
  ChMeasureRoom* room = room_open();
  ChRegion region = ch_hard_disks_region(SIDE, 0.5, true);
  for (int b = 0; b < BINS; ++b) target[b] = b < 10 ? 0.0 : 1.0 + exp(-4.0 * (b * width - 1.0));
  double miss = ch_points_reconstruct(room, COUNT, at, &region, BINS, width, target, 40000, 5);
  ChGrains grains;
  ChContext context = {0};
  ChPairCorrelation c;
  CHECK_OK(context, ch_grains_of_points(&context, room, 2, COUNT, at, 0.5, &grains));
  CHECK_OK(context, ch_pair_correlation_begin(&context, room, 2, width, (BINS - 0.5) * width, &c));
  CHECK_OK(context, ch_pair_correlation_add(&context, room, &c, &grains, &region));
  for (int b = 0; b < BINS; ++b) {
    double d = ch_pair_correlation_value(&c, b) - target[b];
    found += d * d / BINS;
    disorder += (1.0 - target[b]) * (1.0 - target[b]) / BINS;
  }
  CHECK_NEAR(sqrt(found), miss, 1e-9);
  CHECK_AT_MOST(miss, 0.2 * sqrt(disorder));
  double twice = ch_points_reconstruct(room, COUNT, again, &region, BINS, width, target, 40000, 5);
  assert_true(twice == miss && memcmp(at, again, sizeof at) == 0);
  ch_measure_room_destroy(room);
}

// --- the bed ---------------------------------------------------------------------------------------------------------

static const ChBedDef small_bed = {.pebbles = 60,
                                   .radius = 0.03,
                                   .mu = 0.4,
                                   .h = 2.5e-3,
                                   .h_circulate = 5e-3,
                                   .sweeps = 300,
                                   .load = 0.6,
                                   .circulate = 0.25,
                                   .interval = 0.05};

static void run_bed(ChMeasureRoom* room, const ChBedDef* def, ChBedRun* out) {
  ChContext context = {0};
  ChItemRun run = {.context = &context, .folder = "."};
  CHECK_OK(context, ch_bed_run(&run, room, def, out));
}

static void a_bed_keeps_its_pebbles_inside_and_apart(void** state) {
  (void)state;
  ChMeasureRoom* room = room_open();
  ChBedRun bed;
  run_bed(room, &small_bed, &bed);
  const ChGrains* g = &bed.grains;
  const double r = small_bed.radius, wide = ch_bed_width(&small_bed), overlap = 0.01 * r;
  assert_int_equal(g->count, small_bed.pebbles);
  CHECK_AT_MOST(fmax(bed.loading.penetration, bed.circulation.penetration), overlap);
  for (int k = 0; k < g->count; ++k) {
    CHECK_AT_MOST(hypot(g->at[k].x, g->at[k].y), wide - r + overlap);
    assert_true(g->at[k].z > -wide * tan(M_PI / 6.0));
    for (int j = 0; j < k; ++j) assert_true(ch_norm(ch_sub(g->at[j], g->at[k])) >= 2.0 * r - overlap);
  }
  ch_measure_room_destroy(room);
}

static void a_bed_counts_its_steps_and_the_pebbles_that_go_round(void** state) {
  (void)state;
  ChMeasureRoom* room = room_open();
  ChBedRun bed, still;
  run_bed(room, &small_bed, &bed);
  assert_int_equal(bed.loading.steps, 240);
  assert_int_equal(bed.circulation.steps, 50);
  assert_int_equal(bed.taken, 5);  // at 0, 50, ... 200 ms
  assert_true(bed.loading.missed <= bed.loading.steps && bed.loading.contacts > 0.0);
  ChBedDef alone = small_bed;
  alone.circulate = 0.0;
  run_bed(room, &alone, &still);
  assert_int_equal(still.circulation.steps, 0);
  assert_int_equal(still.taken, 0);
  assert_true(still.kinetic == bed.kinetic && still.top == bed.top);  // loading is the same run
  // A hundredth of the energy that a fall from half the height of the vessel would have left.
  double mass = small_bed.pebbles * 1700.0 * ch_ball_volume(3, small_bed.radius);
  CHECK_AT_MOST(still.kinetic, 0.01 * mass * 9.81 * 0.5 * still.top);
  ch_measure_room_destroy(room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(disks_never_overlap_nor_leave),
      cmocka_unit_test(two_disks_are_everywhere_alike),
      cmocka_unit_test(reconstructed_points_have_the_function_they_were_given),
      cmocka_unit_test(a_bed_keeps_its_pebbles_inside_and_apart),
      cmocka_unit_test(a_bed_counts_its_steps_and_the_pebbles_that_go_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
