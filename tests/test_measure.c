// Granular statistics against closed forms: lattices, points without order, layers, balls cut by planes and cylinders.
#include <math.h>

#include "base/arena.h"
#include "base/vector.h"
#include "measure/coordination.h"
#include "measure/pair_correlation.h"
#include "measure/profile.h"
#include "measure/region.h"
#include "measure/segregation.h"
#include "support/near.h"

static ChContext context;
static ChArena* arena;

static int set_up(void** state) {
  (void)state;
  arena = ch_arena_create(NULL);
  return arena ? 0 : -1;
}

static int tear_down(void** state) {
  (void)state;
  ch_arena_destroy(arena);
  return 0;
}

static ChRegion box(double x0, double x1, double y0, double y1, double z0, double z1) {
  return (ChRegion){.dimension = 3, .low = {x0, y0, z0}, .high = {x1, y1, z1}};
}

static double uniform(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

// --- balls and regions -----------------------------------------------------------------------------------------------

static void a_ball_at_a_corner_is_an_eighth(void** state) {
  (void)state;
  const double whole = 4.0 / 3.0 * M_PI;
  ChRegion r = box(0, 5, 0, 5, 0, 5);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){0, 0, 0}, 1.0), whole / 8.0, 1e-7);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){0, 0, 2}, 1.0), whole / 4.0, 1e-7);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){0, 2, 2}, 1.0), whole / 2.0, 1e-7);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){2, 2, 2}, 1.0), whole, 1e-14);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){-0.5, 2, 2}, 1.0), M_PI * 0.25 * (3.0 - 0.5) / 3.0, 1e-7);  // a cap
  assert_true(ch_region_ball(&r, (ChVec3){-1.5, 2, 2}, 1.0) == 0.0);
}

// A ball through which a cylinder is drilled along its axis: what is left is the napkin ring 4/3 pi (R^2 - a^2)^(3/2).
static void a_drilled_ball_leaves_a_napkin_ring(void** state) {
  (void)state;
  ChRegion r = {.kind = CH_REGION_CYLINDER, .dimension = 3, .low = {0, 0, -9}, .high = {0, 0, 9}, .radius = 0.6};
  double ring = 4.0 / 3.0 * M_PI * pow(1.0 - 0.36, 1.5);
  CHECK_NEAR(ch_region_ball(&r, (ChVec3){0, 0, 0}, 1.0), 4.0 / 3.0 * M_PI - ring, 1e-7);
}

static void parts_of_a_ball_make_up_the_ball(void** state) {
  (void)state;
  double sum = 0.0, rings = 0.0, last = 0.0;
  for (int k = 0; k < 64; ++k) {
    double x = -2.0 + k % 4, y = -2.0 + k / 4 % 4, z = -2.0 + k / 16;
    ChRegion r = box(x, x + 1.0, y, y + 1.0, z, z + 1.0);
    sum += ch_region_ball(&r, (ChVec3){0.13, -0.29, 0.21}, 1.2);
  }
  CHECK_NEAR(sum, ch_ball_volume(3, 1.2), 1e-7);
  for (int k = 1; k <= 12; ++k) {
    ChRegion r = {.kind = CH_REGION_CYLINDER, .dimension = 3, .low = {0, 0, -2}, .high = {0, 0, 2}, .radius = 0.25 * k};
    double inside = ch_region_ball(&r, (ChVec3){0.9, 0.4, 0.1}, 1.2);
    assert_true(inside >= last);
    rings += inside - last;
    last = inside;
  }
  CHECK_NEAR(rings, ch_ball_volume(3, 1.2), 1e-7);
}

static void parts_of_a_disc_make_up_the_disc(void** state) {
  (void)state;
  double sum = 0.0;
  for (int k = 0; k < 16; ++k) {
    double x = -2.0 + k % 4, y = -2.0 + k / 4;
    ChRegion r = {.dimension = 2, .low = {x, y, 0}, .high = {x + 1.0, y + 1.0, 0}};
    sum += ch_region_ball(&r, (ChVec3){0.3, 0.1, 0}, 1.1);
  }
  CHECK_NEAR(sum, M_PI * 1.21, 1e-13);
  ChRegion disc = {
      .kind = CH_REGION_CYLINDER, .dimension = 2, .x = 1.0, .radius = 1.0};  // two equal circles, one radius apart
  CHECK_NEAR(ch_region_ball(&disc, (ChVec3){0, 0, 0}, 1.0), 2.0 * M_PI / 3.0 - sqrt(3.0) / 2.0, 1e-13);
}

