// Facts about model/: closed-form mass properties, hulls, meshes, materials, signals, refusals.
#include <stdio.h>
#include <string.h>

#include "cardhouse/text.h"
#include "model/shapes/mass_properties.h"
#include "support/near.h"
#include "support/random.h"
#include "support/temporary.h"

static const double PI = 3.141592653589793;

static ChWorld* new_world(int dimension) {
  ChContext context = {0};
  ChWorld* world = NULL;
  CHECK_OK(context, ch_world_create(&context, dimension, &world));
  ChMaterialDef material = ch_material_def_default();
  CHECK_OK(context, ch_world_add_material(&context, world, &material, NULL));
  return world;
}

static int new_body(ChWorld* world, ChBodyKind kind) {
  ChContext context = {0};
  ChBodyDef def = ch_body_def_default();
  def.kind = kind;
  CHECK_OK(context, ch_world_add_body(&context, world, &def, NULL));
  return ch_world_body_count(world) - 1;
}

static void add_shape(ChWorld* world, int body, const ChShapeDef* def) {
  ChContext context = {0};
  CHECK_OK(context, ch_world_add_shape(&context, world, ch_body_id(body), def, NULL));
}

static void seal(ChWorld* world) {
  ChContext context = {0};
  CHECK_OK(context, ch_world_seal(&context, world));
}

// A world of one dynamic body with one shape, sealed.
static ChWorld* world_of(int dimension, const ChShapeDef* def) {
  ChWorld* world = new_world(dimension);
  add_shape(world, new_body(world, CH_BODY_DYNAMIC), def);
  seal(world);
  return world;
}

static void check_tensor(const ChMat3* a, const ChMat3* b, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK_NEAR(a->m[i][j], b->m[i][j], tolerance);
}

// ------------------------------------------------------------------------------------------------------------ masses

static void solids_have_their_textbook_inertia(void** state) {
  (void)state;
  ChShapeDef def = ch_shape_def_default();
  def.radius = 0.3, def.half_length = 0.7, def.half = ch_vec(0.2, 0.5, 1.1);
  double r2 = 0.09, length = 1.4;
  const struct {
    ChShapeType type;
    double volume, xx, yy, zz;  // of unit mass
  } solids[] = {
      {CH_SHAPE_SPHERE, 4.0 / 3.0 * PI * 0.027, 0.4 * r2, 0.4 * r2, 0.4 * r2},
      {CH_SHAPE_BOX, 8.0 * 0.11, (0.25 + 1.21) / 3.0, (0.04 + 1.21) / 3.0, (0.04 + 0.25) / 3.0},
      {CH_SHAPE_ELLIPSOID, 4.0 / 3.0 * PI * 0.11, (0.25 + 1.21) / 5.0, (0.04 + 1.21) / 5.0, (0.04 + 0.25) / 5.0},
      {CH_SHAPE_CYLINDER, PI * r2 * length, (3 * r2 + length * length) / 12.0, (3 * r2 + length * length) / 12.0,
       r2 / 2.0},
  };
  for (size_t k = 0; k < sizeof solids / sizeof *solids; ++k) {
    def.type = solids[k].type;
    ChWorld* world = world_of(3, &def);
    double mass = 1000.0 * solids[k].volume;
    CHECK_NEAR(world->bodies[0].mass, mass, 1e-12 * mass);
    ChMat3 wanted = ch_mat_diagonal(ch_vec(mass * solids[k].xx, mass * solids[k].yy, mass * solids[k].zz));
    check_tensor(&world->bodies[0].inertia, &wanted, 1e-12 * mass);
    ch_world_destroy(world);
  }
}

// A capsule cut into disks: int rho pi r^2 dz, int rho pi r^2 z^2 dz, int rho pi r^4 / 4 dz, by Simpson's rule.
static void a_capsule_is_the_sum_of_its_slices(void** state) {
  (void)state;
  const double r = 0.3, l = 0.7;
  double mass = 0.0, along = 0.0, across = 0.0, ends[4] = {-l - r, -l, l, l + r};
  for (int part = 0; part < 3; ++part) {
    const int steps = 2000;
    double h = (ends[part + 1] - ends[part]) / steps;
    for (int k = 0; k <= steps; ++k) {
      double z = ends[part] + h * k, beyond = fmax(fabs(z) - l, 0.0), square = fmax(r * r - beyond * beyond, 0.0);
      double weight = 1000.0 * PI * h / 3.0 * (k == 0 || k == steps ? 1 : k % 2 ? 4 : 2);
      mass += weight * square;
      along += weight * square * z * z;
      across += weight * square * square / 4.0;
    }
  }
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_CAPSULE, def.radius = r, def.half_length = l;
  ChWorld* world = world_of(3, &def);
  CHECK_NEAR(world->bodies[0].mass, mass, 1e-9 * mass);
  ChMat3 wanted = ch_mat_diagonal(ch_vec(across + along, across + along, 2.0 * across));
  check_tensor(&world->bodies[0].inertia, &wanted, 1e-9 * mass);
  ch_world_destroy(world);
}

static void plane_shapes_have_their_textbook_inertia(void** state) {
  (void)state;
  const ChVec3 corners[6] = {{2, 0, 0}, {1, 1.5, 0}, {-1, 1.5, 0}, {-2, 0, 0}, {-1, -1.5, 0}, {1, -1.5, 0}};
  ChShapeDef def = ch_shape_def_default();
  def.radius = 0.3, def.half = ch_vec(0.2, 0.5, 0.0), def.points = corners, def.point_count = 6;
  // The hexagon: a rectangle of 2 x 3 and two triangles of base 3, height 1, centroid at 1 + 1/3.
  double rectangle = 6.0 * (4.0 + 9.0) / 12.0, wing = 3.0 / 2.0;
  double wings = 2.0 * wing * (16.0 / 9.0 + 1.0 / 18.0 + 9.0 / 24.0);
  const struct {
    ChShapeType type;
    double area, moment;
  } shapes[] = {{CH_SHAPE_DISK, PI * 0.09, PI * 0.09 * 0.045},
                {CH_SHAPE_ELLIPSE, PI * 0.1, PI * 0.1 * 0.29 / 4.0},
                {CH_SHAPE_RECTANGLE, 0.4, 0.4 * 0.29 / 3.0},
                {CH_SHAPE_POLYGON, 9.0, rectangle + wings}};
  for (int k = 0; k < 4; ++k) {
    def.type = shapes[k].type;
    ChWorld* world = world_of(2, &def);
    CHECK_NEAR(world->bodies[0].mass, 1000.0 * shapes[k].area, 1e-10);
    CHECK_NEAR(world->bodies[0].inertia.m[2][2], 1000.0 * shapes[k].moment, 1e-9);
    ch_world_destroy(world);
  }
}

