// Bodies: definition, names, and the motion of those that move as told.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "model/look.h"
#include "model/world_build.h"

// --------------------------------------------------------------------------------------------------------------- names

static uint32_t hash(const char* text) {
  uint32_t h = 2166136261u;  // FNV-1a
  for (; *text; ++text) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

// The place of a name in the table: where it is, or the free one where it would be. Entries are body + 1.
static int* name_place(const ChWorld* world, const char* name) {
  uint32_t mask = (uint32_t)world->name_room - 1;
  for (uint32_t k = hash(name) & mask;; k = (k + 1) & mask) {
    int entry = world->names[k];
    if (entry == 0 || strcmp(world->bodies[entry - 1].name, name) == 0) return &world->names[k];
  }
}

static int find_name(const ChWorld* world, const char* name) {
  return world->name_room > 0 && name ? *name_place(world, name) - 1 : -1;
}

ChBodyId ch_world_find_body(const ChWorld* world, const char* name) {
  return ch_world_body_at(world, find_name(world, name));
}

// Keeps the table at most half full, so that a search ends soon.
static void grow_names(ChWorld* world) {
  if (2 * (world->body_count + 1) <= world->name_room) return;
  int room = world->name_room > 0 ? 2 * world->name_room : 64;
  int* table = CH_TAKE(world->arena, room, int);
  world->names = table;
  world->name_room = room;
  ch_world_list_names(world);
}

void ch_world_list_names(ChWorld* world) {
  memset(world->names, 0, (size_t)world->name_room * sizeof *world->names);
  for (int k = 0; k < world->body_count; ++k) {
    int* place = name_place(world, world->bodies[k].name);
    if (*place == 0) *place = k + 1;
  }
}

// ---------------------------------------------------------------------------------------------------------- definition

static ChStatus check_place(ChContext* context, const ChWorld* world, const ChBodyDef* def, const char* what) {
  ChStatus status = ch_check_vector(context, world, what, "position", def->position);
  if (status == CH_OK) status = ch_check_vector(context, world, what, "velocity", def->velocity);
  if (status != CH_OK) return status;
  const ChQuat q = def->orientation;
  double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(isfinite(norm) && norm > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: orientation is (%g, %g, %g, %g), must be a unit quaternion (w, x, y, z)",
                   what, q.w, q.x, q.y, q.z);
  if (!isfinite(def->angle)) return ch_fail(context, CH_ERR_RANGE, "%s: angle is %g, must be finite", what, def->angle);
  if (world->dimension == 3 && def->angle != 0.0)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: angle is %g; in space a body is turned by `orientation`", what,
                   def->angle);
  if (world->dimension == 2 && (q.x != 0.0 || q.y != 0.0 || q.z != 0.0))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: orientation is given; in the plane a body is turned by `angle`",
                   what);
  if (!ch_vec_finite(def->omega) || (world->dimension == 2 && (def->omega.x != 0.0 || def->omega.y != 0.0)))
    return ch_fail(context, CH_ERR_RANGE, "%s: omega is (%g, %g, %g), must be finite%s", what, def->omega.x,
                   def->omega.y, def->omega.z, world->dimension == 2 ? " and along z in a plane world" : "");
  bool moves = !ch_vec_is_zero(def->velocity) || !ch_vec_is_zero(def->omega);
  if (moves && def->kind != CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: velocity or omega is given, but the body %s", what,
                   def->kind == CH_BODY_FIXED ? "is fixed" : "moves as its `motion` and `turn` say");
  return CH_OK;
}

static bool moves(const ChSignal* s) { return s->table_count > 0 || s->base != 0 || s->rate != 0 || s->amplitude != 0; }