static void regions_are_read_and_refused(void** state) {
  (void)state;
  ChRegion r;
  CHECK_OK(context, ch_region_read(&context, "--region", "0,1,0,2,-1,3", 3, &r));
  CHECK_NEAR(ch_region_volume(&r), 8.0, 1e-15);
  CHECK_OK(context, ch_region_read(&context, "--region", "0,0,0.5,0,2", 3, &r));
  CHECK_NEAR(ch_region_volume(&r), 0.5 * M_PI, 1e-15);
  CHECK_OK(context, ch_region_read(&context, "--region", "1,2,0.5", 2, &r));
  assert_true(ch_region_holds(&r, (ChVec3){1.2, 2.3, 0}) && !ch_region_holds(&r, (ChVec3){1.4, 2.4, 0}));
  const char* const wrong[] = {"", "1,2", "1,0,0,1,0,1", "a,b,c,d,e,f", "0,1,0,1,0,nan", "0,0,-1,0,1", "0,1,0,1,0,1,0"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
    assert_true(ch_region_read(&context, "--region", wrong[k], 3, &r) != CH_OK);
}

// --- lattices --------------------------------------------------------------------------------------------------------

enum { CELLS = 8 };

// Face-centred cubic, cells of size 1: spheres of radius 1 / (2 sqrt 2) touch.
static ChGrains fcc(void) {
  static const double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  ChVec3* at = CH_TAKE(arena, 4 * CELLS * CELLS * CELLS, ChVec3);
  int count = 0;
  for (int c = 0; c < CELLS * CELLS * CELLS; ++c)
    for (int b = 0; b < 4; ++b)
      at[count++] =
          (ChVec3){c % CELLS + basis[b][0], c / CELLS % CELLS + basis[b][1], c / (CELLS * CELLS) + basis[b][2]};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, count, at, 0.5 / sqrt(2.0), &grains);
  return grains;
}

static void fcc_fills_pi_over_3_root_2(void** state) {
  (void)state;
  ChGrains grains = fcc();
  for (int k = 0; k < 3; ++k) {  // whole cells, wherever they begin
    double at = 1.0 + 0.17 * k;
    ChRegion r = box(at, at + 4.0, at + 0.1, at + 4.1, at + 0.3, at + 4.3);
    CHECK_NEAR(ch_grains_packing(&grains, &r), M_PI / (3.0 * sqrt(2.0)), 1e-9);
  }
}

static void fcc_has_twelve_neighbours(void** state) {
  (void)state;
  ChGrains grains = fcc();
  ChTouches touches = ch_touches_of_distances(arena, &grains, 1e-6);
  ChRegion inner = box(0.9, 6.9, 0.9, 6.9, 0.9, 6.9);
  ChCoordination c = {0};
  ch_coordination_add(arena, &c, &grains, &inner, &touches);
  assert_true(c.grains > 500 && c.by_number[12] == c.grains);
  CHECK_NEAR(ch_coordination_mean(&c), 12.0, 0.0);
  assert_true(isnan(ch_coordination_loaded(&c)));  // distances tell of no forces
}

// Shells of 12, 6, 24 and 12 at D, sqrt 2 D, sqrt 3 D and 2 D, and nothing between. A window of whole cells sees half a
// pair per edge too many: the error is of the order 1 / CELLS^2.
static void fcc_correlates_in_shells(void** state) {
  (void)state;
  ChGrains grains = fcc();
  ChRegion r = box(0, CELLS, 0, CELLS, 0, CELLS);
  double d = 2.0 * grains.mean_radius;
  ChPairCorrelation c = ch_pair_correlation_begin_in(arena, 3, 0.1 * d, 2.1 * d);
  ch_pair_correlation_add_in(arena, &c, &grains, &r);
  const double counts[4] = {12, 18, 42, 54};
  const int bins[4] = {10, 14, 17, 20};
  for (int k = 0; k < 4; ++k) {
    assert_true(ch_pair_correlation_value(&c, bins[k]) > 1.0);
    CHECK_NEAR(ch_pair_correlation_neighbours(&c, bins[k]), counts[k], 0.02 * counts[k]);
  }
  for (int k = 0; k < c.bins; ++k)
    if (k != 10 && k != 14 && k != 17 && k != 20) assert_true(ch_pair_correlation_value(&c, k) == 0.0);
  assert_int_equal(ch_pair_correlation_peak(&c), 10);
}