static ChMassProperties mass_of_points(int count, const ChVec3* points) {
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_HULL, def.points = points, def.point_count = count;
  ChWorld* world = new_world(3);
  add_shape(world, new_body(world, CH_BODY_DYNAMIC), &def);
  ChMassProperties mass = ch_mass_of_shape(&world->shapes[0], 1.0);
  ch_world_destroy(world);
  return mass;
}

// int x^2 = 1/60 and int x y = 1/120 over the corner of a cube, whose centre is at 1/4.
static void a_tetrahedron_has_its_moments(void** state) {
  (void)state;
  const ChVec3 far = {7.0, -3.0, 11.0};
  const ChVec3 points[4] = {far, {8.0, -3.0, 11.0}, {7.0, -2.0, 11.0}, {7.0, -3.0, 12.0}};
  ChMassProperties mass = mass_of_points(4, points);
  CHECK_NEAR(mass.mass, 1.0 / 6.0, 1e-15);
  CHECK_AT_MOST(ch_norm(ch_sub(mass.centre, ch_add(far, ch_vec(0.25, 0.25, 0.25)))), 1e-14);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK_NEAR(mass.spread.m[i][j], (i == j ? 1.0 / 60 : 1.0 / 120) - 1.0 / 96, 1e-15);
}

static void random_points(ChRandom* random, int count, ChVec3* points) {
  for (int k = 0; k < count; ++k) {
    ChVec3 x = ch_random_normals(random);
    points[k] = ch_vec(x.x, 0.6 * x.y, 0.8 * x.z);
  }
}

// Lines parallel to z cross the half-spaces of the hull's faces in an interval: two-dimensional quadrature.
static void a_random_hull_agrees_with_quadrature(void** state) {
  (void)state;
  enum { COUNT = 30, GRID = 400 };
  ChRandom random = ch_random_seeded(3);
  ChVec3 points[COUNT];
  random_points(&random, COUNT, points);
  ChArena* arena = ch_arena_create(NULL);
  ChContext context = {0};
  ChPolytope* hull = NULL;
  CHECK_OK(context, ch_polytope_hull(&context, arena, COUNT, points, &hull));
  double size = hull->radius, h = 2.0 * size / GRID, volume = 0.0, zz = 0.0, xz = 0.0;
  ChVec3 first = {0, 0, 0};
  for (int i = 0; i < GRID * GRID; ++i) {
    double x = -size + (i % GRID + 0.5) * h, y = -size + (i / GRID + 0.5) * h, low = -size, high = size;
    for (int f = 0; f < hull->face_count; ++f) {
      ChVec3 n = hull->normals[f];
      double rest = hull->offsets[f] - n.x * x - n.y * y;
      if (n.z > 0.0) high = fmin(high, rest / n.z);
      if (n.z < 0.0) low = fmax(low, rest / n.z);
    }
    if (!(high > low)) continue;
    double length = (high - low) * h * h, middle = 0.5 * (high + low);
    volume += length;
    first = ch_along(first, length, ch_vec(x, y, middle));
    zz += (high * high * high - low * low * low) / 3.0 * h * h;
    xz += length * x * middle;
  }
  ChMassProperties mass = mass_of_points(COUNT, points);
  ChVec3 centre = ch_scale(1.0 / volume, first);
  CHECK_NEAR(mass.mass, volume, 1e-3 * volume);
  CHECK_AT_MOST(ch_norm(ch_sub(mass.centre, centre)), 1e-3);
  CHECK_NEAR(mass.spread.m[2][2], zz - volume * centre.z * centre.z, 2e-3 * volume);
  CHECK_NEAR(mass.spread.m[0][2], xz - volume * centre.x * centre.z, 2e-3 * volume);
  ch_arena_destroy(arena);
}

// A ball of longitudes and latitudes, 2 n by n.
static ChMesh* ball_mesh(ChArena* arena, int n) {
  int around = 2 * n, count = around * (n - 1) + 2, cells = 2 * around * (n - 1), at = 0;
  ChVec3* points = CH_TAKE(arena, count, ChVec3);
  int* triangles = CH_TAKE(arena, 3 * cells, int);
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < around; ++j) {
      double down = PI * i / n, turn = PI * j / n;
      points[(i - 1) * around + j] = ch_vec(sin(down) * cos(turn), sin(down) * sin(turn), cos(down));
    }
  int north = count - 2, south = count - 1;
  points[north] = ch_axis(2), points[south] = ch_vec(0, 0, -1);
  for (int j = 0; j < around; ++j) {
    int next = (j + 1) % around, last = around * (n - 2);
    const int caps[6] = {north, j, next, south, last + next, last + j};
    for (int k = 0; k < 6; ++k) triangles[at++] = caps[k];
    for (int i = 0; i + 2 < n; ++i) {
      int a = i * around + j, b = i * around + next, c = a + around, d = b + around;
      const int square[6] = {a, c, d, a, d, b};
      for (int k = 0; k < 6; ++k) triangles[at++] = square[k];
    }
  }
  ChContext context = {0};
  ChMesh* mesh = NULL;
  CHECK_OK(context, ch_mesh_create(&context, arena, count, points, cells, triangles, 3, &mesh));
  assert_true(mesh->closed);
  return mesh;
}

static void a_mesh_of_a_ball_converges_to_the_ball(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  double before = 0.0, exact = 4.0 / 3.0 * PI;
  for (int n = 8; n <= 64; n *= 2) {
    ChMassProperties mass = ch_mass_of_mesh(ball_mesh(arena, n), 1.0);
    ChMat3 inertia = ch_mass_inertia(&mass);
    double error = exact - mass.mass;
    assert_true(error > 0.0);  // inscribed
    if (n > 8) CHECK_NEAR(before / error, 4.0, 0.1);
    CHECK_NEAR(inertia.m[0][0], 0.4 * exact, 6.0 * error);
    CHECK_AT_MOST(ch_norm(mass.centre), 1e-15);
    before = error;
  }
  ch_arena_destroy(arena);
}

