#include "model/population.h"

#include <string.h>

#include "cardhouse/body.h"
#include "model/soft/soft_arms.h"
#include "model/world_build.h"

static void remove_rows(void* array, int count, int first, int gone, size_t size) {
  char* at = (char*)array + (size_t)first * size;
  memmove(at, at + (size_t)gone * size, (size_t)(count - first - gone) * size);
}

#define REMOVE_ROWS(array, count, first, gone) remove_rows((array), (count), (first), (gone), sizeof *(array))

// --- states ----------------------------------------------------------------------------------------------------------

void ch_states_remove(const ChWorld* world, ChBodyState* states, int body) {
  const ChBody* it = &world->bodies[body];
  const int bodies = world->body_count, modes = it->soft ? it->soft->modes : 0,
            stretches = it->soft ? ch_soft_stretches(it->soft) : 0;
  const struct {
    int count, first, gone;
  } parts[] = {{world->mode_count, it->first_mode, modes},  // amplitudes, rates, stretches
               {world->mode_count, it->first_mode, modes},
               {world->stretch_count, it->first_stretch, stretches}};
  double *from = (double*)(states + bodies), *to = (double*)(states + bodies - 1);
  REMOVE_ROWS(states, bodies, body, 1);
  for (int k = 0; k < 3; ++k) {
    const int count = parts[k].count, first = parts[k].first, gone = parts[k].gone;
    memmove(to, from, (size_t)first * sizeof *to);
    memmove(to + first, from + first + gone, (size_t)(count - first - gone) * sizeof *to);
    from += count, to += count - gone;
  }
}