// In a cell that repeats itself nothing has to be corrected: every sphere has all its neighbours, and all of it counts.
static void a_lattice_that_repeats_itself_has_no_edges(void** state) {
  (void)state;
  ChGrains grains = fcc();
  double d = 2.0 * grains.mean_radius, solid = M_PI / (3.0 * sqrt(2.0));
  const ChPeriodic cells[] = {{{true, true, true}, {0, 0, 0}, {CELLS, CELLS, CELLS}},
                              {{true, true, true}, {-0.3, 0.1, 0.45}, {CELLS - 0.3, CELLS + 0.1, CELLS + 0.45}}};
  for (int k = 0; k < 2; ++k) {
    grains.periodic = cells[k];
    for (int g = 0; g < grains.count; ++g) grains.at[g] = ch_periodic_wrap(&grains.periodic, grains.at[g]);
    ChRegion r = ch_grains_bounds(&grains), unit = box(0.2, 1.2, 0.4, 1.4, 0.5, 1.5);
    CHECK_NEAR(ch_grains_packing(&grains, &r), solid, 1e-7);
    CHECK_NEAR(ch_grains_packing(&grains, &unit), solid, 1e-7);  // a unit cell, wherever it lies
    ChTouches touches = ch_touches_of_distances(arena, &grains, 1e-6);
    ChCoordination c = {0};
    ch_coordination_add(arena, &c, &grains, &r, &touches);
    assert_int_equal(c.by_number[12], grains.count);
    ChPairCorrelation g = ch_pair_correlation_begin_in(arena, 3, 0.1 * d, 2.1 * d);
    ch_pair_correlation_add_in(arena, &g, &grains, &r);
    double n = grains.count;  // of ordered pairs N (N - 1) are possible, and rho is N / V
    const double counts[4] = {12, 18, 42, 54};
    const int bins[4] = {10, 14, 17, 20};
    for (int m = 0; m < 4; ++m)
      CHECK_NEAR(ch_pair_correlation_neighbours(&g, bins[m]), counts[m] * n / (n - 1.0), 1e-9);
    ChProfile p;
    CHECK_OK(context, ch_profile_begin(&context, arena, &grains, &r, CH_PROFILE_X, 2 * CELLS, &p));
    ch_profile_add(arena, &p, &grains, &r);
    for (int b = 0; b < p.bins; ++b) CHECK_NEAR(ch_profile_solid(&p, b), solid, k == 0 ? 1e-7 : 0.05);
  }
}

// --- points without order --------------------------------------------------------------------------------------------

enum { POINTS = 3000 };

static void check_gas(const ChRegion* region, double tolerance) {
  uint32_t seed = 7;
  ChVec3* at = CH_TAKE(arena, POINTS, ChVec3);
  for (int k = 0; k < POINTS;) {
    ChVec3 p = {2.0 * uniform(&seed) - 1.0, 2.0 * uniform(&seed) - 1.0, region->dimension == 3 ? uniform(&seed) : 0.0};
    if (ch_region_holds(region, p)) at[k++] = p;
  }
  ChGrains grains;
  ch_grains_of_points_in(arena, region->dimension, POINTS, at, 0.01, &grains);
  ChPairCorrelation c = ch_pair_correlation_begin_in(arena, region->dimension, 0.05, 0.8);
  ch_pair_correlation_add_in(arena, &c, &grains, region);
  for (int k = 2; k < c.bins; ++k) CHECK_NEAR(ch_pair_correlation_value(&c, k), 1.0, tolerance);
}

// Up to distances of most of the region's width, where without correction g would have fallen to a half. The noise of a
// bin is one over the root of its pairs, some thousands.
static void points_without_order_do_not_correlate(void** state) {
  (void)state;
  ChRegion regions[] = {
      {.dimension = 3, .low = {-1, -1, 0}, .high = {1, 1, 1}},
      {.kind = CH_REGION_CYLINDER, .dimension = 3, .low = {0, 0, 0}, .high = {0, 0, 1}, .radius = 1.0},
      {.dimension = 2, .low = {-1, -1, 0}, .high = {1, 1, 0}},
      {.kind = CH_REGION_CYLINDER, .dimension = 2, .radius = 1.0},
      {.dimension = 2, .periodic = true, .low = {-1, -1, 0}, .high = {1, 1, 0}},
  };
  for (size_t k = 0; k < sizeof regions / sizeof *regions; ++k) check_gas(&regions[k], 0.05);
}

