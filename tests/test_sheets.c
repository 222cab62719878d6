// Facts about sheets that touch sheets: the side on which they met is theirs, however they are pushed afterwards; it
// goes on through checkpoints, and neither threads nor lists change a bit. What merely lies near is not an overlap.
#include <stdlib.h>

#include "support/near.h"
#include "support/surfaces.h"
#include "support/worlds.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static ChTestSurface surface;

// --- sheets ----------------------------------------------------------------------------------------------------------

// A rectangle of n x m squares, two triangles each; `bend`: radius of the arc along y that it is rolled to, or 0.
static const ChTestSurface* strip(double x, double y, int n, int m, double bend) {
  ChTestSurface* s = &surface;
  s->point_count = s->triangle_count = 0;
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= n; ++i) {
      double along = y * (2.0 * j / m - 1.0), angle = bend > 0.0 ? along / bend : 0.0;
      double height = bend > 0.0 ? bend * (1.0 - cos(angle)) : 0.0;
      s->points[s->point_count++] = ch_vec(x * (2.0 * i / n - 1.0), bend > 0.0 ? bend * sin(angle) : along, height);
    }
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      int a = j * (n + 1) + i, b = a + n + 1;
      ch_surface_triangle(s, a, a + 1, b + 1);
      ch_surface_triangle(s, a, b + 1, b);
    }
  return s;
}

// A band about the x axis, normals outwards.
static const ChTestSurface* ring(double radius, double half_width, int n) {
  ChTestSurface* s = &surface;
  s->point_count = s->triangle_count = 0;
  for (int k = 0; k < 2 * n; ++k) {
    double angle = 2.0 * pi * (k / 2) / n;
    s->points[s->point_count++] = ch_vec(k % 2 ? half_width : -half_width, radius * cos(angle), radius * sin(angle));
  }
  for (int k = 0; k < n; ++k) {
    int a = 2 * k, b = 2 * ((k + 1) % n);
    ch_surface_triangle(s, a, a + 1, b + 1);
    ch_surface_triangle(s, a, b + 1, b);
  }
  return s;
}

static int add(ChWorld* world, const ChTestSurface* s, ChVec3 at, ChQuat turn, double mass) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_surface_shape(s);
  body.position = at, body.orientation = turn;
  body.kind = mass > 0.0 ? CH_BODY_DYNAMIC : CH_BODY_FIXED;
  body.mass = mass;
  for (int k = 0; k < 3; ++k) body.inertia[k] = 0.02 * mass;
  return ch_test_body(world, &body, &shape);
}

static ChSimulationOptions options_of(int threads) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 2e-3, options.margin = 2e-3, options.threads = threads;
  options.solve.tolerance = 1e-9;
  return options;
}

static double height_of(ChSimulation* s, int body) { return ch_simulation_body_at(s, body).position.z; }

static void push_to(ChSimulation* s, int body, double z, bool stops) {
  ChContext context = {0};
  ChBodyView now = ch_simulation_body_at(s, body);
  now.position.z = z;
  if (stops) now.velocity = now.omega = ch_vec(0.0, 0.0, 0.0);
  CHECK_OK(context, ch_simulation_set_body(&context, s, ch_body_id(body), &now));
}

static void run(ChSimulation* s, int steps) {
  for (int k = 0; k < steps; ++k) ch_test_step(s);
}

// All contacts' normals, which lead from the first body to the second, have this sign along z; there are some.
static void check_sides(const ChSimulation* s, double sign) {
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  assert_true(count > 0);
  for (int k = 0; k < count; ++k) CHECK_AT_MOST(0.5, sign * contacts[k].normal.z);
}

// --- sides -----------------------------------------------------------------------------------------------------------

typedef enum Scene { PLATE, CROSS, CLOTH, STRIPS } Scene;