// Two half boxes side by side are one box, whatever the frame in which they are given.
static void a_compound_is_its_parts(void** state) {
  (void)state;
  ChWorld *parts = new_world(3), *whole = new_world(3);
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_BOX;
  def.orientation = ch_quat_exp(ch_vec(0.3, -1.1, 0.7));
  ChFrame frame = {{5.0, -2.0, 1.0}, def.orientation};
  int a = new_body(parts, CH_BODY_DYNAMIC), b = new_body(whole, CH_BODY_DYNAMIC);
  def.half = ch_vec(0.5, 0.4, 0.3), def.at = frame.at;
  add_shape(whole, b, &def);
  def.half.x = 0.25;
  def.at = ch_frame_point(frame, ch_vec(-0.25, 0, 0));
  add_shape(parts, a, &def);
  def.at = ch_frame_point(frame, ch_vec(0.25, 0, 0));
  add_shape(parts, a, &def);
  seal(parts), seal(whole);
  CHECK_NEAR(parts->bodies[0].mass, whole->bodies[0].mass, 1e-12);
  check_tensor(&parts->bodies[0].inertia, &whole->bodies[0].inertia, 1e-11);
  CHECK_AT_MOST(ch_norm(ch_sub(parts->states[0].position, frame.at)), 1e-14);
  CHECK_AT_MOST(ch_norm(ch_sub(whole->states[0].position, frame.at)), 1e-14);
  ch_world_destroy(parts), ch_world_destroy(whole);
}

// Whatever the centre of mass is, shapes stay where they were put.
static void sealing_leaves_shapes_in_their_places(void** state) {
  (void)state;
  ChWorld* world = new_world(3);
  ChContext context = {0};
  ChBodyDef body = ch_body_def_default();
  body.position = ch_vec(1.0, 2.0, 3.0);
  body.orientation = ch_quat_exp(ch_vec(0.2, 0.9, -0.4));
  body.omega = ch_vec(0.1, 0.2, 0.3);
  CHECK_OK(context, ch_world_add_body(&context, world, &body, NULL));
  ChFrame placed[2], user = {body.position, body.orientation};
  for (int k = 0; k < 2; ++k) {
    ChShapeDef def = ch_shape_def_default();
    def.type = k ? CH_SHAPE_SPHERE : CH_SHAPE_BOX, def.radius = 0.2, def.half = ch_vec(0.1, 0.2, 0.3);
    def.at = ch_vec(k, 0.5, -0.5 * k);
    placed[k] = ch_frame_compose(user, (ChFrame){def.at, def.orientation});
    add_shape(world, 0, &def);
  }
  seal(world);
  seal(world);  // twice is harmless
  for (int k = 0; k < 2; ++k) {
    ChFrame frame = ch_shape_frame(&world->shapes[k], &world->states[0]);
    CHECK_AT_MOST(ch_norm(ch_sub(frame.at, placed[k].at)), 1e-14);
  }
  ChVec3 origin = ch_frame_point(ch_state_frame(world->states, 0), world->bodies[0].origin);
  CHECK_AT_MOST(ch_norm(ch_sub(origin, body.position)), 1e-14);
  ChVec3 omega = ch_rotate(world->states[0].orientation, world->states[0].omega);
  CHECK_AT_MOST(ch_norm(ch_sub(omega, body.omega)), 1e-15);
  ch_world_destroy(world);
}

static void a_mass_alone_is_spread_as_the_shapes_are(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = new_world(3);
  ChBodyDef body = ch_body_def_default();
  body.mass = 3.0;
  CHECK_OK(context, ch_world_add_body(&context, world, &body, NULL));  // a point: no shapes
  CHECK_OK(context, ch_world_add_body(&context, world, &body, NULL));  // a ball of 3 kg
  ChShapeDef def = ch_shape_def_default();
  def.radius = 0.5;
  add_shape(world, 1, &def);
  seal(world);
  assert_int_equal(world->bodies[0].locks, CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ);
  assert_true(ch_mat_principal(world->bodies[0].inertia).x > 0.0);
  assert_int_equal(world->bodies[1].locks, 0);
  CHECK_NEAR(world->bodies[1].mass, 3.0, 0.0);
  CHECK_NEAR(world->bodies[1].inertia.m[1][1], 0.4 * 3.0 * 0.25, 1e-15);
  ch_world_destroy(world);
}

static void principal_moments_are_eigenvalues(void** state) {
  (void)state;
  ChMat3 given = ch_mat_diagonal(ch_vec(3.0, 1.0, 2.0)), turned = ch_mat_turned(ch_quat_exp(ch_vec(1, 2, 3)), &given);
  ChVec3 principal = ch_mat_principal(turned);
  CHECK_AT_MOST(ch_norm(ch_sub(principal, ch_vec(1.0, 2.0, 3.0))), 1e-14);
  given.m[0][0] = NAN;
  assert_true(isnan(ch_mat_principal(given).x));
}

// ----------------------------------------------------------------------------------------------------------- polytopes

