// The end of construction: masses, frames moved to centres of mass, everything sorted.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model/friction_curves.h"
#include "model/mesh/height_field.h"
#include "model/mesh/mesh.h"
#include "model/mesh/polytope_surface.h"
#include "model/periodic.h"
#include "model/shapes/mass_properties.h"
#include "model/shapes/polytope.h"
#include "model/shapes/shape_kind.h"
#include "model/soft/soft_arms.h"
#include "model/world_build.h"

// ------------------------------------------------------------------------------------------------------------- sorting

// Shapes of one body follow each other, in the order in which they were added.
static void sort_shapes(ChWorld* world) {
  ChShape* sorted = CH_TAKE(world->arena, world->shape_count, ChShape);
  int* next = CH_TAKE(world->arena, world->body_count, int);
  for (int k = 0; k < world->shape_count; ++k) ++world->bodies[world->shapes[k].body].shape_count;
  int first = 0;
  for (int b = 0; b < world->body_count; ++b) {
    world->bodies[b].first_shape = next[b] = first;
    first += world->bodies[b].shape_count;
  }
  for (int k = 0; k < world->shape_count; ++k) sorted[next[world->shapes[k].body]++] = world->shapes[k];
  world->shapes = sorted;
  for (int k = 0; k < world->shape_count; ++k) ch_slot_set(&world->shape_slots, sorted[k].slot, k);
  world->shape_room = world->shape_count;
}

static int compare_pairs(const void* a, const void* b) {
  const int *x = ((const ChMaterialPair*)a)->material, *y = ((const ChMaterialPair*)b)->material;
  int xl = x[0] < x[1] ? x[0] : x[1], yl = y[0] < y[1] ? y[0] : y[1];
  if (xl != yl) return xl < yl ? -1 : 1;
  int xh = x[0] + x[1] - xl, yh = y[0] + y[1] - yl;
  return (xh > yh) - (xh < yh);
}

static int compare_ignored(const void* a, const void* b) {
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

void ch_world_sort_ignored(ChWorld* world) {
  if (world->ignored_count == 0) return;
  qsort(world->ignored, (size_t)world->ignored_count, sizeof *world->ignored, compare_ignored);
  int kept = 1;
  for (int k = 1; k < world->ignored_count; ++k)
    if (compare_ignored(world->ignored[k], world->ignored[kept - 1]) != 0)
      memcpy(world->ignored[kept++], world->ignored[k], sizeof *world->ignored);
  world->ignored_count = kept;
}

// -------------------------------------------------------------------------------------------------------------- masses

static ChMassProperties mass_of_shapes(const ChWorld* world, const ChBody* body, ChMassProperties* parts) {
  for (int k = 0; k < body->shape_count; ++k) {
    const ChShape* shape = &world->shapes[body->first_shape + k];
    parts[k] = ch_mass_of_shape(shape, world->materials[shape->material].density);
  }
  return ch_mass_sum(body->shape_count, parts);
}

// A mass without extent has no orientation that matters: its rotations are locked, and its inertia is any positive one.
static void make_point(const ChWorld* world, ChBody* body) {
  body->locks |= world->dimension == 3 ? CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ : CH_LOCK_RZ;
  body->inertia = ch_mat_diagonal(ch_vec(body->mass, body->mass, body->mass));
}

static ChStatus set_mass(ChContext* context, const ChWorld* world, ChBody* body, ChMassProperties* parts) {
  if (!body->spread) return CH_OK;
  if (body->mass > 0.0 && body->shape_count == 0) {
    make_point(world, body);
    return CH_OK;
  }
  ChMassProperties mass = mass_of_shapes(world, body, parts);
  if (!(mass.mass > 0.0))
    return ch_fail(context, CH_ERR_RANGE,
                   body->mass > 0.0
                       ? "body '%.100s': its shapes have no density, so its mass cannot be distributed; give inertia"
                       : "body '%.100s': has no mass; a dynamic body needs shapes with a density > 0, or "
                         "mass > 0",
                   body->name);
  if (body->mass > 0.0 && !ch_vec_is_zero(body->origin))
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "body '%.100s': mass and centre are given without inertia, and its shapes have another centre; give "
                   "inertia, or leave out centre",
                   body->name);
  double scale = body->mass > 0.0 ? body->mass / mass.mass : 1.0;
  ChMat3 inertia = ch_mass_inertia(&mass), none = {0};
  body->inertia = scale == 1.0 ? inertia : ch_mat_along(&none, scale, &inertia);
  if (!(body->mass > 0.0)) body->mass = mass.mass;
  body->origin = ch_neg(mass.centre);
  if (!isfinite(body->mass) || !(ch_mat_principal(body->inertia).x > 0.0 || world->dimension == 2))
    return ch_fail(context, CH_ERR_RANGE, "body '%.100s': mass %g and inertia are impossible for a body", body->name,
                   body->mass);
  return CH_OK;
}