static void cells_find_the_same_pairs_as_everybody_with_everybody(void** state) {
  (void)state;
  uint32_t seed = 3;
  ChVec3 at[200];
  for (int k = 0; k < 200; ++k) at[k] = (ChVec3){uniform(&seed), 3.0 * uniform(&seed), 0.2 * uniform(&seed)};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, 200, at, 0.06, &grains);
  ChTouches touches = ch_touches_of_distances(arena, &grains, 0.01);
  int expected = 0;
  for (int a = 0; a < 200; ++a)
    for (int b = a + 1; b < 200; ++b) expected += ch_norm(ch_sub(at[a], at[b])) <= 0.13;
  assert_int_equal(touches.count, expected);
  assert_true(expected > 100);
}

// --- layers ----------------------------------------------------------------------------------------------------------

// Nine grains of radius 0.5 on the floor of a box 3 wide, nine of 0.4 above.
static ChGrains layers(double large_at, double small_at) {
  ChVec3 at[18];
  for (int k = 0; k < 18; ++k) at[k] = (ChVec3){0.5 + k % 3, 0.5 + k / 3 % 3, k < 9 ? large_at : small_at};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, 18, at, 0.5, &grains);
  grains.species_count = 2;
  for (int k = 0; k < 18; ++k) {
    grains.radius[k] = k < 9 ? 0.5 : 0.4;
    grains.volume[k] = ch_ball_volume(3, grains.radius[k]);
    grains.species[k] = k < 9;
    grains.velocity[k] = k < 9 ? (ChVec3){0, 0, 0} : (ChVec3){k % 2 ? 3.0 : -1.0, 0, 0};
  }
  return grains;
}

static void two_layers_have_two_solid_fractions(void** state) {
  (void)state;
  ChGrains grains = layers(0.5, 1.5);
  ChRegion r = box(0, 3, 0, 3, 0, 2);
  ChProfile p;
  CHECK_OK(context, ch_profile_begin(&context, arena, &grains, &r, CH_PROFILE_Z, 2, &p));
  ch_profile_add(arena, &p, &grains, &r);
  ch_profile_add(arena, &p, &grains, &r);                       // a second moment, the same
  CHECK_NEAR(ch_profile_species(&p, 0, 1), M_PI / 6.0, 1e-12);  // a sphere in its cube
  CHECK_NEAR(ch_profile_species(&p, 0, 0), 0.0, 1e-12);
  CHECK_NEAR(ch_profile_solid(&p, 1), M_PI / 6.0 * 0.512, 1e-12);
  CHECK_NEAR(ch_profile_grains(&p, 1), 9.0, 0.0);
  CHECK_NEAR(ch_profile_middle(&p, 1), 1.5, 1e-15);
  CHECK_NEAR(ch_profile_velocity(&p, 1).x, (5 * 3.0 - 4 * 1.0) / 9.0, 1e-12);  // five of the nine are odd
}

static void temperature_is_what_the_mean_leaves(void** state) {
  (void)state;
  ChGrains grains = layers(0.5, 1.5);
  ChRegion above = box(0, 3, 0, 3, 1, 2), all = box(0, 3, 0, 3, 0, 2);
  double mean = (5 * 3.0 - 4 * 1.0) / 9.0, square = (5 * 9.0 + 4 * 1.0) / 9.0;
  CHECK_NEAR(ch_grains_temperature(&grains, &above), (square - mean * mean) / 3.0, 1e-12);
  ChProfile p;
  CHECK_OK(context, ch_profile_begin(&context, arena, &grains, &all, CH_PROFILE_Z, 2, &p));
  ch_profile_add(arena, &p, &grains, &all);
  CHECK_NEAR(ch_profile_temperature(&p, 0), 0.0, 1e-15);
  CHECK_NEAR(ch_profile_temperature(&p, 1), (square - mean * mean) / 3.0, 1e-12);
}