static void a_hull_of_a_cubes_points_is_the_cube(void** state) {
  (void)state;
  ChVec3 points[27];
  for (int k = 0; k < 27; ++k) points[k] = ch_vec(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
  ChArena* arena = ch_arena_create(NULL);
  ChContext context = {0};
  ChPolytope* hull = NULL;
  CHECK_OK(context, ch_polytope_hull(&context, arena, 27, points, &hull));
  assert_int_equal(hull->vertex_count, 8);
  assert_int_equal(hull->face_count, 6);
  assert_int_equal(hull->edge_count, 12);
  for (int f = 0; f < 6; ++f) {
    assert_true(hull->offsets[f] == 1.0);
    assert_true(fabs(hull->normals[f].x) + fabs(hull->normals[f].y) + fabs(hull->normals[f].z) == 1.0);
  }
  ch_arena_destroy(arena);
}

// Rounding of coordinates must not break a face in two: a turned and shifted block has six faces.
static void a_turned_block_keeps_six_faces(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(21);
  ChArena* arena = ch_arena_create(NULL);
  for (int trial = 0; trial < 200; ++trial) {
    ChFrame frame = {{10.0 * ch_random_normal(&random), 0.0, 3.0}, ch_quat_exp(ch_scale(trial * 0.1, ch_vec(1, 2, 3)))};
    ChVec3 points[8];
    for (int k = 0; k < 8; ++k)  // a wedge, like the stones of an arch
      points[k] = ch_frame_point(frame, ch_vec(k & 1 ? 0.3 : -0.3 - 0.1 * (k >> 2), k & 2 ? 0.5 : -0.5, k >> 2));
    ChContext context = {0};
    ChPolytope* hull = NULL;
    CHECK_OK(context, ch_polytope_hull(&context, arena, 8, points, &hull));
    assert_int_equal(hull->face_count, 6);
    assert_int_equal(hull->edge_count, 12);
  }
  ch_arena_destroy(arena);
}

static void check_polytope(const ChPolytope* p, bool plane) {
  for (int f = 0; f < p->face_count; ++f) {
    CHECK_NEAR(ch_norm(p->normals[f]), 1.0, 1e-15);
    for (int v = 0; v < p->vertex_count; ++v)
      CHECK_AT_MOST(ch_dot(p->normals[f], p->vertices[v]), p->offsets[f] + 1e-11);
    for (int k = p->face_start[f]; k < p->face_start[f + 1]; ++k)
      CHECK_NEAR(ch_dot(p->normals[f], p->vertices[p->face_vertex[k]]), p->offsets[f], 1e-11);
  }
  if (!plane) assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
  ChRandom random = ch_random_seeded(5);
  for (int k = 0; k < 50; ++k) {
    ChVec3 d = ch_random_normals(&random);
    if (plane) d.z = 0.0;
    double most = -INFINITY;
    for (int v = 0; v < p->vertex_count; ++v) most = fmax(most, ch_dot(d, p->vertices[v]));
    int found = ch_polytope_support(p, d, k % p->vertex_count);
    CHECK_NEAR(ch_dot(d, p->vertices[found]), most, 1e-12);
  }
}

static void hulls_hold_their_points_and_know_their_support(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(22);
  ChArena* arena = ch_arena_create(NULL);
  for (int trial = 0; trial < 60; ++trial) {
    int count = 4 + 7 * trial;
    ChVec3 points[4 + 7 * 60];
    random_points(&random, count, points);
    if (trial % 2)  // on a ball, where every point is a corner
      for (int k = 0; k < count; ++k) points[k] = ch_unit(points[k]);
    ChContext context = {0};
    ChPolytope* hull = NULL;
    CHECK_OK(context, ch_polytope_hull(&context, arena, count, points, &hull));
    if (trial % 2) assert_int_equal(hull->vertex_count, count);
    check_polytope(hull, false);
    for (int k = 0; k < count; ++k)
      for (int f = 0; f < hull->face_count; ++f)
        CHECK_AT_MOST(ch_dot(hull->normals[f], points[k]), hull->offsets[f] + 1e-11);
  }
  check_polytope(ch_polytope_box(arena, ch_vec(0.1, 2.0, 0.7)), false);
  check_polytope(ch_polytope_rectangle(arena, 0.1, 2.0), true);
  ch_arena_destroy(arena);
}

static void hulls_and_polygons_without_inside_are_refused(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChPolytope* out = NULL;
  const ChVec3 flat[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}};
  const ChVec3 one[6] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  ChContext context = {0};
  assert_int_equal(ch_polytope_hull(&context, arena, 5, flat, &out), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "one plane"));
  assert_int_equal(ch_polytope_hull(&context, arena, 6, one, &out), CH_ERR_RANGE);
  assert_int_equal(ch_polytope_hull(&context, arena, 3, flat, &out), CH_ERR_SIZE);
  const ChVec3 clockwise[3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
               dented[4] = {{0, 0, 0}, {2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}};
  ChVec3 star[5];
  for (int k = 0; k < 5; ++k) star[k] = ch_vec(cos(0.8 * PI * k), sin(0.8 * PI * k), 0.0);
  assert_int_equal(ch_polytope_polygon(&context, arena, 3, clockwise, &out), CH_ERR_RANGE);
  assert_int_equal(ch_polytope_polygon(&context, arena, 4, dented, &out), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "point 2"));
  assert_int_equal(ch_polytope_polygon(&context, arena, 5, star, &out), CH_ERR_RANGE);
  assert_int_equal(ch_polytope_polygon(&context, arena, 2, dented, &out), CH_ERR_SIZE);
  assert_null(out);
  ch_arena_destroy(arena);
}

// -------------------------------------------------------------------------------------------------------------- meshes

