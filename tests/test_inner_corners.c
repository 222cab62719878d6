// Facts about places where several edges hold what no face does: an edge slides into the inner corner of a hole, in a
// frame of bare wires, a sheet and a plate; sheets lean on each other with their rims. Nothing passes, whatever turns.
#include "support/near.h"
#include "support/surfaces.h"
#include "support/worlds.h"

static const double g = 9.8, pi = 3.14159265358979323846;
static ChTestSurface surfaces[2];

// Heights are along y where these scenes are written down, along z in the world.
static ChVec3 upright(double x, double y, double z) { return ch_vec(x, -z, y); }

static ChQuat turned(double x, double y, double z) {
  ChQuat a = ch_quat_about(ch_vec(1, 0, 0), x * pi / 180.0), b = ch_quat_about(ch_vec(0, 0, 1), y * pi / 180.0);
  return ch_quat_product(ch_quat_about(ch_vec(0, -1, 0), z * pi / 180.0), ch_quat_product(b, a));
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 0.01, options.solve.tolerance = 1e-6;
  return ch_test_start(world, &options);
}

// --- holes -----------------------------------------------------------------------------------------------------------

typedef enum Holder { WIRES, SHEET, PLATE } Holder;

static const ChTestSurface* tetrahedron(void) {
  static const int faces[4][3] = {{0, 1, 2}, {2, 1, 3}, {3, 0, 2}, {1, 0, 3}};
  ChTestSurface* s = &surfaces[0];
  s->point_count = s->triangle_count = 0;
  s->points[0] = upright(0, 0.5, 0), s->points[1] = upright(0.5, -0.5, -0.4);
  s->points[2] = upright(-0.5, -0.5, -0.4), s->points[3] = upright(0, -0.5, 0.5);
  s->point_count = 4;
  for (int k = 0; k < 4; ++k) ch_surface_triangle(s, faces[k][0], faces[k][1], faces[k][2]);
  return s;
}

// Rings of n corners, one after the other: outer and inner ones, below and above for a plate, else in one plane.
static const ChTestSurface* ring(int n, double half_height) {
  ChTestSurface* s = &surfaces[1];
  s->point_count = s->triangle_count = 0;
  for (int layer = 0; layer < (half_height > 0.0 ? 2 : 1); ++layer)
    for (int k = 0; k < 2 * n; ++k) {
      double angle = 2.0 * pi * (k % n) / n + pi / n, radius = k < n ? 1.5 : 0.33;
      s->points[s->point_count++] =
          ch_vec(radius * cos(angle), radius * sin(angle), (layer ? 1.0 : -1.0) * half_height);
    }
  for (int k = 0; k < n; ++k) {
    int next = (k + 1) % n, o = k, p = next, i = n + k, j = n + next, up = 2 * n;
    int top = half_height > 0.0 ? up : 0;
    ch_surface_triangle(s, o + top, p + top, j + top);
    ch_surface_triangle(s, o + top, j + top, i + top);
    if (top == 0) continue;
    ch_surface_triangle(s, o, j, p), ch_surface_triangle(s, o, i, j);
    ch_surface_triangle(s, o, p, p + up), ch_surface_triangle(s, o, p + up, o + up);
    ch_surface_triangle(s, i, j + up, j), ch_surface_triangle(s, i, i + up, j + up);
  }
  return s;
}

static void add_holder(ChWorld* world, Holder holder, int n) {
  ChBodyDef body = ch_body_def_default();
  body.kind = CH_BODY_FIXED;
  ChVec3 points[8];
  int segments[16];
  ChShapeDef shape = ch_shape_def_default();
  if (holder == WIRES) {
    for (int k = 0; k < n; ++k) {
      double angle = 2.0 * pi * k / n + pi / n;
      points[k] = ch_vec(0.33 * cos(angle), 0.33 * sin(angle), 0.0);
      segments[2 * k] = k, segments[2 * k + 1] = (k + 1) % n;
    }
    shape.type = CH_SHAPE_SEGMENTS, shape.points = points, shape.point_count = n;
    shape.segments = segments, shape.segment_count = n, shape.radius = 0.0;
  } else {
    shape = ch_surface_shape(ring(n, holder == PLATE ? 0.05 : 0.0));
  }
  ch_test_body(world, &body, &shape);
}

