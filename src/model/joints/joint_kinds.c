// The table of joints: include/cardhouse/joint_types.h lists them, and every row is in a file of this folder.
#include <assert.h>

#include "model/joints/joint_kind.h"

#define DECLARE(NAME, name) extern const ChJointKind ch_joint_kind_##name;
CH_JOINT_TYPES(DECLARE)

#define ROW(NAME, name) [CH_JOINT_##NAME] = &ch_joint_kind_##name,
static const ChJointKind* const kinds[] = {CH_JOINT_TYPES(ROW)};

const ChJointKind* ch_joint_kind(ChJointType type) {
  assert((unsigned)type < CH_JOINT_TYPE_COUNT);
  return kinds[type];
}

const ChJointInfo* ch_joint_info(ChJointType type) {
  return (unsigned)type < CH_JOINT_TYPE_COUNT ? &kinds[type]->info : NULL;
}

bool ch_joint_reads(const ChJointInfo* info, size_t offset) {
  for (int k = 0; info && k < info->field_count; ++k)
    if (info->fields[k].offset == offset) return true;
  return false;
}