static void layers_are_wholly_segregated(void** state) {
  (void)state;
  ChGrains below = layers(0.5, 1.5), above = layers(1.5, 0.5);
  CHECK_NEAR(ch_segregation_index_in(arena, &below, 2), -1.0, 1e-12);
  CHECK_NEAR(ch_segregation_index_in(arena, &above, 2), 1.0, 1e-12);
  for (int k = 0; k < 18; ++k) below.at[k].z = k % 9;  // a large one and a small one at each height: they alternate
  assert_true(fabs(ch_segregation_index_in(arena, &below, 2)) < 0.15);
  ChGrains one;
  ch_grains_of_points_in(arena, 3, 18, below.at, 0.1, &one);
  assert_true(isnan(ch_segregation_index_in(arena, &one, 2)));
}

// Shells of a cylinder that is full of matter on one side of a plane: every shell is half full.
static void shells_of_a_half_filled_cylinder(void** state) {
  (void)state;
  ChVec3 at = {1000.0, 0.0, 0.0};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, 1, &at, 1000.0, &grains);
  ChRegion r = {.kind = CH_REGION_CYLINDER, .dimension = 3, .low = {0, 0, -0.5}, .high = {0, 0, 0.5}, .radius = 1.0};
  ChProfile p;
  CHECK_OK(context, ch_profile_begin(&context, arena, &grains, &r, CH_PROFILE_R, 4, &p));
  ch_profile_add(arena, &p, &grains, &r);
  for (int b = 0; b < 4; ++b) CHECK_NEAR(ch_profile_solid(&p, b), 0.5, 1e-3);  // the plane is a ball of 1000 m
  assert_true(ch_profile_begin(&context, arena, &grains, &r, CH_PROFILE_X, 4, &p) == CH_ERR_ARGUMENT);
}

// --- contacts --------------------------------------------------------------------------------------------------------

static void many_contacts_are_one_neighbour(void** state) {
  (void)state;
  ChVec3 at[3] = {{0, 0, 0}, {1, 0, 0}, {5, 0, 0}};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, 3, at, 0.5, &grains);
  grains.of_body[2] = -1;  // the third body is a wall
  grains.count = 2;
  ChVec3 push = {0, 0, 2};
  const ChContactView contacts[] = {
      {.body = {1, 0}, .gap = 0.0},    {.body = {0, 1}, .gap = 0.0, .force = push},  // the same two
      {.body = {2, 0}, .force = push}, {.body = {2, 0}, .force = push},
      {.body = {1, 2}, .gap = 0.5},  // far
  };
  ChTouches touches = ch_touches_of_contacts(arena, &grains, 5, contacts, 1e-3);
  assert_int_equal(touches.count, 2);
  ChRegion r = box(-1, 6, -1, 1, -1, 1);
  ChCoordination c = {0};
  ch_coordination_add(arena, &c, &grains, &r, &touches);
  CHECK_NEAR(ch_coordination_mean(&c), 1.0, 0.0);
  CHECK_NEAR(ch_coordination_loaded(&c), 1.5, 0.0);
  CHECK_NEAR(ch_coordination_rattlers(&c), 0.5, 0.0);
}

// --- forces ----------------------------------------------------------------------------------------------------------

static void check_tensor(const double found[9], double xx, double yy, double zz) {
  const double wanted[9] = {xx, 0.0, 0.0, 0.0, yy, 0.0, 0.0, 0.0, zz};
  for (int k = 0; k < 9; ++k) CHECK_NEAR(found[k], wanted[k], 1e-12 * (fabs(xx) + fabs(yy) + fabs(zz)));
}

// A ball in a tight box whose walls press with F on each side: the stress is F / (2 R)^2 in every direction.
static void a_ball_pressed_from_all_sides_is_under_isotropic_stress(void** state) {
  (void)state;
  ChVec3 at[2] = {{1, 2, 3}, {0, 0, 0}};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, 2, at, 0.5, &grains);
  grains.of_body[1] = -1;
  grains.count = 1;
  ChContactView contacts[6];
  for (int k = 0; k < 6; ++k) {
    ChVec3 out = {k / 2 == 0, k / 2 == 1, k / 2 == 2};
    out = ch_scale(k % 2 ? 1.0 : -1.0, out);
    ChVec3 point = ch_add(at[0], ch_scale(0.5, out));
    contacts[k] =
        (ChContactView){.body = {1, 0}, .point = point, .normal = ch_scale(-1.0, out), .force = ch_scale(-7.0, out)};
  }
  for (int k = 0; k < 6; k += 2) {  // the same seen from the other body
    contacts[k].body[0] = 0, contacts[k].body[1] = 1;
    contacts[k].normal = ch_scale(-1.0, contacts[k].normal);
    contacts[k].force = ch_scale(-1.0, contacts[k].force);
  }
  ChRegion r = box(0.5, 1.5, 1.5, 2.5, 2.5, 3.5);
  ChForces f = {0};
  ch_forces_add(&f, &grains, &r, NULL, 6, contacts);
  ch_forces_add(&f, &grains, &r, NULL, 6, contacts);
  double stress[9], fabric[9];
  ch_forces_stress(&f, stress);
  ch_forces_fabric(&f, fabric);
  check_tensor(stress, 7.0, 7.0, 7.0);
  CHECK_NEAR(ch_forces_pressure(&f), 7.0, 1e-12);
  assert_true(isnan(fabric[0]));  // no contact between grains
  assert_int_equal(f.contacts, 12);
  CHECK_NEAR(ch_forces_density(&f, 4), 4.0, 1e-12);  // all forces are the mean, in the bin from 1 to 1.25
}