// What rests on a fixed sheet at z = 0: a plate; a strip across a strip, which touch by their rims alone; a plate of
// many squares on one of many others; strips on edge, crossed.
static ChWorld* world_of(Scene scene, double load, int* body) {
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ChQuat none = ch_quat_identity(), quarter = ch_quat_about(ch_vec(0.0, 0.0, 1.0), 0.5 * pi);
  ChQuat upright = ch_quat_about(ch_vec(1.0, 0.0, 0.0), 0.5 * pi);
  double z = 1e-3;
  if (scene == PLATE) {
    add(world, strip(0.5, 0.5, 1, 1, 0.0), ch_vec(0, 0, 0), none, 0.0);
    *body = add(world, strip(0.2, 0.1, 1, 1, 0.0), ch_vec(0.1, 0.07, z), none, load);
  } else if (scene == CROSS) {
    add(world, strip(0.5, 0.1, 1, 1, 0.0), ch_vec(0, 0, 0), none, 0.0);
    *body = add(world, strip(0.5, 0.1, 3, 1, 0.0), ch_vec(0.01, 0.02, z), quarter, load);
  } else if (scene == CLOTH) {
    add(world, strip(0.5, 0.5, 9, 7, 0.0), ch_vec(0, 0, 0), none, 0.0);
    *body = add(world, strip(0.2, 0.2, 8, 8, 0.0), ch_vec(0.1, 0.07, z), ch_quat_about(ch_vec(0, 0, 1), 0.4), load);
  } else {
    add(world, strip(0.5, 0.1, 1, 1, 0.0), ch_vec(0, -0.2, -0.1), upright, 0.0);
    add(world, strip(0.5, 0.1, 1, 1, 0.0), ch_vec(0, 0.2, -0.1), upright, 0.0);
    *body = add(world, strip(0.4, 0.3, 1, 1, 0.0), ch_vec(0.01, 0.02, z), none, load);
  }
  return world;
}

// Pushed through each other by up to a millimetre, under a light and a heavy load, again and again, sheets come back to
// the side on which they met, and stay there.
static void sheets_come_back_to_their_side(void** state) {
  (void)state;
  for (int scene = PLATE; scene <= STRIPS; ++scene)
    for (int heavy = 0; heavy < 2; ++heavy) {
      int body;
      ChSimulationOptions options = options_of(1);
      ChSimulation* s = ch_test_start(world_of((Scene)scene, heavy ? 1e3 : 0.1, &body), &options);
      run(s, 60);
      check_sides(s, 1.0);
      CHECK_AT_MOST(fabs(height_of(s, body)), 2e-5);
      for (int push = 0; push < 3; ++push) {
        push_to(s, body, push == 0 ? -1e-7 : push == 1 ? -1e-4 : -1e-3, true);
        ChStepInfo info = ch_test_step(s);
        CHECK_AT_MOST(push == 2 ? 0.9e-3 : 0.0, info.penetration);  // it is seen for what it is
        check_sides(s, 1.0);
        run(s, 120);
        check_sides(s, 1.0);
        CHECK_AT_MOST(-height_of(s, body), 2e-5);
        CHECK_AT_MOST(height_of(s, body), 2e-3);
      }
      ch_simulation_destroy(s);
    }
}

// A sheet from below, against gravity that points up, has the other side: nothing prefers the one where normals point.
static void the_back_is_a_side_too(void** state) {
  (void)state;
  for (int turned = 0; turned < 2; ++turned) {
    ChWorld* world = ch_test_world(3, -g, 0.5, 0.0);
    ChQuat over = turned ? ch_quat_about(ch_vec(1.0, 0.0, 0.0), pi) : ch_quat_identity();
    add(world, strip(0.5, 0.5, 2, 2, 0.0), ch_vec(0, 0, 0), ch_quat_identity(), 0.0);
    int body = add(world, strip(0.2, 0.1, 1, 1, 0.0), ch_vec(0.1, 0.07, -1e-3), over, 5.0);
    ChSimulationOptions options = options_of(1);
    ChSimulation* s = ch_test_start(world, &options);
    run(s, 60);
    push_to(s, body, 5e-4, true);
    run(s, 120);
    check_sides(s, -1.0);
    CHECK_AT_MOST(height_of(s, body), 2e-5);
    CHECK_AT_MOST(-height_of(s, body), 2e-3);
    ch_simulation_destroy(s);
  }
}

