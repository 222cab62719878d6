#include "model/ids.h"

#include <stdatomic.h>

#include "cardhouse/joint.h"
#include "model/world_build.h"

// --- slots -----------------------------------------------------------------------------------------------------------

int ch_slot_take(ChWorld* world, ChSlots* slots, int row) {
  int slot = slots->free1 - 1;
  if (slot >= 0) {
    slots->free1 = slots->slots[slot].next1;
  } else {
    slots->slots = ch_world_grow(world, slots->slots, slots->count, &slots->room, sizeof *slots->slots);
    slot = slots->count++;
    slots->slots[slot] = (ChSlot){0};
  }
  slots->slots[slot].row = row;
  return slot;
}

// A slot whose generations are used up is never taken again: no stale id ever passes for a new one.
void ch_slot_free(ChSlots* slots, int slot) {
  ChSlot* s = &slots->slots[slot];
  s->row = -1;
  if (s->generation == UINT16_MAX) return;
  ++s->generation;
  s->next1 = slots->free1;
  slots->free1 = slot + 1;
}

uint16_t ch_world_next_tag(void) {
  static _Atomic unsigned count;
  return (uint16_t)(atomic_fetch_add(&count, 1u) % UINT16_MAX + 1u);
}

// --- row -> id -------------------------------------------------------------------------------------------------------

ChBodyId ch_body_id_of(const ChWorld* world, int row) {
  if (row < 0) return CH_GROUND;
  int slot = world->bodies[row].slot;
  return (ChBodyId){(uint32_t)slot + 1, world->body_slots.slots[slot].generation, world->tag};
}

ChShapeId ch_shape_id_of(const ChWorld* world, int row) {
  int slot = world->shapes[row].slot;
  return (ChShapeId){(uint32_t)slot + 1, world->shape_slots.slots[slot].generation, world->tag};
}

ChJointId ch_joint_id_of(const ChWorld* world, int row) {
  int slot = world->joints[row].slot;
  return (ChJointId){(uint32_t)slot + 1, world->joint_slots.slots[slot].generation, world->tag};
}

ChForceId ch_force_id_of(const ChWorld* world, int row) {
  int slot = world->forces[row].slot;
  return (ChForceId){(uint32_t)slot + 1, world->force_slots.slots[slot].generation, world->tag};
}

// Materials are never removed.
ChMaterialId ch_material_id_of(const ChWorld* world, int row) {
  return (ChMaterialId){(uint32_t)row + 1, 0, world->tag};
}

// --- id -> row -------------------------------------------------------------------------------------------------------

// An id of any kind.
typedef struct AnyId {
  const char* noun;
  uint32_t index1;
  uint16_t generation, world;
} AnyId;

#define ANY(noun, id) ((AnyId){noun, (id).index1, (id).generation, (id).world})

static int row_of(const ChWorld* world, const ChSlots* slots, AnyId id) {
  if (id.index1 == 0 || id.index1 > (uint32_t)slots->count || (id.world != 0 && id.world != world->tag)) return -1;
  const ChSlot* slot = &slots->slots[id.index1 - 1];
  return slot->generation == id.generation ? slot->row : -1;
}

static ChStatus refuse(ChContext* context, const ChWorld* world, const ChSlots* slots, AnyId id, const char* what) {
  if (id.index1 == 0) return ch_fail(context, CH_ERR_RANGE, "%s: no %s is given", what, id.noun);
  if (id.world != 0 && id.world != world->tag)
    return ch_fail(context, CH_ERR_RANGE, "%s: %s %u is another world's", what, id.noun, id.index1 - 1);
  if (id.index1 > (uint32_t)slots->count)
    return ch_fail(context, CH_ERR_RANGE, "%s: there is no %s %u, only %d were added", what, id.noun, id.index1 - 1,
                   slots->count);
  return ch_fail(context, CH_ERR_RANGE, "%s: %s %u was removed", what, id.noun, id.index1 - 1);
}

static ChStatus find(ChContext* context, const ChWorld* world, const ChSlots* slots, AnyId id, const char* what,
                     int* row) {
  *row = row_of(world, slots, id);
  return *row >= 0 ? CH_OK : refuse(context, world, slots, id, what);
}

ChStatus ch_body_find(ChContext* context, const ChWorld* world, ChBodyId id, const char* what, int* row) {
  *row = -1;
  if (ch_body_id_equal(id, CH_GROUND)) return ch_fail(context, CH_ERR_RANGE, "%s: is the ground, must be a body", what);
  return find(context, world, &world->body_slots, ANY("body", id), what, row);
}

ChStatus ch_body_or_ground_find(ChContext* context, const ChWorld* world, ChBodyId id, const char* what, int* row) {
  *row = -1;
  return ch_body_id_equal(id, CH_GROUND) ? CH_OK : ch_body_find(context, world, id, what, row);
}

ChStatus ch_shape_find(ChContext* context, const ChWorld* world, ChShapeId id, const char* what, int* row) {
  return find(context, world, &world->shape_slots, ANY("shape", id), what, row);
}

ChStatus ch_joint_find(ChContext* context, const ChWorld* world, ChJointId id, const char* what, int* row) {
  return find(context, world, &world->joint_slots, ANY("joint", id), what, row);
}

ChStatus ch_force_find(ChContext* context, const ChWorld* world, ChForceId id, const char* what, int* row) {
  return find(context, world, &world->force_slots, ANY("force", id), what, row);
}

ChStatus ch_material_find(ChContext* context, const ChWorld* world, ChMaterialId id, const char* what, int* row) {
  *row = ch_material_row(id);
  if (id.world != 0 && id.world != world->tag)
    return ch_fail(context, CH_ERR_RANGE, "%s: material %d is another world's", what, *row);
  if (id.index1 > (uint32_t)world->material_count || world->material_count == 0 || id.generation != 0)
    return ch_fail(context, CH_ERR_RANGE, "%s: material is %d, but the world has %d; add it first", what, *row,
                   world->material_count);
  return CH_OK;
}

// --- what a caller may ask -------------------------------------------------------------------------------------------

ChBodyId ch_world_body_at(const ChWorld* world, int row) {
  return row >= 0 && row < world->body_count ? ch_body_id_of(world, row) : (ChBodyId){0};
}

int ch_world_body_row(const ChWorld* world, ChBodyId body) {
  return row_of(world, &world->body_slots, ANY("body", body));
}

ChJointId ch_world_joint_at(const ChWorld* world, int row) {
  return row >= 0 && row < world->joint_count ? ch_joint_id_of(world, row) : (ChJointId){0};
}

int ch_world_joint_row(const ChWorld* world, ChJointId joint) {
  return row_of(world, &world->joint_slots, ANY("joint", joint));
}

ChForceId ch_world_force_at(const ChWorld* world, int row) {
  return row >= 0 && row < world->force_count ? ch_force_id_of(world, row) : (ChForceId){0};
}
