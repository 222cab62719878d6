// Bodies and joints that come and go between steps: the simulation's own arrays follow the world's rows, and warm
// starts of what stays survive.
#include <string.h>

#include "model/ids.h"
#include "model/population.h"
#include "step/in_step.h"

// The next step looks for contacts afresh and takes nothing for certified.
static void world_changed(ChSimulation* s) {
  ch_collider_destroy(s->collider);
  s->collider = NULL;  // made when it is needed, so that many changes cost one
  s->contact_count = 0;
  s->autonomous = ch_world_is_autonomous(s->world);
  ch_simulation_weigh(s);
  s->still = s->rest.filled = false;
  s->info.kinetic = ch_kinetic_energy(s->world, s->states);
  s->info.potential = ch_forces_potential(s->world, s->states, s->time) + s->info.stored;
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
}

// --- one more --------------------------------------------------------------------------------------------------------

typedef struct Sizes {
  int bodies, joints;
} Sizes;

static Sizes sizes_of(const ChWorld* world) { return (Sizes){world->body_count, world->joint_count}; }

// States of the bodies that there were; the new one's is its start.
static void copy_states(const ChWorld* world, int bodies, const ChBodyState* from, ChBodyState* to) {
  memcpy(to, world->states, ch_world_state_bytes(world));
  if (bodies > 0) memcpy(to, from, (size_t)bodies * sizeof *to);
  memcpy(to + world->body_count, from + bodies, ch_world_bend_numbers(world) * sizeof(double));
}

// New arrays for the world as it is now, with what the old ones held; on failure the old ones stay.
static ChStatus grow_arrays(ChContext* context, ChSimulation* s, Sizes old) {
  ChArena *arena = ch_arena_create(NULL), *before = s->arena;
  ChSimulation grown = *s;
  jmp_buf landing;
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation of %d bodies", s->world->body_count);
  }
  ch_arena_set_landing(arena, &landing);
  grown.arena = arena;
  ch_simulation_take_arrays(&grown);
  ch_arena_set_landing(arena, NULL);
  copy_states(s->world, old.bodies, s->states, grown.states);
  copy_states(s->world, old.bodies, s->before, grown.before);
  if (old.joints > 0)
    memcpy(grown.memory.joints, s->memory.joints, (size_t)old.joints * CH_JOINT_ROWS_MAX * sizeof *s->memory.joints);
  if (old.bodies > 0) memcpy(grown.memory.unsure, s->memory.unsure, (size_t)old.bodies);
  *s = grown;
  ch_arena_destroy(before);
  return CH_OK;
}

ChStatus ch_simulation_add_body(ChContext* context, ChSimulation* s, const ChBodyDef* def, int shape_count,
                                const ChShapeDef* shapes, ChBodyId* id) {
  ChBodyId own;
  Sizes old = sizes_of(s->world);
  if (shape_count < 0) return ch_fail(context, CH_ERR_RANGE, "a body with %d shapes: must be 0 or more", shape_count);
  ChStatus status = ch_world_extend_body(context, s->world, def, shape_count, shapes, id ? id : &own);
  if (status != CH_OK) return status;
  if (s->world->wrenches) status = ch_wrenches_reserve(context, s->world);
  if (status == CH_OK) status = grow_arrays(context, s, old);
  if (status != CH_OK) {
    ch_world_remove_body(s->world, old.bodies);
    return status;
  }
  world_changed(s);
  return CH_OK;
}

ChStatus ch_simulation_add_joint(ChContext* context, ChSimulation* s, const ChJointDef* def, ChJointId* id) {
  ChJointId own;
  Sizes old = sizes_of(s->world);
  ChStatus status = ch_world_extend_joint(context, s->world, s->states, def, id ? id : &own);
  if (status != CH_OK) return status;
  status = grow_arrays(context, s, old);
  if (status != CH_OK) {
    ch_world_remove_joint(s->world, old.joints);
    return status;
  }
  world_changed(s);
  return CH_OK;
}

ChStatus ch_simulation_add_force(ChContext* context, ChSimulation* s, const ChForceDef* def, ChForceId* id) {
  if (!def) return ch_fail(context, CH_ERR_ARGUMENT, "a definition is needed, NULL was given");
  ChStatus status = ch_world_extend_force(context, s->world, s->states, def, id);
  if (status == CH_OK) world_changed(s);
  return status;
}

// --- one less --------------------------------------------------------------------------------------------------------

static void forget_joint(ChSimulation* s, int joint) {
  double* at = s->memory.joints + (long)joint * CH_JOINT_ROWS_MAX;
  size_t after = (size_t)(s->world->joint_count - joint - 1) * CH_JOINT_ROWS_MAX;
  memmove(at, at + CH_JOINT_ROWS_MAX, after * sizeof *at);
}

// Contacts of shapes first .. first + gone - 1 are forgotten; the others keep their order.
static void forget_shapes(ChMemory* memory, int first, int gone) {
  int kept = 0;
  for (int k = 0; k < memory->contact_count; ++k) {
    ChContactMemory m = memory->contacts[k];
    bool stays = true;
    for (int side = 0; side < 2; ++side) {
      stays = stays && (m.shape[side] < first || m.shape[side] >= first + gone);
      m.shape[side] -= m.shape[side] >= first + gone ? gone : 0;
    }
    if (stays) memory->contacts[kept++] = m;
  }
  memory->contact_count = kept;
}

ChStatus ch_simulation_remove_body(ChContext* context, ChSimulation* s, ChBodyId id) {
  int b;
  ChStatus status = ch_body_find(context, s->world, id, "remove", &b);
  if (status != CH_OK) return status;
  const ChWorld* world = s->world;
  for (int j = world->joint_count - 1; j >= 0; --j)
    if (world->joints[j].body[0] == b || world->joints[j].body[1] == b) {
      forget_joint(s, j);
      ch_world_remove_joint(s->world, j);
    }
  forget_shapes(&s->memory, world->bodies[b].first_shape, world->bodies[b].shape_count);
  memmove(s->memory.unsure + b, s->memory.unsure + b + 1, (size_t)(world->body_count - b - 1));
  ch_states_remove(world, s->states, b);
  ch_states_remove(world, s->before, b);
  s->led_count -= world->bodies[b].led;
  ch_world_remove_body(s->world, b);
  world_changed(s);
  return CH_OK;
}

ChStatus ch_simulation_remove_joint(ChContext* context, ChSimulation* s, ChJointId id) {
  int j;
  ChStatus status = ch_joint_find(context, s->world, id, "remove", &j);
  if (status != CH_OK) return status;
  forget_joint(s, j);
  ch_world_remove_joint(s->world, j);
  world_changed(s);
  return CH_OK;
}

ChStatus ch_simulation_remove_force(ChContext* context, ChSimulation* s, ChForceId id) {
  int f;
  ChStatus status = ch_force_find(context, s->world, id, "remove", &f);
  if (status != CH_OK) return status;
  ch_world_remove_force(s->world, f);
  world_changed(s);
  return CH_OK;
}