// Parallel sheets nearer than the depth down to which overlaps are looked for, and farther than the margin: no contact.
static void what_lies_beside_is_no_overlap(void** state) {
  (void)state;
  for (int side = -1; side < 2; side += 2) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    add(world, strip(0.5, 0.5, 2, 2, 0.0), ch_vec(0, 0, 0), ch_quat_identity(), 0.0);
    add(world, strip(0.4, 0.3, 3, 1, 0.0), ch_vec(0.1, 0.07, 4e-3 * side), ch_quat_identity(), 1.0);
    add(world, strip(0.4, 0.3, 1, 1, 0.0), ch_vec(0.1, 0.37, 7e-3 * side), ch_quat_identity(), 1.0);
    ChSimulationOptions options = options_of(1);
    ChSimulation* s = ch_test_start(world, &options);
    for (int k = 0; k < 5; ++k) {
      ChStepInfo info = ch_test_step(s);
      assert_int_equal(info.contacts, 0);
      assert_true(info.kinetic == 0.0);
    }
    ch_simulation_destroy(s);
  }
}

// --- rings -----------------------------------------------------------------------------------------------------------

// A ring of sheet rolls down a trough of sheet, from face to face, until the slope is less than half the angle between
// two faces, where it stands; pushed into it, it comes back. Its middle stays above the trough by the ring's radius but
// for the sagittas of the two polygons.
static void a_ring_keeps_its_side_from_face_to_face(void** state) {
  (void)state;
  enum { N = 48 };
  ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
  const double radius = 0.1, bend = 0.4;
  add(world, strip(0.2, 0.4, 1, 40, bend), ch_vec(0, 0, 0), ch_quat_identity(), 0.0);
  double angle = 0.4, arm = bend - radius - 1e-3;
  ChVec3 at = ch_vec(0.0, arm * sin(angle), bend - arm * cos(angle));
  int body = add(world, ring(radius, 0.03, N), at, ch_quat_identity(), 0.5);
  ChSimulationOptions options = options_of(1);
  ChSimulation* s = ch_test_start(world, &options);
  double sagitta = radius * (1.0 - cos(pi / N)) + bend * (1.0 - cos(0.01));
  for (int k = 0; k < 400; ++k) {
    ch_test_step(s);
    ChVec3 now = ch_simulation_body_at(s, body).position;
    double room = bend - hypot(now.y, bend - now.z);  // of the middle above the arc
    CHECK_AT_MOST(radius - sagitta - 1e-3, room);
    if (k % 100 == 99) push_to(s, body, now.z - 5e-4, false);
  }
  CHECK_AT_MOST(fabs(ch_simulation_body_at(s, body).position.y), bend * 2.0 * pi / N);
  ch_simulation_destroy(s);
}

// --- bits ------------------------------------------------------------------------------------------------------------

// The side is in the keys of contacts, which a checkpoint keeps: what is loaded while sheets are through each other
// goes on with the same bits, on two threads, too.
static void the_side_survives_a_checkpoint(void** state) {
  (void)state;
  for (int scene = PLATE; scene <= STRIPS; ++scene) {
    int body;
    ChContext context = {0};
    ChSimulationOptions one = options_of(1), two = options_of(2);
    ChSimulation *s = ch_test_start(world_of((Scene)scene, 3.0, &body), &one),
                 *copy = ch_test_start(world_of((Scene)scene, 3.0, &body), &two);
    run(s, 60);
    push_to(s, body, -6e-4, true);
    run(s, 1);
    push_to(s, body, -3e-4, true);
    size_t size = 0;
    CHECK_OK(context, ch_simulation_save(&context, s, NULL, &size));
    void* bytes = malloc(size);
    CHECK_OK(context, ch_simulation_save(&context, s, bytes, &size));
    CHECK_OK(context, ch_simulation_load(&context, copy, bytes, size));
    free(bytes);
    for (int k = 0; k < 40; ++k) {
      run(s, 1);
      run(copy, 1);
      ChBodyView a = ch_simulation_body_at(s, body), b = ch_simulation_body_at(copy, body);
      assert_memory_equal(&a.position, &b.position, sizeof a.position);
      assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
    }
    CHECK_AT_MOST(-height_of(copy, body), 2e-5);
    ch_simulation_destroy(s);
    ch_simulation_destroy(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sheets_come_back_to_their_side), cmocka_unit_test(the_back_is_a_side_too),
      cmocka_unit_test(what_lies_beside_is_no_overlap), cmocka_unit_test(a_ring_keeps_its_side_from_face_to_face),
      cmocka_unit_test(the_side_survives_a_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