static const ChVec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int sides[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void neighbours_and_boxes_of_a_mesh(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChMesh* mesh = ball_mesh(arena, 12);
  for (int k = 0; k < 3 * mesh->cell_count; ++k) {
    int other = mesh->across[k], from = mesh->cells[k], to = mesh->cells[k % 3 == 2 ? k - 2 : k + 1];
    int shared = 0;
    for (int c = 0; c < 3; ++c) shared += mesh->cells[3 * other + c] == from || mesh->cells[3 * other + c] == to;
    assert_int_equal(shared, 2);
  }
  int* seen = CH_TAKE(arena, mesh->cell_count, int);
  for (int n = 0; n < mesh->node_count; ++n) {
    const ChMeshNode* node = &mesh->nodes[n];
    for (int k = node->first; k < node->first + node->count; ++k) {
      ++seen[mesh->order[k]];
      for (int c = 0; c < 3; ++c) {
        ChVec3 p = mesh->vertices[mesh->cells[3 * mesh->order[k] + c]];
        assert_true(p.x >= node->box.low.x && p.y >= node->box.low.y && p.z >= node->box.low.z);
        assert_true(p.x <= node->box.high.x && p.y <= node->box.high.y && p.z <= node->box.high.z);
      }
    }
    for (int child = node->first; node->count == 0 && child < node->first + 2; ++child) {
      const ChBox3* inner = &mesh->nodes[child].box;
      assert_true(child > n && inner->low.x >= node->box.low.x && inner->high.z <= node->box.high.z);
    }
  }
  for (int c = 0; c < mesh->cell_count; ++c) assert_int_equal(seen[c], 1);
  ch_arena_destroy(arena);
}

static void meshes_that_are_no_surface_are_refused(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChContext context = {0};
  ChMesh* mesh = NULL;
  CHECK_OK(context, ch_mesh_create(&context, arena, 4, tetrahedron, 3, sides, 3, &mesh));
  assert_false(mesh->closed);
  CHECK_NEAR(ch_mass_of_mesh(mesh, 1.0).mass, 0.0, 0.0);
  const int turned[6] = {0, 2, 1, 0, 2, 3}, fan[9] = {0, 1, 2, 1, 0, 3, 0, 1, 3}, thin[3] = {0, 1, 1},
            wild[3] = {0, 1, 4};
  const struct {
    const int* cells;
    int count;
    const char* words;
  } wrong[] = {
      {turned, 2, "opposite sides"}, {fan, 3, "3 triangles share"}, {thin, 1, "no area"}, {wild, 1, "vertex 4"}};
  for (int k = 0; k < 4; ++k) {
    assert_true(ch_mesh_create(&context, arena, 4, tetrahedron, wrong[k].count, wrong[k].cells, 3, &mesh) != CH_OK);
    if (!strstr(context.message, wrong[k].words)) fail_msg("'%s' does not say '%s'", context.message, wrong[k].words);
  }
  ch_arena_destroy(arena);
}

static const char* write_file(const char* name, const void* bytes, size_t size) {
  const char* path = ch_temporary_path(name);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}

static const char* write_text(const char* name, const char* text) { return write_file(name, text, strlen(text)); }

// The tetrahedron as binary STL.
static size_t binary_stl(unsigned char* bytes) {
  memset(bytes, 0, 84);
  bytes[80] = 4;
  for (int t = 0; t < 4; ++t) {
    unsigned char* facet = bytes + 84 + 50 * t;
    memset(facet, 0, 50);
    for (int c = 0; c < 3; ++c) {
      ChVec3 p = tetrahedron[sides[3 * t + c]];
      const float xyz[3] = {(float)p.x, (float)p.y, (float)p.z};
      memcpy(facet + 12 + 12 * c, xyz, sizeof xyz);
    }
  }
  return 84 + 4 * 50;
}

static size_t text_stl(char* text, size_t room) {
  size_t used = (size_t)snprintf(text, room, "solid four\n");
  for (int t = 0; t < 4; ++t) {
    used += (size_t)snprintf(text + used, room - used, " facet normal 0 0 0\n  outer loop\n");
    for (int c = 0; c < 3; ++c) {
      ChVec3 p = tetrahedron[sides[3 * t + c]];
      used += (size_t)snprintf(text + used, room - used, "   vertex %g %.3e %g\n", p.x, p.y, p.z);
    }
    used += (size_t)snprintf(text + used, room - used, "  endloop\n endfacet\n");
  }
  return used + (size_t)snprintf(text + used, room - used, "endsolid four\n");
}

// The four sides once more, as PLY with a property and an element that nobody needs.
static size_t ply_of(int form, char* out, size_t room) {
  static const char* const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  size_t used = (size_t)snprintf(out, room,
                                 "ply\nformat %s 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty "
                                 "float y\nproperty float z\nproperty uchar red\nelement face 4\nproperty list uchar "
                                 "int vertex_indices\nend_header\n",
                                 forms[form]);
  for (int k = 0; k < 4 && form == 0; ++k)
    used += (size_t)snprintf(out + used, room - used, "%g %g %g 255\n", corners[k][0], corners[k][1], corners[k][2]);
  for (int k = 0; k < 4 && form == 0; ++k)
    used += (size_t)snprintf(out + used, room - used, "3 %d %d %d\n", faces[k][0], faces[k][1], faces[k][2]);
  for (int part = 0; part < 2 && form > 0; ++part)
    for (int k = 0; k < 4; ++k) {
      if (part == 1) out[used++] = 3;
      for (int c = 0; c < 3; ++c) {
        unsigned char bytes[4];
        memcpy(bytes, part == 0 ? (const void*)&corners[k][c] : (const void*)&faces[k][c], 4);
        for (int b = 0; b < 4; ++b) out[used++] = (char)bytes[form == 1 ? b : 3 - b];
      }
      if (part == 0) out[used++] = (char)255;
    }
  return used;
}

// And as glTF with y up: (x, y, z) there is (x, -z, y) here. Twelve corners, so that equal ones have to be found; the
// node mirrors z, by which corners change their turn.
static size_t gltf_of(bool binary, char* out, size_t room) {
  static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  unsigned char bytes[12 * 12 + 24];
  for (int k = 0; k < 12; ++k) {
    const uint16_t index = (uint16_t)(k % 3 == 0 ? k : k % 3 == 1 ? k + 1 : k - 1);  // the mirror turns them back
    memcpy(bytes + 12 * k, corners[faces[k / 3][k % 3]], 12);
    memcpy(bytes + 144 + 2 * k, &index, 2);
  }
  char* coded = NULL;
  size_t coded_size = 0;
  FILE* file = open_memstream(&coded, &coded_size);
  ch_base64_write(file, bytes, sizeof bytes);
  fclose(file);
  char json[2048];
  int length = snprintf(
      json, sizeof json,
      "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [1]}], \"nodes\": [{\"mesh\": 0, "
      "\"scale\": "
      "[1, 1, -1]}, {\"children\": [0]}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
      "\"indices\": "
      "1}]}], \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 12, \"type\": \"VEC3\"}, "
      "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"}], \"bufferViews\": "
      "[{\"buffer\": 0, "
      "\"byteLength\": 144}, {\"buffer\": 0, \"byteOffset\": 144, \"byteLength\": 24}], \"buffers\": [{\"byteLength\": "
      "168%s%s%s}]}",
      binary ? "" : ", \"uri\": \"data:application/octet-stream;base64,", binary ? "" : coded, binary ? "" : "\"");
  free(coded);
  while (length % 4) json[length++] = ' ';
  if (!binary) return (size_t)snprintf(out, room, "%.*s", length, json);
  const uint32_t head[] = {0x46546C67, 2, (uint32_t)(12 + 8 + length + 8 + (int)sizeof bytes), (uint32_t)length,
                           0x4E4F534A};
  const uint32_t chunk[] = {sizeof bytes, 0x004E4942};
  memcpy(out, head, sizeof head);
  memcpy(out + 20, json, (size_t)length);
  memcpy(out + 20 + length, chunk, sizeof chunk);
  memcpy(out + 28 + length, bytes, sizeof bytes);
  return 28 + (size_t)length + sizeof bytes;
}

static void all_mesh_files_give_the_same_solid(void** state) {
  (void)state;
  unsigned char bytes[84 + 200];
  char text[4096];
  size_t size = binary_stl(bytes), length = text_stl(text, sizeof text);
  const char* obj =
      "# four sides\no thing\nv 0 0 0\nv 1 0 0 0.5\nv 0 1e0 0\r\nv 0 0 1\nvn 0 0 1\n"
      "f 1 3 2\nf 1/1 2/2/2 4//3\nf -4 -1 -2 # back\nf 2 3 4\n";
  char other[4096];
  for (int k = 0; k < 8; ++k) {
    ChWorld* world = new_world(3);
    ChShapeDef def = ch_shape_def_default();
    def.type = CH_SHAPE_MESH, def.closed = true;
    size_t used = k < 3 ? 0 : k < 6 ? ply_of(k - 3, other, sizeof other) : gltf_of(k == 7, other, sizeof other);
    def.file = k == 0   ? write_text("four.obj", obj)
               : k == 1 ? write_file("four.stl", text, length)
               : k == 2 ? write_file("binary.stl", bytes, size)
                        : write_file("four.other", other, used);
    int still = new_body(world, CH_BODY_FIXED);
    add_shape(world, still, &def);
    const ChMesh* mesh = world->shapes[0].mesh;
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->cell_count, 4);
    CHECK_NEAR(ch_mass_of_mesh(mesh, 1.0).mass, 1.0 / 6.0, 1e-16);
    def.type = CH_SHAPE_HULL;
    add_shape(world, new_body(world, CH_BODY_DYNAMIC), &def);
    assert_int_equal(world->shapes[1].polytope->face_count, 4);
    ch_world_destroy(world);
  }
}

