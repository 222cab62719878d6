// Time of collision detection a body, as their number grows: whatever is linear stays put in the last column.
//
// Prints Markdown.
//
//   collide [--threads N] [bodies ...]        default: one thread; 1,000, 10,000 and 100,000 bodies
//
// Two scenes in a box of five half-spaces: equal spheres, packed so that each touches six; and spheres, boxes and
// capsules whose sizes spread evenly over a factor of 30, at random places that fill a third of the box. Then two of
// deformable skins: plates that lie on the floor, and strips that lie across others as in a weave. Then meshes, by
// their features and by samples on distance fields: balls of 512 triangles that touch six others each, and bricks of
// 108 triangles in a wall.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collide/collide.h"
#include "model/tet/tet_shapes.h"
#include "support/random.h"
#include "support/surfaces.h"

typedef struct Scene {
  ChContext context;
  ChWorld* world;
  ChMaterialId material;
  bool failed;
} Scene;

static void note(Scene* scene, ChStatus status) {
  if (status != CH_OK && !scene->failed) {
    fprintf(stderr, "collide: %s\n", scene->context.message);
    scene->failed = true;
  }
}

static ChBodyId add_body(Scene* scene, ChBodyKind kind, ChVec3 at, ChQuat orientation) {
  ChBodyDef def = ch_body_def_default();
  ChBodyId id = {0};
  def.kind = kind;
  def.position = at;
  def.orientation = orientation;
  note(scene, ch_world_add_body(&scene->context, scene->world, &def, &id));
  return id;
}

static void add_shape(Scene* scene, ChBodyId body, ChShapeDef def) {
  def.orientation = ch_quat_identity();
  def.material = scene->material;
  note(scene, ch_world_add_shape(&scene->context, scene->world, body, &def, NULL));
}

// Floor and four walls about [-half, half]^2.
static void open_scene(Scene* scene, double half) {
  ChMaterialDef material = ch_material_def_default();
  material.name = "stone";
  note(scene, ch_world_create(&scene->context, 3, &scene->world));
  if (scene->failed) return;
  note(scene, ch_world_add_material(&scene->context, scene->world, &material, &scene->material));
  ChBodyId body = add_body(scene, CH_BODY_FIXED, ch_vec(0.0, 0.0, 0.0), ch_quat_identity());
  add_shape(scene, body, (ChShapeDef){.type = CH_SHAPE_HALFSPACE, .normal = {0.0, 0.0, 1.0}});
  for (int k = 0; k < 4; ++k) {
    ChVec3 inward = ch_scale(k % 2 ? 1.0 : -1.0, ch_axis(k / 2));
    add_shape(scene, body, (ChShapeDef){.type = CH_SHAPE_HALFSPACE, .normal = inward, .offset = -half});
  }
}

static void add_spheres(Scene* scene, int count) {
  const double r = 0.1;
  int m = (int)ceil(cbrt(count));
  open_scene(scene, m * r);
  for (int i = 0; i < count; ++i) {
    ChVec3 at = ch_vec((2 * (i % m) + 1 - m) * r, (2 * (i / m % m) + 1 - m) * r, (2 * (i / m / m) + 1) * r);
    add_shape(scene, add_body(scene, CH_BODY_DYNAMIC, at, ch_quat_identity()),
              (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = r});
  }
}

static ChShapeDef mixed_shape(int i, double size) {
  if (i % 3 == 0) return (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = size};
  if (i % 3 == 1) return (ChShapeDef){.type = CH_SHAPE_BOX, .half = {0.8 * size, 0.8 * size, 0.8 * size}};
  return (ChShapeDef){.type = CH_SHAPE_CAPSULE, .radius = 0.7 * size, .half_length = 0.7 * size};
}

