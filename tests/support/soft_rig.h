// Deformable bodies with made-up modes, for tests that need a skin and no mechanics; and a collider to ask.
#ifndef CH_TESTS_SOFT_RIG_H
#define CH_TESTS_SOFT_RIG_H

#include <stdlib.h>

#include "collide/collide.h"
#include "collide/skin/skin.h"
#include "support/near.h"
#include "support/random.h"
#include "support/surfaces.h"
#include "support/worlds.h"

typedef struct SoftKit {
  ChContext context;
  ChWorld* world;
  ChCollider* collider;
  ChArena* arena;
  ChRandom random;
  const ChGap* gaps;
  int count;
} SoftKit;

static inline int make_soft_kit(void** state) {
  SoftKit* kit = calloc(1, sizeof *kit);
  if (!kit) return 1;
  kit->arena = ch_arena_create(NULL);
  kit->world = ch_test_world(3, 9.81, 0.5, 0.0);
  kit->random = ch_random_seeded(7.0);
  *state = kit;
  return 0;
}

static inline void clear_soft_kit(SoftKit* kit) {
  ch_collider_destroy(kit->collider);
  ch_world_destroy(kit->world);
  kit->collider = NULL;
  kit->world = ch_test_world(3, 9.81, 0.5, 0.0);
}

static inline int drop_soft_kit(void** state) {
  SoftKit* kit = *state;
  ch_collider_destroy(kit->collider);
  ch_world_destroy(kit->world);
  ch_arena_destroy(kit->arena);
  free(kit);
  return 0;
}

static inline ChVec3 soft_random(ChRandom* r, double reach) { return ch_random_in_cube(r, reach); }

static inline void fill_modes(ChRandom* r, const ChVec3* rest, int count, int modes, double size, double* U) {
  for (int a = 0; a < modes; ++a) {
    ChVec3 wave = soft_random(r, 2.0 / size), along = ch_unit(soft_random(r, 1.0));
    double phase = ch_random_uniform(r, 0.0, 6.0);
    for (int k = 0; k < 3 * count; ++k) {
      ChVec3 u = ch_scale(size * sin(ch_dot(wave, rest[k / 3]) + phase), along);
      U[(long)k * modes + a] = ch_component(u, k % 3);
    }
  }
}

// A box with these half sides, its faces cut in cells, about the origin. A mode of amplitude 1 moves points by about
// the box's size.
static inline ChSoft* soft_box(SoftKit* kit, const int cells[3], ChVec3 half, int modes) {
  static ChTestSurface surface;
  char picture[400];
  memset(picture, '#', sizeof picture);
  ch_surface_of_cubes(&surface, cells[0], cells[1], picture, cells[2], 1.0);
  for (int v = 0; v < surface.point_count; ++v) {
    ChVec3 x = surface.points[v];
    surface.points[v] =
        ch_vec(2.0 * half.x * x.x / cells[0], 2.0 * half.y * x.y / cells[1], 2.0 * half.z * x.z / cells[2]);
  }
  ChMesh* mesh;
  CHECK_OK(kit->context, ch_mesh_create(&kit->context, kit->arena, surface.point_count, surface.points,
                                        surface.triangle_count, surface.triangles, 3, &mesh));
  ChSoft* soft = CH_TAKE(kit->arena, 1, ChSoft);
  soft->modes = modes;
  soft->mass = 1.0;
  soft->skin = (ChSoftSkin){.vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->cell_count,
                            .rest = mesh->vertices,
                            .triangles = mesh->cells,
                            .across = mesh->across};
  soft->skin.shape = CH_TAKE(kit->arena, 3L * mesh->vertex_count * modes, double);
  fill_modes(&kit->random, mesh->vertices, mesh->vertex_count, modes, ch_norm(half), soft->skin.shape);
  return soft;
}

static inline int add_soft(SoftKit* kit, const ChSoft* soft, ChVec3 at) {
  ChBodyDef def = ch_body_def_default();
  ChShapeDef ball = ch_shape_def_default();  // what it is made from; the skin takes its place
  def.position = at;
  def.mass = 1.0;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
  ball.type = CH_SHAPE_SPHERE, ball.radius = 1.0;
  int body = ch_test_body(kit->world, &def, &ball);
  ChShape* shape = &kit->world->shapes[kit->world->shape_count - 1];
  shape->type = CH_SHAPE_SOFT;
  shape->soft = kit->world->bodies[body].soft = soft;
  return body;
}

// A body of this kind about the origin; a box-shaped mesh has the box's half sides.
static inline int add_rigid(SoftKit* kit, int which, ChBodyKind kind) {
  static const ChVec3 points[6] = {{0.5, 0, 0},    {-0.4, 0.1, 0}, {0, 0.6, 0},
                                   {0, -0.5, 0.1}, {0, 0, 0.4},    {0, 0.1, -0.5}};
  static ChTestSurface surface;
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.kind = kind;
  shape.half = ch_vec(0.5, 0.3, 0.4);
  shape.radius = 0.3;
  shape.half_length = 0.4;
  shape.point_count = 6, shape.points = points;
  shape.type = (ChShapeType)which;
  if (which == CH_SHAPE_MESH) {
    ch_surface_of_cubes(&surface, 5, 3, "###############", 4, 0.2);
    shape = ch_surface_shape(&surface);
  }
  return ch_test_body(kit->world, &body, &shape);
}

static inline void seal_soft(SoftKit* kit) {
  CHECK_OK(kit->context, ch_world_seal(&kit->context, kit->world));
  CHECK_OK(kit->context, ch_collider_create(&kit->context, kit->world, &kit->collider));
}

static inline void collide_soft(SoftKit* kit, double margin, double look_ahead) {
  ChCollideOptions options = {.margin = margin, .look_ahead = look_ahead, .threads = 2};
  CHECK_OK(kit->context,
           ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count));
}

static inline double* modes_of(SoftKit* kit, int body) { return ch_state_modes(kit->world, kit->world->states, body); }
static inline double* rates_of(SoftKit* kit, int body) { return ch_state_rates(kit->world, kit->world->states, body); }

// Gives a body a random form: amplitudes that add up to about `size` of its own.
static inline void bend(SoftKit* kit, int body, double size) {
  int n = kit->world->bodies[body].soft->modes;
  for (int a = 0; a < n; ++a) modes_of(kit, body)[a] = ch_random_uniform(&kit->random, -size, size) / sqrt((double)n);
}

static inline ChVec3 vertex_in_world(SoftKit* kit, int body, int v) {
  const ChSoft* soft = kit->world->bodies[body].soft;
  return ch_frame_point(ch_state_frame(kit->world->states, body), ch_soft_vertex(soft, v, modes_of(kit, body)));
}

// What kind of sample a gap is, and of which side.
static inline int kind_of(const ChGap* g) { return (int)(g->key >> 60 & 7); }

#endif