static void wrong_mesh_files_are_named_with_their_line(void** state) {
  (void)state;
  const struct {
    const char *text, *words;
  } files[] = {
      {"v 0 0 0\nv 1 0 0\nv 0 x 0\n", "bad.obj:3:5"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "bad.obj:4:7"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "bad.obj:4"},
      {"v 0 0 0\nv 1 0 inf\n", "must be finite"},
      {"hello\n", "holds no vertices"},
      {"", "empty"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "bad.obj:5"},
      {"solid x\nendsolid\nmore\n", "bad.obj:3:1"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not closed"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty flaot x\nend_header\n0\n",
       "bad.obj:4:10: 'flaot' is not a type"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n", "bad.obj:6"},
      {"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n1234", "ends before"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 1\nproperty list uchar int "
       "vertex_indices\nend_header\n0\n3 0 0 1\n",
       "bad.obj:9:7: number of a vertex is 1"},
      {"{\"cardhouse\": 1}", "not glTF of version 2"},
      {"{\"asset\": {\"version\": \"2.0\"}, \"extensionsRequired\": [\"KHR_draco_mesh_compression\"]}", "KHR_draco"},
      {"{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"children\": [0]}]}",
       "more than once"},
      {"{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 3}}]}]}",
       "accessor 3 is not in the file"},
      {"{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}], "
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 9}], \"bufferViews\": [{\"buffer\": 0, "
       "\"byteLength\": 12}], \"buffers\": [{\"uri\": \"../secret.bin\"}]}",
       "no file beside this one"},
      {"{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}], "
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 9}], \"bufferViews\": [{\"buffer\": 0, "
       "\"byteLength\": 12}], \"buffers\": [{\"uri\": \"data:;base64,AAAAAAAAAAAAAAAA\"}]}",
       "beyond the end"},
      {"{\"asset\": {\"version\": \"2.0\"}, ", "is not valid JSON"},
      {"glTF", "is not a complete binary"},
  };
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    ChWorld* world = new_world(3);
    ChShapeDef def = ch_shape_def_default();
    def.type = CH_SHAPE_MESH, def.closed = true;
    def.file = write_text("bad.obj", files[k].text);
    ChContext context = {0};
    int body = new_body(world, CH_BODY_FIXED);
    assert_true(ch_world_add_shape(&context, world, ch_body_id(body), &def, NULL) != CH_OK);
    if (!strstr(context.message, files[k].words)) fail_msg("'%s' does not say '%s'", context.message, files[k].words);
    assert_int_equal(world->shape_count, 0);
    ch_world_destroy(world);
  }
}

static void a_chain_follows_its_points(void** state) {
  (void)state;
  const ChVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}};
  for (int count = 4; count <= 5; ++count) {
    ChWorld* world = new_world(2);
    ChShapeDef def = ch_shape_def_default();
    def.type = CH_SHAPE_CHAIN, def.points = points, def.point_count = count;
    add_shape(world, new_body(world, CH_BODY_FIXED), &def);
    const ChMesh* mesh = world->shapes[0].mesh;
    assert_int_equal(mesh->closed, count == 5);
    assert_int_equal(mesh->cell_count, count - 1);
    assert_int_equal(mesh->across[0], count == 5 ? 3 : -1);
    assert_int_equal(mesh->across[1], 1);
    CHECK_NEAR(mesh->normals[0].y, 1.0, 0.0);  // solid on the right
    ch_world_destroy(world);
  }
}

// ------------------------------------------------------------------------------------------------- signals and motion

static void signals_are_what_they_say(void** state) {
  (void)state;
  const double rows[6] = {0.0, 1.0, 2.0, 5.0, 3.0, 0.0};
  const ChSignal table = {.table_count = 3, .table = rows};
  const double at[8][3] = {{-1, 1, 0},     {0, 1, 2}, {1, 3, 2}, {2, 5, -5},
                           {2.5, 2.5, -5}, {3, 0, 0}, {9, 0, 0}, {0.5, 2, 2}};
  for (int k = 0; k < 8; ++k) {
    CHECK_NEAR(ch_signal_value(&table, at[k][0]), at[k][1], 1e-15);
    CHECK_NEAR(ch_signal_rate(&table, at[k][0]), at[k][2], 1e-15);
  }
  const ChSignal wave = {.base = 1.0, .rate = 0.5, .amplitude = 2.0, .frequency = 0.25, .phase = 0.3};
  for (double t = -2.0; t < 5.0; t += 0.7) {
    CHECK_NEAR(ch_signal_value(&wave, t), 1.0 + 0.5 * t + 2.0 * sin(0.5 * PI * t + 0.3), 1e-14);
    double slope = (ch_signal_value(&wave, t + 1e-5) - ch_signal_value(&wave, t - 1e-5)) / 2e-5;
    CHECK_NEAR(ch_signal_rate(&wave, t), slope, 1e-9);
  }
}

static void a_kinematic_body_moves_as_told(void** state) {
  (void)state;
  ChWorld* world = new_world(3);
  ChContext context = {0};
  ChBodyDef def = ch_body_def_default();
  def.kind = CH_BODY_KINEMATIC;
  def.position = ch_vec(1, 2, 3), def.orientation = ch_quat_exp(ch_vec(0.4, 0.1, -0.2));
  def.axis = ch_vec(1, 1, 0);
  def.motion[0] = (ChSignal){.amplitude = 0.5, .frequency = 2.0};
  def.turn = (ChSignal){.rate = 1.5};
  CHECK_OK(context, ch_world_add_body(&context, world, &def, NULL));
  seal(world);
  CHECK_NEAR(world->states[0].velocity.x, 0.5 * 4.0 * PI, 1e-14);
  ChBodyState now, ahead, back;
  double t = 0.37, h = 1e-5;
  ch_body_move(world->bodies, t, &now);
  ch_body_move(world->bodies, t + h, &ahead);
  ch_body_move(world->bodies, t - h, &back);
  CHECK_NEAR(now.velocity.x, (ahead.position.x - back.position.x) / (2.0 * h), 1e-7);
  ChVec3 local = ch_vec(0.3, -0.2, 0.5);
  ChVec3 moved = ch_scale(0.5 / h, ch_sub(ch_rotate(ahead.orientation, local), ch_rotate(back.orientation, local)));
  ChVec3 speed = ch_rotate(now.orientation, ch_cross(now.omega, local));
  CHECK_AT_MOST(ch_norm(ch_sub(moved, speed)), 1e-9);
  ch_world_destroy(world);
}

