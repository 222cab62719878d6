// Friction whose section is a convex polygon of the caller's: what is accepted as one, the same law said as a regular
// polygon, the block that slides, and what the file keeps.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/solve.h"
#include "support/near.h"
#include "support/sections.h"
#include "support/worlds.h"

static void refused(int count, const double (*point)[2], const char* word) {
  ChContext context = {0};
  ChFrictionSection section;
  assert_true(ch_friction_section_make(&context, "slab", count, point, &section) != CH_OK);
  if (!strstr(context.message, word)) fail_msg("'%s' is not in '%s'", word, context.message);
}

static void what_is_no_convex_section_is_refused(void** state) {
  (void)state;
  const double dent[5][2] = {{0.5, 0.5}, {-0.5, 0.5}, {0.0, 0.2}, {-0.5, -0.5}, {0.5, -0.5}};
  const double line[3][2] = {{-0.5, 0.0}, {0.0, 0.0}, {0.5, 0.0}};
  const double beside[3][2] = {{0.1, -0.5}, {0.5, 0.0}, {0.1, 0.5}};
  const double broken[3][2] = {{NAN, -0.5}, {0.5, 0.0}, {0.1, 0.5}};
  const double square[4][2] = {{0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}};
  refused(5, dent, "point 2");
  refused(3, line, "on a line");
  refused(3, beside, "origin is outside");
  refused(3, broken, "point 0");
  refused(2, line, "must have 3 to 32");
  ChFrictionSection section;
  ChContext context = {0};
  CHECK_OK(context, ch_friction_section_make(&context, "slab", 4, square, &section));  // in any order
  assert_int_equal(section.count, 4);
}

static void blocks_without_a_section_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChFrictionSection clockwise = {3, {{0.5, 0.0}, {-0.3, -0.3}, {-0.3, 0.3}}};
  ChBlock block = {.law = CH_LAW_SECTION, .dimension = 3};
  const int index[3] = {0, 1, 2};
  const double one[3] = {1.0, 1.0, 1.0}, q[3] = {-1.0, 0.0, 0.0};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 3,
                            .block_count = 1,
                            .blocks = &block,
                            .W = {3, 3, 3, index, index, one},
                            .w = q};
  ChProblem* problem;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "section is missing"));
  block.section = &clockwise;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "do not turn left"));
}

// A regular polygon as a section is the polygon that `contact` has of `sides`: the same answers, though no line of the
// two is shared.
static void a_regular_polygon_is_the_one_of_contact(void** state) {
  (void)state;
  enum { BLOCKS = 4, N = 3 * BLOCKS, SIDES = 6 };
  const double mu = 0.5;
  ChRandom random = ch_random_seeded(41);
  ChFrictionSection section = {.count = SIDES};
  for (int k = 0; k < SIDES; ++k) {
    section.corner[k][0] = mu * cos(2.0 * acos(-1.0) * k / SIDES);
    section.corner[k][1] = mu * sin(2.0 * acos(-1.0) * k / SIDES);
  }
  for (int draw = 0; draw < 20; ++draw) {
    double A[N * N], W[N * N], q[N], u[2][N], r[2][N];
    int row[N * N], column[N * N];
    for (int k = 0; k < N * N; ++k) A[k] = ch_random_normal(&random);
    for (int k = 0; k < N; ++k) q[k] = ch_random_normal(&random);
    for (int k = 0; k < N * N; ++k) {
      W[k] = (k % (N + 1) == 0) * 2.0;
      row[k] = k / N, column[k] = k % N;
      for (int j = 0; j < N; ++j) W[k] += 0.1 * A[row[k] * N + j] * A[column[k] * N + j];
    }
    for (int own = 0; own < 2; ++own) {
      ChBlock blocks[BLOCKS];
      for (int k = 0; k < BLOCKS; ++k)
        blocks[k] = (ChBlock){.law = own ? CH_LAW_SECTION : CH_LAW_CONTACT,
                              .dimension = 3,
                              .mu = {mu, mu},
                              .sides = own ? 0 : SIDES,
                              .section = &section};
      const ChProblemDef def = {.form = CH_FORM_LOCAL,
                                .dimension = 3,
                                .block_count = BLOCKS,
                                .blocks = blocks,
                                .W = {N, N, N * N, row, column, W},
                                .w = q};
      ChContext context = {0};
      ChSolveOptions options = ch_solve_options_default();
      ChSolveInfo info;
      ChProblem* problem;
      options.tolerance = 1e-10;
      CHECK_OK(context, ch_problem_build(&context, &def, &problem));
      CHECK_OK(context, ch_solve(&context, problem, &options, NULL, u[own], r[own], &info));
      ch_problem_destroy(problem);
    }
    for (int k = 0; k < N; ++k) CHECK_NEAR(r[1][k], r[0][k], 1e-7);
  }
}

// --- in worlds -------------------------------------------------------------------------------------------------------

static const double G = 9.81, H = 1e-3;

// Bears 0.6 against what moves along x, 0.2 against what comes back, 0.3 across.
static const double skewed[4][2] = {{-0.6, -0.3}, {0.2, -0.3}, {0.2, 0.3}, {-0.6, 0.3}};

// A box that cannot turn, of yaw `turn`, on a floor that leans by tan(slope) in the direction `lean`. `own`: the
// section is the box's, not the floor's; `first`: the box is made before the floor.
typedef struct Slab {
  double turn, slope, lean;
  bool own, first;
  ChVec3 velocity;
} Slab;