// How deep the hole's edges are in the tetrahedron, at a thousand places each.
static double edge_depth(const ChSimulation* s, int body, int n) {
  const ChTestSurface* t = &surfaces[0];
  ChBodyView now = ch_simulation_body_at(s, body);
  ChVec3 centre = ch_scale(0.25, ch_add(ch_add(t->points[0], t->points[1]), ch_add(t->points[2], t->points[3])));
  double deepest = 0.0;
  for (int k = 0; k < 1000 * n; ++k) {
    double share = k % 1000 / 1000.0, from = (2 * (k / 1000) + 1) * pi / n, to = from + 2.0 * pi / n;
    ChVec3 at = ch_vec(0.33 * ((1 - share) * cos(from) + share * cos(to)),
                       0.33 * ((1 - share) * sin(from) + share * sin(to)), 0.0);
    at = ch_add(ch_rotate(ch_quat_conjugate(now.orientation), ch_sub(at, now.position)), centre);
    double depth = 1.0;
    for (int f = 0; f < 4; ++f) {
      ChVec3 a = t->points[t->triangles[3 * f]];
      ChVec3 side[2] = {ch_sub(t->points[t->triangles[3 * f + 1]], a), ch_sub(t->points[t->triangles[3 * f + 2]], a)};
      depth = fmin(depth, ch_dot(ch_unit(ch_cross(side[0], side[1])), ch_sub(a, at)));
    }
    deepest = fmax(deepest, depth);
  }
  return deepest;
}

// A tetrahedron of a metre falls with its tip into a hole through which it does not go. Its edges slide along the
// hole's into the corners between them.
static void a_tip_stays_in_its_hole(void** state) {
  (void)state;
  static const struct {
    Holder holder;
    int n;
    double turn[3], mu;
  } cases[] = {{WIRES, 4, {0, 0, 180}, 0.0},   {WIRES, 4, {0, 30, 170}, 0.0},  {WIRES, 3, {0, 0, 180}, 0.0},
               {WIRES, 3, {10, 45, 180}, 0.2}, {SHEET, 4, {0, 30, 170}, 0.0},  {SHEET, 4, {25, 10, 160}, 0.2},
               {SHEET, 3, {0, 0, 180}, 0.0},   {SHEET, 3, {10, 45, 180}, 0.2}, {SHEET, 8, {0, 30, 170}, 0.0},
               {PLATE, 4, {0, 30, 170}, 0.0},  {PLATE, 3, {0, 0, 180}, 0.0},   {PLATE, 3, {10, 45, 180}, 0.2}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ChWorld* world = ch_test_world(3, g, cases[k].mu, 0.0);
    ChBodyDef body = ch_body_def_default();
    ChShapeDef shape = ch_surface_shape(tetrahedron());
    body.position = upright(0, 1, 0);
    body.orientation = turned(cases[k].turn[0], cases[k].turn[1], cases[k].turn[2]);
    int falls = ch_test_body(world, &body, &shape);
    add_holder(world, cases[k].holder, cases[k].n);
    ChSimulation* s = start(world);
    double deepest = 0.0, gain = 0.0;
    for (int step = 0; step < 250; ++step) {
      ChStepInfo info = ch_test_step(s);
      assert_false(info.missed);
      deepest = fmax(deepest, info.penetration), gain += info.gain;
      if (step % 5 == 0 && cases[k].holder != PLATE) CHECK_AT_MOST(edge_depth(s, falls, cases[k].n), 1.2e-4);
    }
    CHECK_AT_MOST(deepest, 1.2e-4);
    CHECK_AT_MOST(gain, 2.0);  // of 1800 J
    ch_simulation_destroy(s);
  }
}

// --- sheets that lean on each other ----------------------------------------------------------------------------------

static const double half[2] = {1.25, 0.625};

static int add_card(ChWorld* world, ChVec3 at, ChQuat turn, ChVec3 omega) {
  ChTestSurface* s = &surfaces[0];
  s->point_count = s->triangle_count = 0;
  for (int k = 0; k < 4; ++k)
    s->points[s->point_count++] = ch_vec((k & 2 ? 1.0 : -1.0) * half[0], (k & 1 ? -1.0 : 1.0) * half[1], 0.0);
  ch_surface_triangle(s, 0, 1, 3), ch_surface_triangle(s, 0, 3, 2);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_surface_shape(s);
  body.position = at, body.orientation = turn, body.omega = omega;
  body.mass = 0.25 * 4.0 * half[0] * half[1];
  double third = body.mass / 3.0, a2 = half[0] * half[0], b2 = half[1] * half[1];
  body.inertia[0] = third * b2, body.inertia[1] = third * a2, body.inertia[2] = third * (a2 + b2);
  return ch_test_body(world, &body, &shape);
}