// ------------------------------------------------------------------------------------------------------------ surfaces

// A sphere of each material, so that shape k has material k.
static ChWorld* world_of_materials(int count, const ChMaterialDef* defs) {
  ChWorld* world = NULL;
  ChContext context = {0};
  CHECK_OK(context, ch_world_create(&context, 3, &world));
  for (int k = 0; k < count; ++k) {
    CHECK_OK(context, ch_world_add_material(&context, world, &defs[k], NULL));
    ChShapeDef def = ch_shape_def_default();
    def.radius = 1.0, def.material = ch_material_id(k);
    add_shape(world, new_body(world, CH_BODY_DYNAMIC), &def);
  }
  return world;
}

static void surfaces_follow_the_rule_or_the_pair(void** state) {
  (void)state;
  const ChMaterialDef defs[4] = {{.density = 1, .friction = {0.3, 0.3}, .restitution = 0.5},
                                 {.density = 1, .friction = {0.7, 0.7}, .restitution = 0.2},
                                 {.density = 1, .friction = {0.2, 0.8}, .axis = {0, 2, 0}},
                                 {.density = 1, .friction = {0.0, 0.0}}};
  ChWorld* world = world_of_materials(4, defs);
  ChContext context = {0};
  ChPairDef icy = ch_pair_def_default(), grooved = ch_pair_def_default();
  icy.material[0] = ch_material_id(3), icy.material[1] = ch_material_id(1), icy.friction[0] = icy.friction[1] = 0.05;
  grooved.material[0] = ch_material_id(2), grooved.material[1] = ch_material_id(1), grooved.friction[0] = 0.1,
  grooved.friction[1] = 0.9;
  grooved.restitution = 0.0;
  CHECK_OK(context, ch_world_add_pair(&context, world, &icy));
  CHECK_OK(context, ch_world_add_pair(&context, world, &grooved));
  assert_int_equal(ch_world_add_pair(&context, world, &icy), CH_ERR_ARGUMENT);
  seal(world);
  for (int order = 0; order < 2; ++order) {
    ChSurface plain = ch_world_surface(world, order, 1 - order);
    CHECK_NEAR(plain.friction[0], sqrt(0.21), 1e-16);
    CHECK_NEAR(plain.restitution, 0.5, 0.0);
    assert_int_equal(plain.axis_body, -1);
    ChSurface mixed = ch_world_surface(world, order ? 2 : 0, order ? 0 : 2);
    CHECK_NEAR(mixed.friction[0], sqrt(0.06), 1e-16);
    CHECK_NEAR(mixed.friction[1], sqrt(0.24), 1e-16);
    assert_int_equal(mixed.axis_body, 2);
    CHECK_NEAR(mixed.axis.y, 1.0, 0.0);
    ChSurface ice = ch_world_surface(world, order ? 3 : 1, order ? 1 : 3);
    CHECK_NEAR(ice.friction[1], 0.05, 0.0);
    CHECK_NEAR(ice.restitution, 0.2, 0.0);  // not given: by the rule
    ChSurface groove = ch_world_surface(world, order ? 2 : 1, order ? 1 : 2);
    CHECK_NEAR(groove.friction[1], 0.9, 0.0);
    CHECK_NEAR(groove.restitution, 0.0, 0.0);
    assert_int_equal(groove.axis_body, 2);
  }
  ch_world_destroy(world);
}

// -------------------------------------------------------------------------------------------------------------- worlds

static void bodies_are_found_by_name(void** state) {
  (void)state;
  ChWorld* world = new_world(3);
  ChContext context = {0};
  char name[32];
  for (int k = 0; k < 1000; ++k) {
    ChBodyDef def = ch_body_def_default();
    snprintf(name, sizeof name, "card %d", k);
    def.name = k % 2 ? name : NULL;
    def.kind = CH_BODY_FIXED;
    CHECK_OK(context, ch_world_add_body(&context, world, &def, NULL));
  }
  assert_int_equal(ch_world_body_row(world, ch_world_find_body(world, "card 613")), 613);
  assert_int_equal(ch_world_body_row(world, ch_world_find_body(world, "body 614")), 614);
  assert_true(ch_body_id_is_none(ch_world_find_body(world, "card 614")));
  assert_string_equal(ch_world_body_name(world, ch_body_id(1)), "card 1");
  assert_null(ch_world_body_name(world, ch_body_id(1000)));
  ChBodyDef twin = ch_body_def_default();
  twin.name = "card 7";
  assert_int_equal(ch_world_add_body(&context, world, &twin, NULL), CH_ERR_ARGUMENT);
  assert_int_equal(ch_world_body_count(world), 1000);
  ch_world_destroy(world);
}

static void shapes_of_a_body_follow_each_other_and_keep_their_ids(void** state) {
  (void)state;
  ChWorld* world = new_world(3);
  for (int b = 0; b < 3; ++b) new_body(world, CH_BODY_DYNAMIC);
  for (int k = 0; k < 9; ++k) {
    ChShapeDef def = ch_shape_def_default();
    def.radius = 1.0 + k;
    add_shape(world, 2 - k % 3, &def);
  }
  seal(world);
  for (int b = 0; b < 3; ++b) {
    assert_int_equal(world->bodies[b].shape_count, 3);
    for (int k = 0; k < 3; ++k) {
      const ChShape* shape = &world->shapes[world->bodies[b].first_shape + k];
      assert_int_equal(shape->body, b);
      assert_int_equal(shape->slot, 3 * k + 2 - b);
      CHECK_NEAR(shape->radius, 1.0 + shape->slot, 0.0);
    }
  }
  ch_world_destroy(world);
}

// Each entry spoils one field of a good definition; the message must name it.
static void wrong_bodies_are_refused_with_a_reason(void** state) {
  (void)state;
  static const char* const words[] = {"position",          "orientation", "velocity",       "mass is -1",
                                      "principal moments", "sum of",      "without a mass", "locks",
                                      "not kinematic",     "angle is 1",  "is fixed"};
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
    ChWorld* world = new_world(3);
    ChBodyDef def = ch_body_def_default();
    ChContext context = {0};
    const double good[6] = {1, 1, 1};
    if (k == 0) def.position.y = NAN;
    if (k == 1) def.orientation = (ChQuat){0, 0, 0, 0};
    if (k == 2) def.velocity.z = INFINITY;
    if (k == 3) def.mass = -1.0;
    if (k >= 4 && k <= 6) memcpy(def.inertia, good, sizeof good);
    if (k == 4 || k == 5) def.mass = 1.0;
    if (k == 4) def.inertia[3] = 2.0;
    if (k == 5) def.inertia[2] = 2.5;
    if (k == 7) def.locks = 64;
    if (k == 8) def.turn.rate = 1.0;
    if (k == 9) def.angle = 1.0;
    if (k == 10) def.kind = CH_BODY_FIXED, def.omega.x = 1.0;
    assert_true(ch_world_add_body(&context, world, &def, NULL) != CH_OK);
    if (!strstr(context.message, words[k])) fail_msg("'%s' does not say '%s'", context.message, words[k]);
    assert_int_equal(world->body_count, 0);
    ch_world_destroy(world);
  }
}