static ChStatus check_motion(ChContext* context, const ChWorld* world, ChBodyDef* def, const char* what) {
  const ChSignal* all[4] = {&def->motion[0], &def->motion[1], &def->motion[2], &def->turn};
  bool any = false;
  for (int k = 0; k < 4; ++k) {
    char which[CH_WHAT_SIZE + 20];
    if (k < 3)
      snprintf(which, sizeof which, "%s: motion[%d]", what, k);
    else
      snprintf(which, sizeof which, "%s: turn", what);
    ChStatus status = ch_signal_check(context, all[k], which);
    if (status != CH_OK) return status;
    any = any || moves(all[k]);
  }
  if (any && def->kind != CH_BODY_KINEMATIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: motion or turn is given, but the body is not kinematic", what);
  if (world->dimension == 2 && moves(&def->motion[2]))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: motion[2] is given; a plane world has x and y only", what);
  if (world->dimension == 2 || !moves(&def->turn)) def->axis = ch_axis(2);
  return world->dimension == 3 ? ch_check_axis(context, world, what, "axis", &def->axis) : CH_OK;
}

static ChMat3 tensor(const double j[6]) {
  return (ChMat3){{{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}}};
}

// A rigid body's principal moments are positive, and none exceeds the sum of the other two.
static ChStatus check_inertia(ChContext* context, const ChWorld* world, const ChBodyDef* def, const char* what) {
  if (world->dimension == 2) {
    const double* j = def->inertia;
    if (j[0] != 0.0 || j[1] != 0.0 || j[3] != 0.0 || j[4] != 0.0 || j[5] != 0.0)
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: inertia has entries besides zz, but a plane body has only zz",
                     what);
    return ch_check_number(context, what, "inertia zz", j[2], 0.0);
  }
  ChVec3 principal = ch_mat_principal(tensor(def->inertia));
  if (!(principal.x > 0.0 && principal.x >= 1e-14 * principal.z))
    return ch_fail(context, CH_ERR_RANGE, "%s: inertia has principal moments %g, %g, %g; all must be > 0", what,
                   principal.x, principal.y, principal.z);
  if (!(principal.x + principal.y >= principal.z * (1.0 - 1e-9)))
    return ch_fail(context, CH_ERR_RANGE,
                   "%s: inertia has principal moments %g, %g, %g; none may be larger than the sum of the other two",
                   what, principal.x, principal.y, principal.z);
  return CH_OK;
}

static bool inertia_given(const ChBodyDef* def) {
  for (int k = 0; k < 6; ++k)
    if (def->inertia[k] != 0.0) return true;
  return false;
}

static ChStatus check_mass(ChContext* context, const ChWorld* world, const ChBodyDef* def, const char* what) {
  if (!ch_all_finite(def->inertia, 6)) return ch_fail(context, CH_ERR_RANGE, "%s: inertia is not finite", what);
  ChStatus status = ch_check_number(context, what, "mass", def->mass, 0.0);
  if (status == CH_OK) status = ch_check_vector(context, world, what, "centre", def->centre);
  if (status != CH_OK) return status;
  if (def->mass == 0.0 && (inertia_given(def) || !ch_vec_is_zero(def->centre)))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: centre or inertia is given without a mass", what);
  return inertia_given(def) ? check_inertia(context, world, def, what) : CH_OK;
}

static ChStatus check_body(ChContext* context, const ChWorld* world, ChBodyDef* def, const char* what) {
  if (def->kind != CH_BODY_DYNAMIC && def->kind != CH_BODY_FIXED && def->kind != CH_BODY_KINEMATIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: kind is %d, which does not exist", what, (int)def->kind);
  unsigned known = world->dimension == 3 ? 63u : CH_LOCK_X | CH_LOCK_Y | CH_LOCK_RZ;
  if (def->locks & ~known)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: locks is %u, of which %u means nothing in this world", what,
                   def->locks, def->locks & ~known);
  ChStatus status = check_place(context, world, def, what);
  if (status == CH_OK) status = check_motion(context, world, def, what);
  if (status == CH_OK) status = check_mass(context, world, def, what);
  if (status == CH_OK) status = ch_look_check(context, what, &def->look);
  if (status == CH_OK && def->name && find_name(world, def->name) >= 0)
    status = ch_fail(context, CH_ERR_ARGUMENT, "%s: another body has this name", what);
  return status;
}