// How far the rims of card a go through card b, away from b's own rims and from where they begin and end.
static double pierced(const ChSimulation* s, int a, int b) {
  static const int rims[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  ChBodyView one = ch_simulation_body_at(s, a), other = ch_simulation_body_at(s, b);
  double deepest = 0.0;
  for (int k = 0; k < 4; ++k) {
    ChVec3 end[2];
    for (int e = 0; e < 2; ++e) {
      int c = rims[k][e];
      ChVec3 local = ch_vec((c & 2 ? 1.0 : -1.0) * half[0], (c & 1 ? -1.0 : 1.0) * half[1], 0.0);
      ChVec3 at = ch_add(one.position, ch_rotate(one.orientation, local));
      end[e] = ch_rotate(ch_quat_conjugate(other.orientation), ch_sub(at, other.position));
    }
    if (!(end[0].z * end[1].z < 0.0)) continue;
    ChVec3 hit = ch_along(end[0], end[0].z / (end[0].z - end[1].z), ch_sub(end[1], end[0]));
    double inside = fmin(half[0] - fabs(hit.x), half[1] - fabs(hit.y));
    deepest = fmax(deepest, fmin(inside, fmin(fabs(end[0].z), fabs(end[1].z))));
  }
  return deepest;
}

// Two cards lean together, a third lies on them, and a block falls on it. Their rims are as long as each other, nearly
// parallel, and end in the same planes: corners slide over rims by micrometres, and on to the face behind.
static void leaning_cards_do_not_pass(void** state) {
  (void)state;
  static const struct {
    double mu, spin[2], card, block[2], turn[3];
  } cases[] = {{0.3, {4.479, -1.052}, -0.1807, {0.3213, -0.4059}, {6.623, 32.776, -22.824}},
               {0.0, {-4.883, 2.360}, -0.1368, {0.4863, -0.4831}, {30.359, 14.508, 28.587}},
               {0.0, {-2.403, -4.741}, -0.1118, {0.2288, -0.4947}, {23.914, 14.137, 16.831}},
               {0.3, {0.085, 2.986}, -0.0940, {-0.3452, 0.2567}, {-24.059, -33.060, 0.979}}};
  double slope = 65.0 * pi / 180.0, height = 2.5 * sin(slope) + 0.01, aside = 1.25 * cos(slope) + 0.003;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ChWorld* world = ch_test_world(3, g, cases[k].mu, 0.0);
    int card[3];
    for (int side = 0; side < 2; ++side) {
      double sign = side ? 1.0 : -1.0;
      card[side] = add_card(world, upright(sign * aside, 0.5 * height, 0), turned(0, 0, -65.0 * sign),
                            upright(0, cases[k].spin[side] * pi / 180.0, 0));
    }
    card[2] = add_card(world, upright(cases[k].card, height + 0.02, 0), ch_quat_identity(), ch_vec(0, 0, 0));
    int block =
        ch_test_box(world, upright(cases[k].block[0], height + 0.5, cases[k].block[1]), ch_vec(0.15, 0.15, 0.15));
    ch_test_floor(world);
    ChSimulation* s = start(world);
    ChContext context = {0};
    ChBodyView now = ch_simulation_body_at(s, block);
    now.velocity = ch_vec(0, 0, -1), now.orientation = turned(cases[k].turn[0], cases[k].turn[1], cases[k].turn[2]);
    CHECK_OK(context, ch_simulation_set_body(&context, s, ch_body_id(block), &now));
    for (int step = 0; step < 60; ++step) {
      ChStepInfo info = ch_test_step(s);
      assert_false(info.missed);
      CHECK_AT_MOST(info.penetration, 2e-4);
      for (int pair = 0; pair < 9; ++pair)
        if (pair / 3 != pair % 3) CHECK_AT_MOST(pierced(s, card[pair / 3], card[pair % 3]), 1e-3);
    }
    ch_simulation_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tip_stays_in_its_hole),
      cmocka_unit_test(leaning_cards_do_not_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