static void wrong_shapes_are_refused_with_a_reason(void** state) {
  (void)state;
  static const char* const words[] = {
      "radius is 0",      "half.y is -1",        "half_length is nan",    "material is 3",
      "the plane",        "fixed and kinematic", "points (or a file)",    "normal is zero",
      "cannot be opened", "no body 4",           "mesh: point_count is 0"};
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
    ChWorld* world = new_world(3);
    int dynamic = new_body(world, CH_BODY_DYNAMIC), fixed = new_body(world, CH_BODY_FIXED);
    ChShapeDef def = ch_shape_def_default();
    ChContext context = {0};
    int body = k == 9 ? 4 : k == 7 ? fixed : dynamic;
    def.radius = k == 0 ? 0.0 : 1.0;
    if (k == 1) def.type = CH_SHAPE_BOX, def.half = ch_vec(1, -1, 1);
    if (k == 2) def.type = CH_SHAPE_CAPSULE, def.half_length = NAN;
    if (k == 3) def.material = ch_material_id(3);
    if (k == 4) def.type = CH_SHAPE_DISK;
    if (k == 5) def.type = CH_SHAPE_HALFSPACE;
    if (k == 6) def.type = CH_SHAPE_HULL;
    if (k == 7) def.type = CH_SHAPE_HALFSPACE, def.normal = ch_vec(0, 0, 0);
    if (k == 8) def.type = CH_SHAPE_HULL, def.file = "no such file.obj";
    if (k == 10) def.type = CH_SHAPE_MESH;
    assert_true(ch_world_add_shape(&context, world, ch_body_id(body), &def, NULL) != CH_OK);
    if (!strstr(context.message, words[k])) fail_msg("'%s' does not say '%s'", context.message, words[k]);
    ch_world_destroy(world);
  }
}

static void a_dynamic_body_needs_mass(void** state) {
  (void)state;
  ChWorld* world = new_world(3);
  new_body(world, CH_BODY_FIXED);  // a fixed one does not
  new_body(world, CH_BODY_DYNAMIC);
  ChContext context = {0};
  assert_int_equal(ch_world_seal(&context, world), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "'body 1': has no mass"));
  ch_world_destroy(world);
}

// Everything a small world does, under a given failure of the heap.
static ChStatus build_all(ChContext* context) {
  ChWorld* world = NULL;
  ChStatus status = ch_world_create(context, 3, &world);
  ChMaterialDef material = ch_material_def_default();
  material.name = "stone";
  if (status == CH_OK) status = ch_world_add_material(context, world, &material, NULL);
  for (int k = 0; k < 40 && status == CH_OK; ++k) {
    ChBodyDef body = ch_body_def_default();
    ChVec3 points[200];
    ChRandom random = ch_random_seeded(k);
    random_points(&random, 200, points);
    status = ch_world_add_body(context, world, &body, NULL);
    ChShapeDef def = ch_shape_def_default();
    def.type = CH_SHAPE_HULL, def.points = points, def.point_count = 200;
    if (status == CH_OK) status = ch_world_add_shape(context, world, ch_body_id(k), &def, NULL);
    ChJointDef joint = ch_joint_def_default();
    joint.type = CH_JOINT_BALL, joint.body[0] = CH_GROUND, joint.body[1] = ch_body_id(k);
    if (status == CH_OK) status = ch_world_add_joint(context, world, &joint, NULL);
  }
  if (status == CH_OK) status = ch_world_seal(context, world);
  ch_world_destroy(world);
  return status;
}

static void running_out_of_memory_is_a_status(void** state) {
  (void)state;
  for (long n = 1; n < 100; ++n) {
    ChContext context = {0};
    ch_arena_fail_after(n);
    ChStatus status = build_all(&context);
    ch_arena_fail_after(0);
    assert_true(status == CH_OK || status == CH_ERR_MEMORY);
    if (status == CH_OK) {
      assert_true(n > 3);
      return;
    }
  }
  fail_msg("a small world took 100 allocations");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_their_textbook_inertia),
      cmocka_unit_test(a_capsule_is_the_sum_of_its_slices),
      cmocka_unit_test(plane_shapes_have_their_textbook_inertia),
      cmocka_unit_test(a_tetrahedron_has_its_moments),
      cmocka_unit_test(a_random_hull_agrees_with_quadrature),
      cmocka_unit_test(a_mesh_of_a_ball_converges_to_the_ball),
      cmocka_unit_test(a_compound_is_its_parts),
      cmocka_unit_test(sealing_leaves_shapes_in_their_places),
      cmocka_unit_test(a_mass_alone_is_spread_as_the_shapes_are),
      cmocka_unit_test(principal_moments_are_eigenvalues),
      cmocka_unit_test(a_hull_of_a_cubes_points_is_the_cube),
      cmocka_unit_test(a_turned_block_keeps_six_faces),
      cmocka_unit_test(hulls_hold_their_points_and_know_their_support),
      cmocka_unit_test(hulls_and_polygons_without_inside_are_refused),
      cmocka_unit_test(neighbours_and_boxes_of_a_mesh),
      cmocka_unit_test(meshes_that_are_no_surface_are_refused),
      cmocka_unit_test(all_mesh_files_give_the_same_solid),
      cmocka_unit_test(wrong_mesh_files_are_named_with_their_line),
      cmocka_unit_test(a_chain_follows_its_points),
      cmocka_unit_test(signals_are_what_they_say),
      cmocka_unit_test(a_kinematic_body_moves_as_told),
      cmocka_unit_test(surfaces_follow_the_rule_or_the_pair),
      cmocka_unit_test(bodies_are_found_by_name),
      cmocka_unit_test(shapes_of_a_body_follow_each_other_and_keep_their_ids),
      cmocka_unit_test(wrong_bodies_are_refused_with_a_reason),
      cmocka_unit_test(wrong_shapes_are_refused_with_a_reason),
      cmocka_unit_test(a_dynamic_body_needs_mass),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests_name("model", tests, ch_temporary_create, ch_temporary_remove);
}