// Corners tell where a hull or mesh is whose points are far from the origin that they were given about.
static double reach_of(const ChShape* shape) {
  const ChVec3* points = shape->polytope ? shape->polytope->vertices : shape->mesh ? shape->mesh->vertices : NULL;
  int count = shape->polytope ? shape->polytope->vertex_count : shape->mesh ? shape->mesh->vertex_count : 0;
  double whole = ch_norm(shape->local.at) + shape->bound, reach = count > 0 ? 0.0 : whole;
  for (int k = 0; k < count; ++k)
    reach = fmax(reach, ch_norm(ch_add(shape->local.at, ch_rotate(shape->local.orientation, points[k]))));
  return fmin(whole, reach);
}

static double half_width_along(const ChShape* shape, ChVec3 direction) {
  ChReach reach = ch_shape_kind(shape)->reach(shape, direction);
  return 0.5 * (reach.high - reach.low);
}

static double half_width_of(const ChShape* shape, int dimension) {
  if (shape->mesh || shape->field) return 0.0;
  if (shape->net) return shape->radius;
  if (!ch_shape_kind(shape)->reach) return INFINITY;
  double least = INFINITY;
  for (int axis = 0; axis < dimension; ++axis) least = fmin(least, half_width_along(shape, ch_axis(axis)));
  for (int f = 0; shape->polytope && f < shape->polytope->face_count; ++f)
    least = fmin(least, half_width_along(shape, shape->polytope->normals[f]));
  return least;
}

// Where there are meshes, polytopes meet them as triangles. One whose faces cannot be cut into triangles (corners on
// one line) has none, and meets meshes by collide/mesh/mesh_pairs.c.
static void make_surface(ChWorld* world, ChShape* shape) {
  if (world->mesh_count > 0 && world->dimension == 3 && shape->polytope && !shape->surface)
    shape->surface = ch_polytope_surface(world->arena, shape->polytope);
}

static void move_body(ChWorld* world, int b) {
  const ChBody* body = &world->bodies[b];
  ChBodyState* state = &world->states[b];
  state->position = ch_sub(state->position, ch_rotate(state->orientation, body->origin));
  for (int k = 0; k < body->shape_count; ++k) {
    ChFrame* local = &world->shapes[body->first_shape + k].local;
    local->at = ch_add(local->at, body->origin);
    ChShape* shape = &world->shapes[body->first_shape + k];
    make_surface(world, shape);
    shape->reach = reach_of(shape);
    shape->half_width = half_width_of(shape, world->dimension);
  }
}

static ChStatus finish(ChContext* context, ChWorld* world, const void* argument, int* id) {
  int b = *id = *(const int*)argument;
  ChBody* body = &world->bodies[b];
  ChMassProperties* parts = CH_TAKE(world->arena, body->shape_count, ChMassProperties);
  ChStatus status = body->kind == CH_BODY_DYNAMIC ? set_mass(context, world, body, parts) : CH_OK;
  if (status != CH_OK) return status;
  move_body(world, b);
  return ch_periodic_check_body(context, world, b);
}

ChStatus ch_body_finish(ChContext* context, ChWorld* world, int body) {
  return ch_world_add(context, world, &body, NULL, finish);
}