// A copy in an arena of its own, with room for `more` bodies at the end of those that there are.
static ChStatus open_states(ChContext* context, const ChWorld* world, int room, ChArena** arena, ChBodyState** out) {
  *arena = ch_arena_create(NULL);
  *out = *arena ? CH_TAKE(*arena, room, ChBodyState) : NULL;
  if (!*out) {
    ch_arena_destroy(*arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the states of %d bodies", room);
  }
  memcpy(*out, world->states, (size_t)world->body_count * sizeof **out);
  return CH_OK;
}

// --- one more --------------------------------------------------------------------------------------------------------

static ChStatus add_with_shapes(ChContext* context, ChWorld* world, const ChBodyDef* def, int shape_count,
                                const ChShapeDef* shapes, ChBodyId* id) {
  int body = world->body_count, first = world->shape_count;
  ChStatus status = ch_world_add_body(context, world, def, id);
  for (int k = 0; k < shape_count && status == CH_OK; ++k)
    status = ch_world_add_shape(context, world, *id, &shapes[k], NULL);
  if (status != CH_OK) return status;
  world->bodies[body].first_shape = first;
  world->bodies[body].shape_count = shape_count;
  world->bodies[body].first_mode = world->mode_count;
  world->bodies[body].first_stretch = world->stretch_count;
  return ch_body_finish(context, world, body);
}

// What was added from these counts on is gone again.
static void take_back(ChWorld* world, int bodies, int shapes) {
  for (int k = shapes; k < world->shape_count; ++k) ch_slot_free(&world->shape_slots, world->shapes[k].slot);
  for (int b = bodies; b < world->body_count; ++b) ch_slot_free(&world->body_slots, world->bodies[b].slot);
  world->shape_count = shapes;
  world->body_count = bodies;
  ch_world_list_names(world);
}

ChStatus ch_world_extend_body(ChContext* context, ChWorld* world, const ChBodyDef* def, int shape_count,
                              const ChShapeDef* shapes, ChBodyId* id) {
  CH_ASSERT(world->sealed);
  int bodies = world->body_count, counts = world->shape_count,
      room = world->body_room > bodies ? world->body_room : bodies;
  ChBodyState *before = world->states, *open;
  ChArena *arena, *sealed;
  ChStatus status = open_states(context, world, room, &arena, &open);
  if (status != CH_OK) return status;
  world->body_room = room;
  world->states = open;
  world->sealed = false;
  status = add_with_shapes(context, world, def, shape_count, shapes, id);
  world->sealed = true;
  open = world->states;  // it may have grown, then in the world's arena
  world->states = before;
  sealed = status == CH_OK ? ch_arena_create(NULL) : NULL;
  ChBodyState* now = sealed ? ch_states_take(sealed, world) : NULL;
  if (status == CH_OK && !now) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for %d bodies", bodies + 1);
  if (status != CH_OK) {
    take_back(world, bodies, counts);
    ch_arena_destroy(arena);
    ch_arena_destroy(sealed);
    return status;
  }
  memcpy(now, open, (size_t)world->body_count * sizeof *now);
  memcpy(now + world->body_count, before + bodies, ch_world_bend_numbers(world) * sizeof(double));
  world->states = now;
  ch_arena_destroy(arena);
  ch_arena_destroy(world->state_arena);
  world->state_arena = sealed;
  ++world->revision;
  return CH_OK;
}

ChStatus ch_world_extend_joint(ChContext* context, ChWorld* world, ChBodyState* states, const ChJointDef* def,
                               ChJointId* id) {
  CH_ASSERT(world->sealed);
  ChBodyState* start = world->states;
  world->states = states;
  world->sealed = false;
  ChStatus status = ch_world_add_joint(context, world, def, id);
  world->sealed = true;
  world->states = start;
  if (status != CH_OK) return status;
  ch_world_sort_ignored(world);
  ++world->revision;
  return CH_OK;
}

// Points are given about the bodies' origins, and kept about their centres of mass.
ChStatus ch_world_extend_force(ChContext* context, ChWorld* world, ChBodyState* states, const ChForceDef* def,
                               ChForceId* id) {
  CH_ASSERT(world->sealed);
  ChForceDef moved = *def;
  for (int k = 0; k < 2; ++k) {
    int body = ch_world_body_row(world, def->body[k]);
    if (body >= 0) moved.at[k] = ch_add(def->at[k], world->bodies[body].origin);
  }
  ChBodyState* start = world->states;
  world->states = states;
  world->sealed = false;
  ChStatus status = ch_world_add_force(context, world, &moved, id);
  world->sealed = true;
  world->states = start;
  return status;
}

ChStatus ch_wrenches_reserve(ChContext* context, ChWorld* world) {
  if (world->wrench_room >= world->body_count) return CH_OK;
  jmp_buf landing;
  if (setjmp(landing)) {
    ch_arena_set_landing(world->arena, NULL);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for wrenches on %d bodies", world->body_count);
  }
  ch_arena_set_landing(world->arena, &landing);
  ChWrench* larger = CH_TAKE(world->arena, world->body_room, ChWrench);
  ch_arena_set_landing(world->arena, NULL);
  if (world->wrenches) memcpy(larger, world->wrenches, (size_t)world->wrench_room * sizeof *larger);
  world->wrenches = larger;
  world->wrench_room = world->body_room;
  return CH_OK;
}

// --- one less --------------------------------------------------------------------------------------------------------

static bool is_pair(const int pair[2], const int body[2]) {
  return (pair[0] == body[0] && pair[1] == body[1]) || (pair[0] == body[1] && pair[1] == body[0]);
}

// Bodies that only the joint kept from touching may touch again.
static void let_touch(ChWorld* world, const int body[2]) {
  for (int j = 0; j < world->joint_count; ++j)
    if (!world->joints[j].collide && is_pair(world->joints[j].body, body)) return;
  for (int k = 0; k < world->parted_count; ++k)
    if (is_pair(world->parted[k], body)) return;
  for (int k = 0; k < world->ignored_count; ++k)
    if (is_pair(world->ignored[k], body)) {
      REMOVE_ROWS(world->ignored, world->ignored_count, k, 1);
      --world->ignored_count;
      return;
    }
}

void ch_world_remove_joint(ChWorld* world, int joint) {
  int body[2] = {world->joints[joint].body[0], world->joints[joint].body[1]};
  bool collide = world->joints[joint].collide;
  ch_slot_free(&world->joint_slots, world->joints[joint].slot);
  REMOVE_ROWS(world->joints, world->joint_count, joint, 1);
  --world->joint_count;
  for (int j = joint; j < world->joint_count; ++j) ch_slot_set(&world->joint_slots, world->joints[j].slot, j);
  if (!collide && body[0] >= 0 && body[1] >= 0) let_touch(world, body);
  ++world->revision;
}

void ch_world_remove_force(ChWorld* world, int force) {
  ch_slot_free(&world->force_slots, world->forces[force].slot);
  REMOVE_ROWS(world->forces, world->force_count, force, 1);
  --world->force_count;
  for (int f = force; f < world->force_count; ++f) ch_slot_set(&world->force_slots, world->forces[f].slot, f);
}

static void remove_shapes(ChWorld* world, int body) {
  int first = world->bodies[body].first_shape, gone = world->bodies[body].shape_count;
  for (int k = first; k < first + gone; ++k) ch_slot_free(&world->shape_slots, world->shapes[k].slot);
  REMOVE_ROWS(world->shapes, world->shape_count, first, gone);
  world->shape_count -= gone;
  for (int k = first; k < world->shape_count; ++k) ch_slot_set(&world->shape_slots, world->shapes[k].slot, k);
  for (int k = 0; k < world->shape_count; ++k)
    if (world->shapes[k].body > body) --world->shapes[k].body;
  for (int b = body + 1; b < world->body_count; ++b) world->bodies[b].first_shape -= gone;
}

// Pairs without the body; the order of the others stays.
static void remove_from_pairs(int (*pairs)[2], int* count, int body) {
  int kept = 0;
  for (int k = 0; k < *count; ++k) {
    if (pairs[k][0] == body || pairs[k][1] == body) continue;
    for (int side = 0; side < 2; ++side) pairs[kept][side] = pairs[k][side] - (pairs[k][side] > body);
    ++kept;
  }
  *count = kept;
}

static void move_up(int body[2], int gone) {
  for (int side = 0; side < 2; ++side) body[side] -= body[side] > gone;
}

void ch_world_remove_body(ChWorld* world, int body) {
  CH_ASSERT(world->sealed && body >= 0 && body < world->body_count);
  for (int j = world->joint_count - 1; j >= 0; --j)
    if (world->joints[j].body[0] == body || world->joints[j].body[1] == body) ch_world_remove_joint(world, j);
  for (int f = world->force_count - 1; f >= 0; --f)
    if (world->forces[f].body[0] == body || world->forces[f].body[1] == body) ch_world_remove_force(world, f);
  remove_shapes(world, body);
  remove_from_pairs(world->ignored, &world->ignored_count, body);
  remove_from_pairs(world->parted, &world->parted_count, body);
  for (int j = 0; j < world->joint_count; ++j) move_up(world->joints[j].body, body);
  for (int f = 0; f < world->force_count; ++f) move_up(world->forces[f].body, body);
  ch_states_remove(world, world->states, body);
  if (world->wrenches) {
    REMOVE_ROWS(world->wrenches, world->body_count, body, 1);
    world->wrenches[world->body_count - 1] = (ChWrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  }
  const ChSoft* soft = world->bodies[body].soft;
  int modes = soft ? soft->modes : 0, stretches = soft ? ch_soft_stretches(soft) : 0;
  ch_slot_free(&world->body_slots, world->bodies[body].slot);
  REMOVE_ROWS(world->bodies, world->body_count, body, 1);
  --world->body_count;
  world->mode_count -= modes;
  world->stretch_count -= stretches;
  for (int b = body; b < world->body_count; ++b) {
    ch_slot_set(&world->body_slots, world->bodies[b].slot, b);
    world->bodies[b].first_mode -= modes;
    world->bodies[b].first_stretch -= stretches;
  }
  ch_world_list_names(world);
  ++world->revision;
}

long ch_world_revision(const ChWorld* world) { return world->revision; }

const char* ch_world_note(const ChWorld* world, int index) {
  return index >= 0 && index < world->note_count ? world->notes[index] : NULL;
}