// A simple cubic lattice that repeats itself, with forces A, B, C along its axes.
static void a_lattice_has_the_stress_of_its_bonds(void** state) {
  (void)state;
  enum { N = 3 };
  const double force[3] = {1.0, 2.0, 6.0}, D = 0.2;
  ChVec3 at[N * N * N];
  ChContactView contacts[3 * N * N * N];
  for (int k = 0; k < N * N * N; ++k)
    at[k] = (ChVec3){D * (k % N + 0.5), D * (k / N % N + 0.5), D * (k / (N * N) + 0.5)};
  ChGrains grains;
  ch_grains_of_points_in(arena, 3, N * N * N, at, 0.5 * D, &grains);
  grains.periodic = (ChPeriodic){.axis = {true, true, true}, .high = {N * D, N * D, N * D}};
  for (int k = 0; k < N * N * N; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const int step[3] = {1, N, N * N}, place = k / step[axis] % N;
      ChVec3 n = {axis == 0, axis == 1, axis == 2};
      contacts[3 * k + axis] = (ChContactView){.body = {k, place < N - 1 ? k + step[axis] : k - (N - 1) * step[axis]},
                                               .point = ch_add(at[k], ch_scale(0.5 * D, n)),
                                               .normal = n,
                                               .force = ch_scale(force[axis], n)};
    }
  ChRegion r = box(0, N * D, 0, N * D, 0, N * D);
  ChForces f = {0};
  ch_forces_add(&f, &grains, &r, NULL, 3 * N * N * N, contacts);
  double stress[9], fabric[9];
  ch_forces_stress(&f, stress);
  ch_forces_fabric(&f, fabric);
  check_tensor(stress, force[0] / (D * D), force[1] / (D * D), force[2] / (D * D));
  check_tensor(fabric, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
  CHECK_NEAR(f.normal, 9.0 * N * N * N, 1e-9);
  CHECK_NEAR(ch_forces_density(&f, 1) * CH_FORCE_BIN_WIDTH, 1.0 / 3.0, 1e-12);  // 1/3 of the mean
  CHECK_NEAR(ch_forces_density(&f, 8) * CH_FORCE_BIN_WIDTH, 1.0 / 3.0, 1e-12);  // twice the mean
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_ball_at_a_corner_is_an_eighth, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_drilled_ball_leaves_a_napkin_ring, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parts_of_a_ball_make_up_the_ball, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parts_of_a_disc_make_up_the_disc, set_up, tear_down),
      cmocka_unit_test_setup_teardown(regions_are_read_and_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fcc_fills_pi_over_3_root_2, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fcc_has_twelve_neighbours, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fcc_correlates_in_shells, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_lattice_that_repeats_itself_has_no_edges, set_up, tear_down),
      cmocka_unit_test_setup_teardown(points_without_order_do_not_correlate, set_up, tear_down),
      cmocka_unit_test_setup_teardown(cells_find_the_same_pairs_as_everybody_with_everybody, set_up, tear_down),
      cmocka_unit_test_setup_teardown(two_layers_have_two_solid_fractions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(temperature_is_what_the_mean_leaves, set_up, tear_down),
      cmocka_unit_test_setup_teardown(layers_are_wholly_segregated, set_up, tear_down),
      cmocka_unit_test_setup_teardown(shells_of_a_half_filled_cylinder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(many_contacts_are_one_neighbour, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_ball_pressed_from_all_sides_is_under_isotropic_stress, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_lattice_has_the_stress_of_its_bonds, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