static ChStatus set_masses(ChContext* context, ChWorld* world) {
  ChMassProperties* parts = CH_TAKE(world->arena, world->shape_count, ChMassProperties);
  for (int b = 0; b < world->body_count; ++b) {
    if (world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    ChStatus status = set_mass(context, world, &world->bodies[b], parts);
    if (status != CH_OK) {
      world->refused = b + 1;
      return status;
    }
  }
  return CH_OK;
}

// -------------------------------------------------------------------------------------------------------------- frames

// Height fields of what is fixed that lie side by side, whose axes are those of the world of each other.
static void join_fields(ChWorld* world) {
  for (int i = 0; i < world->shape_count; ++i)
    for (int j = i + 1; j < world->shape_count && world->shapes[i].field; ++j) {
      const ChShape *a = &world->shapes[i], *b = &world->shapes[j];
      bool fixed = world->bodies[a->body].kind == CH_BODY_FIXED && world->bodies[b->body].kind == CH_BODY_FIXED;
      if (!b->field || !(fixed || a->body == b->body)) continue;
      ChFrame x = ch_shape_frame(a, &world->states[a->body]), y = ch_shape_frame(b, &world->states[b->body]);
      ChQuat turn = ch_quat_product(ch_quat_conjugate(x.orientation), y.orientation);
      if (ch_norm(ch_vec(turn.x, turn.y, turn.z)) <= 1e-12)
        ch_height_field_join(a->field, b->field, ch_frame_local(x, y.at));
    }
}

// What was given about a body's origin is from now on about its centre of mass.
static void move_frames(ChWorld* world) {
  for (int b = 0; b < world->body_count; ++b) move_body(world, b);
  for (int j = 0; j < world->joint_count; ++j)
    for (int k = 0; k < 2; ++k) {
      ChJoint* joint = &world->joints[j];
      if (joint->body[k] < 0) continue;
      joint->frame[k].at = ch_add(joint->frame[k].at, world->bodies[joint->body[k]].origin);
    }
  for (int f = 0; f < world->force_count; ++f)
    for (int k = 0; k < 2; ++k) {
      ChForce* force = &world->forces[f];
      if (force->body[k] < 0) continue;
      force->def.at[k] = ch_add(force->def.at[k], world->bodies[force->body[k]].origin);
    }
}

// --------------------------------------------------------------------------------------------------------------- modes

// Deformable bodies start at rest in their rest shape.
static void append_modes(ChWorld* world) {
  for (int b = 0; b < world->body_count; ++b) {
    world->bodies[b].first_mode = world->mode_count;
    world->bodies[b].first_stretch = world->stretch_count;
    if (!world->bodies[b].soft) continue;
    world->mode_count += world->bodies[b].soft->modes;
    world->stretch_count += ch_soft_stretches(world->bodies[b].soft);
  }
  ChBodyState* states = ch_states_take(world->arena, world);
  if (world->body_count > 0) memcpy(states, world->states, (size_t)world->body_count * sizeof *states);
  world->states = states;
}

static ChStatus check_periods(ChContext* context, ChWorld* world) {
  for (int b = 0; b < world->body_count; ++b) {
    ChStatus status = ch_periodic_check_body(context, world, b);
    if (status == CH_OK) continue;
    world->refused = b + 1;
    return status;
  }
  return CH_OK;
}

static ChStatus seal(ChContext* context, ChWorld* world, const void* def, int* id) {
  (void)def;
  *id = 0;
  CH_ASSERT(!world->sealed);
  world->refused = 0;
  sort_shapes(world);
  if (world->pair_count > 0) qsort(world->pairs, (size_t)world->pair_count, sizeof *world->pairs, compare_pairs);
  ch_world_sort_ignored(world);
  ChStatus status = ch_world_check_surfaces(context, world);
  if (status == CH_OK) status = ch_world_list_curves(context, world);
  if (status == CH_OK) status = set_masses(context, world);
  if (status != CH_OK) return status;
  move_frames(world);
  join_fields(world);
  status = check_periods(context, world);
  if (status != CH_OK) return status;
  append_modes(world);
  world->sealed = true;
  return CH_OK;
}

ChStatus ch_world_seal(ChContext* context, ChWorld* world) {
  if (world && world->sealed) return CH_OK;
  return ch_world_add(context, world, world, NULL, seal);
}

int ch_world_refused_body(const ChWorld* world) { return world->refused - 1; }
