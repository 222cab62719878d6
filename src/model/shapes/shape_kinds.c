// The table of shapes: include/cardhouse/shape_types.h lists them, and every row is in a file of this folder.
#include "model/shapes/shape_kind.h"

#define DECLARE(NAME, name) extern const ChShapeKind ch_shape_kind_##name;
CH_SHAPE_TYPES(DECLARE)

#define ROW(NAME, name) [CH_SHAPE_##NAME] = &ch_shape_kind_##name,
const ChShapeKind* const ch_shape_kinds[CH_SHAPE_TYPE_COUNT] = {CH_SHAPE_TYPES(ROW)};

const ChShapeInfo* ch_shape_info(ChShapeType type) {
  return (unsigned)type < CH_SHAPE_TYPE_COUNT ? &ch_shape_kinds[type]->info : NULL;
}

bool ch_shape_reads(const ChShapeInfo* info, ChDefKind kind) {
  for (int k = 0; info && k < info->field_count; ++k)
    if (info->fields[k].kind == kind) return true;
  return false;
}