static void add_mixed(Scene* scene, int count) {
  ChRandom r = ch_random_seeded(1);
  double ratio = 30.0, mean_volume = 4.2 * (pow(ratio, 3.0) - 1.0) / (3.0 * log(ratio)) * pow(0.01, 3.0);
  double edge = cbrt(3.0 * count * mean_volume);
  open_scene(scene, 0.5 * edge);
  for (int i = 0; i < count; ++i) {
    ChVec3 at =
        ch_vec(ch_random_uniform(&r, -0.5, 0.5), ch_random_uniform(&r, -0.5, 0.5), ch_random_uniform(&r, 0.0, 1.0));
    ChQuat turn =
        ch_quat_unit((ChQuat){ch_random_normal(&r), ch_random_normal(&r), ch_random_normal(&r), ch_random_normal(&r)});
    double size = 0.01 * pow(ratio, ch_random_uniform(&r, 0.0, 1.0));
    add_shape(scene, add_body(scene, CH_BODY_DYNAMIC, ch_scale(edge, at), turn), mixed_shape(i, size));
  }
}

// A box of this size cut in cells, with 30 modes.
static void add_soft(Scene* scene, ChVec3 size, const int cells[3], ChVec3 at) {
  ChBodyId body = add_body(scene, CH_BODY_DYNAMIC, at, ch_quat_identity());
  ChArena* arena = ch_arena_create(NULL);
  ChTetMesh mesh = {0};
  if (!scene->failed) note(scene, ch_tet_box(&scene->context, arena, size, cells, &mesh));
  ChSoftDef def = ch_soft_def_default();
  def.modes = 30;
  def.material = scene->material;
  def.vertex_count = mesh.vertex_count, def.vertices = mesh.vertices;
  def.tet_count = mesh.tet_count, def.tets = mesh.tets;
  if (!scene->failed) note(scene, ch_world_add_soft(&scene->context, scene->world, body, &def, NULL));
  ch_arena_destroy(arena);
}

static void add_plates(Scene* scene, int count) {
  open_scene(scene, 10.0);
  for (int k = 0; k < count; ++k)
    add_soft(scene, ch_vec(1.0, 1.0, 0.05), (const int[3]){20, 20, 1}, ch_vec(1.1 * k - 9.0, 0.0, 0.025));
}

static void add_strips(Scene* scene, int count) {
  open_scene(scene, 10.0);
  for (int k = 0; k < count; ++k) {
    double across = 0.25 * (k / 2) - 0.0625 * count;
    if (k % 2)
      add_soft(scene, ch_vec(0.2, 2.4, 0.02), (const int[3]){5, 48, 1}, ch_vec(across, 0.0, 0.5));
    else
      add_soft(scene, ch_vec(2.4, 0.2, 0.02), (const int[3]){48, 5, 1}, ch_vec(0.0, across, 0.52));
  }
}

static ChTestSurface surface;

static void add_mesh(Scene* scene, ChVec3 at, ChQuat turn, ChMeshContact contact) {
  ChShapeDef def = ch_surface_shape(&surface);
  def.contact = contact;
  add_shape(scene, add_body(scene, CH_BODY_DYNAMIC, at, turn), def);
}

static void add_mesh_balls(Scene* scene, int count, ChMeshContact contact) {
  const double r = 0.1;
  int m = (int)ceil(cbrt(count));
  ChRandom random = ch_random_seeded(4);
  open_scene(scene, m * r);
  ch_surface_of_ball(&surface, 3);
  for (int k = 0; k < surface.point_count; ++k) surface.points[k] = ch_scale(r, surface.points[k]);
  for (int i = 0; i < count; ++i) {
    ChVec3 at = ch_vec((2 * (i % m) + 1 - m) * r, (2 * (i / m % m) + 1 - m) * r, (2 * (i / m / m) + 1) * r);
    ChQuat turn = {ch_random_normal(&random), ch_random_normal(&random), ch_random_normal(&random),
                   ch_random_normal(&random)};
    add_mesh(scene, at, ch_quat_unit(turn), contact);
  }
}