static void set_body(ChWorld* world, const ChBodyDef* def, ChBody* body, ChBodyState* state) {
  bool plane = world->dimension == 2;
  ChQuat turned = plane ? ch_quat_about(ch_axis(2), def->angle) : ch_quat_unit(def->orientation);
  body->kind = def->kind;
  body->locks = def->locks;
  body->look = def->look;
  body->start = (ChFrame){def->position, turned};
  body->start_angle = plane ? def->angle : 0.0;
  body->turn_axis = def->axis;
  body->turn = ch_signal_copy(world, &def->turn);
  for (int k = 0; k < 3; ++k) body->motion[k] = ch_signal_copy(world, &def->motion[k]);
  if (def->kind == CH_BODY_DYNAMIC) {
    body->mass = def->mass;
    body->inertia = tensor(def->inertia);
    body->origin = ch_neg(def->centre);
    body->spread = !inertia_given(def);
  }
  *state = (ChBodyState){.position = def->position, .orientation = turned, .angle = body->start_angle};
  state->velocity = def->velocity;
  state->omega = ch_rotate_back(turned, def->omega);
  if (def->kind == CH_BODY_KINEMATIC) ch_body_move(body, 0.0, state);
}

static ChStatus add_body(ChContext* context, ChWorld* world, const void* argument, int* id) {
  ChBodyDef def = *(const ChBodyDef*)argument;
  char name[32], what[CH_WHAT_SIZE];
  const ChSlots* slots = &world->body_slots;  // no two bodies have one slot, so that names differ, too
  snprintf(name, sizeof name, "body %d", slots->free1 > 0 ? slots->free1 - 1 : slots->count);
  snprintf(what, sizeof what, "body '%.100s'", def.name ? def.name : name);
  ChStatus status = check_body(context, world, &def, what);
  if (status != CH_OK) return status;

  int room = world->body_room;
  world->states = ch_world_grow(world, world->states, world->body_count, &room, sizeof *world->states);
  CH_GROW(world, bodies, body_count, body_room);
  grow_names(world);
  ChBody* body = &world->bodies[world->body_count];
  *body = (ChBody){.name = ch_world_copy_text(world, def.name ? def.name : name)};
  set_body(world, &def, body, &world->states[world->body_count]);
  body->slot = ch_slot_take(world, &world->body_slots, world->body_count);
  *id = world->body_count++;
  int* place = name_place(world, body->name);
  if (*place == 0) *place = *id + 1;
  return CH_OK;
}

ChBodyDef ch_body_def_default(void) {
  return (ChBodyDef){.orientation = {1.0, 0.0, 0.0, 0.0}, .axis = {0.0, 0.0, 1.0}};
}

ChStatus ch_world_add_body(ChContext* context, ChWorld* world, const ChBodyDef* def, ChBodyId* id) {
  int row;
  ChStatus status = ch_world_add(context, world, def, &row, add_body);
  if (status == CH_OK && id) *id = ch_body_id_of(world, row);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- motion

void ch_body_move(const ChBody* body, double t, ChBodyState* state) {
  double turn = ch_signal_value(&body->turn, t), rate = ch_signal_rate(&body->turn, t);
  const ChSignal* m = body->motion;
  ChVec3 moved = ch_vec(ch_signal_value(&m[0], t), ch_signal_value(&m[1], t), ch_signal_value(&m[2], t));
  state->position = ch_add(body->start.at, moved);
  state->orientation = ch_quat_product(ch_quat_about(body->turn_axis, turn), body->start.orientation);
  state->angle = body->start_angle + turn;
  state->velocity = ch_vec(ch_signal_rate(&m[0], t), ch_signal_rate(&m[1], t), ch_signal_rate(&m[2], t));
  state->omega = ch_rotate_back(state->orientation, ch_scale(rate, body->turn_axis));
}
