// Ids and the rows they stand for. The engine works on rows: places in dense arrays, which shift when something before
// them is removed. A slot is what stays: id -> slot -> row.
#ifndef CH_MODEL_IDS_H
#define CH_MODEL_IDS_H

#include "model/world.h"

// A new slot for the row; a free one first. Grows in the world's arena.
int ch_slot_take(ChWorld* world, ChSlots* slots, int row);
// Its ids are stale from now on.
void ch_slot_free(ChSlots* slots, int slot);

// Rows of the slots of an array whose rows have shifted: set anew by ch_slot_set.
static inline void ch_slot_set(ChSlots* slots, int slot, int row) { slots->slots[slot].row = row; }

ChBodyId ch_body_id_of(const ChWorld* world, int row);  // -1: CH_GROUND
ChShapeId ch_shape_id_of(const ChWorld* world, int row);
ChMaterialId ch_material_id_of(const ChWorld* world, int row);
ChJointId ch_joint_id_of(const ChWorld* world, int row);
ChForceId ch_force_id_of(const ChWorld* world, int row);

// The row, or a sentence that says what is wrong with the id. `what`: whose id it is, e.g. "joint 'elbow': body[1]".
ChStatus ch_body_find(ChContext* context, const ChWorld* world, ChBodyId id, const char* what, int* row);
ChStatus ch_body_or_ground_find(ChContext* context, const ChWorld* world, ChBodyId id, const char* what, int* row);
ChStatus ch_shape_find(ChContext* context, const ChWorld* world, ChShapeId id, const char* what, int* row);
ChStatus ch_joint_find(ChContext* context, const ChWorld* world, ChJointId id, const char* what, int* row);
ChStatus ch_force_find(ChContext* context, const ChWorld* world, ChForceId id, const char* what, int* row);
// None is the first material.
ChStatus ch_material_find(ChContext* context, const ChWorld* world, ChMaterialId id, const char* what, int* row);

// The row of a material whose id was checked.
static inline int ch_material_row(ChMaterialId id) { return id.index1 == 0 ? 0 : (int)id.index1 - 1; }

// A tag for a new world, from 1 on; they come again after 65,535 worlds.
uint16_t ch_world_next_tag(void);

#endif