static ChMaterialId material_of(ChWorld* world, bool sectioned) {
  ChContext context = {0};
  ChFrictionSection section;
  ChMaterialDef material = ch_material_def_default();
  CHECK_OK(context, ch_friction_section_make(&context, "skewed", 4, skewed, &section));
  if (sectioned) material.section = &section;
  return ch_test_material(world, &material);
}

static void add_floor(ChWorld* world, const Slab* slab) {
  ChBodyDef def = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  def.kind = CH_BODY_FIXED;
  shape.type = CH_SHAPE_HALFSPACE, shape.material = material_of(world, !slab->own);
  ch_test_body(world, &def, &shape);
}

static void add_box(ChWorld* world, const Slab* slab) {
  ChBodyDef def = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  def.position = ch_vec(0.0, 0.0, 0.1), def.velocity = slab->velocity;
  def.orientation = ch_quat_about(ch_vec(0.0, 0.0, 1.0), slab->turn);
  def.locks = CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ;
  shape.type = CH_SHAPE_BOX, shape.half = ch_vec(0.1, 0.1, 0.1), shape.material = material_of(world, slab->own);
  ch_test_body(world, &def, &shape);
}

static ChBodyView slide(const Slab* slab, double until) {
  ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
  ChContext context = {0};
  const ChSignal gravity[3] = {{.base = G * sin(slab->slope) * cos(slab->lean)},
                               {.base = G * sin(slab->slope) * sin(slab->lean)},
                               {.base = -G * cos(slab->slope)}};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  if (slab->first) add_box(world, slab);
  add_floor(world, slab);
  if (!slab->first) add_box(world, slab);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = H;
  ChSimulation* s = ch_test_start(world, &options);
  const ChStepInfo info = ch_test_run(s, until);
  const ChBodyView box = ch_simulation_body_at(s, slab->first ? 0 : 1);
  CHECK_AT_MOST(info.certificate.natural, 1e-8);
  ch_simulation_destroy(s);
  return box;
}

// The corner that brakes most: v = v0 + g p t until one part of v is gone, whatever body has the section and is listed
// first. A constant force: every step is exact.
static void what_slides_is_braked_by_the_corner_that_brakes_most(void** state) {
  (void)state;
  const double quarter = 0.5 * acos(-1.0), t = 0.1;
  for (int first = 0; first < 2; ++first) {
    const ChVec3 there = slide(&(Slab){.first = first, .velocity = {1.0, 0.9, 0.0}}, t).velocity;
    const ChVec3 back = slide(&(Slab){.first = first, .velocity = {-1.0, -0.9, 0.0}}, t).velocity;
    CHECK_NEAR(there.x, 1.0 - 0.6 * G * t, 1e-7);
    CHECK_NEAR(there.y, 0.9 - 0.3 * G * t, 1e-7);
    CHECK_NEAR(back.x, -1.0 + 0.2 * G * t, 1e-7);
    CHECK_NEAR(back.y, -0.9 + 0.3 * G * t, 1e-7);
    // The box's section says what it does to the floor: 0.6 along -x of the box pushes the floor back, the box on.
    const ChVec3 own = slide(&(Slab){.first = first, .own = true, .velocity = {-1.0, 0.0, 0.0}}, t).velocity;
    CHECK_NEAR(own.x, -1.0 + 0.6 * G * t, 1e-7);
    const ChVec3 turned =
        slide(&(Slab){.first = first, .own = true, .turn = quarter, .velocity = {0.0, 1.0, 0.0}}, t).velocity;
    CHECK_NEAR(turned.y, 1.0 - 0.2 * G * t, 1e-7);
  }
}

// A slope holds the box as long as what it needs is within the section.
static void a_slope_holds_within_the_section(void** state) {
  (void)state;
  const double quarter = 0.5 * acos(-1.0), limit[4] = {0.6, 0.3, 0.2, 0.3};  // leaning along x, y, -x, -y
  for (int side = 0; side < 4; ++side)
    for (int over = 0; over < 2; ++over) {
      const double slope = atan(limit[side] * (over ? 1.01 : 0.99)), lean = side * quarter;
      const ChVec3 v = slide(&(Slab){.slope = slope, .lean = lean}, 0.1).velocity;
      const double wanted = over ? 0.1 * G * (sin(slope) - limit[side] * cos(slope)) : 0.0;
      CHECK_NEAR(v.x * cos(lean) + v.y * sin(lean), wanted, 1e-8);
    }
}

static void sections_that_meet_what_they_cannot_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChFrictionSection section;
  CHECK_OK(context, ch_friction_section_make(&context, "skewed", 4, skewed, &section));
  ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
  ChMaterialDef material = ch_material_def_default();
  material.name = "slab", material.section = &section, material.rolling = 0.1;
  assert_int_equal(ch_world_add_material(&context, world, &material, NULL), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "rolling"));
  ch_world_destroy(world);
  world = ch_test_world(2, G, 0.5, 0.0);
  material.rolling = 0.0;
  assert_int_equal(ch_world_add_material(&context, world, &material, NULL), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "space"));
  ch_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_convex_section_is_refused),
      cmocka_unit_test(blocks_without_a_section_are_refused),
      cmocka_unit_test(a_regular_polygon_is_the_one_of_contact),
      cmocka_unit_test(what_slides_is_braked_by_the_corner_that_brakes_most),
      cmocka_unit_test(a_slope_holds_within_the_section),
      cmocka_unit_test(sections_that_meet_what_they_cannot_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