static void add_mesh_wall(Scene* scene, int count, ChMeshContact contact) {
  open_scene(scene, 20.0);
  ch_surface_of_cubes(&surface, 5, 2, "##########", 2, 0.1);
  for (int i = 0; i < count; ++i) {
    int row = i / 8;
    add_mesh(scene, ch_vec(0.5 * (i % 8) + 0.25 * (row % 2), 0.0, 0.2 * row + 0.1), ch_quat_identity(), contact);
  }
}

// Of all threads together: what else runs on the machine is not counted.
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Best of several calls, after one that warms up.
static void measure(const char* name, Scene* scene, int count) {
  ChCollider* collider = NULL;
  ChCollideOptions options = {.margin = 1e-3, .look_ahead = 0.01};
  const ChGap* gaps;
  int gap_count = 0;
  if (!scene->failed) note(scene, ch_world_seal(&scene->context, scene->world));
  if (!scene->failed) note(scene, ch_collider_create(&scene->context, scene->world, &collider));
  double best = INFINITY;
  for (int call = 0; call < 8 && !scene->failed; ++call) {
    double start = processor_seconds();
    note(scene, ch_collide(&scene->context, collider, scene->world->states, &options, &gaps, &gap_count));
    double seconds = processor_seconds() - start;
    if (call > 0 && seconds < best) best = seconds;
  }
  if (!scene->failed)
    printf("| %-16s | %7d | %7d | %10.3f | %9.3f |\n", name, count, gap_count, 1e3 * best, 1e6 * best / count);
  ch_collider_destroy(collider);
  ch_world_destroy(scene->world);
}

static bool run(int count) {
  Scene spheres = {0}, mixed = {0};
  add_spheres(&spheres, count);
  measure("equal spheres", &spheres, count);
  add_mixed(&mixed, count);
  measure("mixed shapes", &mixed, count);
  return !spheres.failed && !mixed.failed;
}

static bool run_skins(void) {
  Scene plates = {0}, strips = {0};
  add_plates(&plates, 16);
  measure("plates on floor", &plates, 16);
  add_strips(&strips, 16);
  measure("crossing strips", &strips, 16);
  return !plates.failed && !strips.failed;
}

static bool run_meshes(void) {
  bool failed = false;
  for (int sampled = 0; sampled < 2; ++sampled) {
    ChMeshContact contact = sampled ? CH_MESH_SAMPLED : CH_MESH_EXACT;
    Scene balls = {0}, wall = {0};
    add_mesh_balls(&balls, 125, contact);
    measure(sampled ? "balls, sampled" : "balls, exact", &balls, 125);
    add_mesh_wall(&wall, 80, contact);
    measure(sampled ? "bricks, sampled" : "bricks, exact", &wall, 80);
    failed = failed || balls.failed || wall.failed;
  }
  return !failed;
}

int main(int argc, char** argv) {
  int counts[16] = {1000, 10000, 100000}, count = 3, threads = 1, given = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--threads") && i + 1 < argc)
      threads = atoi(argv[++i]);
    else if (given < 16)
      counts[given++] = atoi(argv[i]);
  }
  if (given) count = given;
  for (int i = 0; i < count; ++i)
    if (counts[i] < 1 || threads < 1) {
      fprintf(stderr, "usage: collide [--threads N] [bodies ...]\n");
      return 2;
    }
  omp_set_num_threads(threads);
  printf("Processor time of one call, the best of seven, %d thread%s.\n\n", threads, threads > 1 ? "s" : "");
  printf("| %-16s | %7s | %7s | %10s | %9s |\n", "scene", "bodies", "gaps", "ms a call", "us a body");
  printf("|------------------|--------:|--------:|-----------:|----------:|\n");
  bool fine = true;
  for (int i = 0; i < count; ++i) fine = run(counts[i]) && fine;
  if (!given) fine = run_skins() && fine;
  if (!given) fine = run_meshes() && fine;
  return fine ? 0 : 1;
}
