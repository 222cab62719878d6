// See def_variants.h. A field of a definition says by its kind how it is read and what it may be.
#include "scene/def_variants.h"

#include "scene/forms.h"

static const char* const mesh_contacts[] = {[CH_MESH_EXACT] = "exact", [CH_MESH_SAMPLED] = "sampled", NULL};

static const struct {
  const ChFieldType* type;
  ChRange range;
  const void* more;
} kinds[] = {
    [CH_DEF_NUMBER] = {&ch_type_number, CH_ANY},       [CH_DEF_SIZE] = {&ch_type_number, CH_POSITIVE},
    [CH_DEF_CELLS] = {&ch_type_whole, CH_CELLS},       [CH_DEF_FLAG] = {&ch_type_flag, CH_ANY},
    [CH_DEF_FILE] = {&ch_type_text, CH_ANY},           [CH_DEF_VECTOR] = {&ch_type_vector, CH_ANY},
    [CH_DEF_SIZES] = {&ch_type_vector, CH_POSITIVE},   [CH_DEF_DIRECTION] = {&ch_type_vector, CH_ANY},
    [CH_DEF_NORMAL] = {&ch_type_vector, CH_ANY},       [CH_DEF_POINTS] = {&ch_type_points, CH_ANY},
    [CH_DEF_TRIANGLES] = {&ch_type_triangles, CH_ANY}, [CH_DEF_MESH] = {&ch_type_text, CH_ANY},
    [CH_DEF_SEGMENTS] = {&ch_type_segments, CH_ANY},   [CH_DEF_HEIGHTS] = {&ch_type_heights, CH_ANY},
    [CH_DEF_FREEDOMS] = {&ch_type_joint_axes, CH_ANY}, [CH_DEF_MESH_CONTACT] = {&ch_type_choice, CH_ANY, mesh_contacts},
};

// Points and the like are several members, and are read by the whole definition.
static size_t place_of(const ChDefField* field, size_t def) {
  switch (field->kind) {
    case CH_DEF_MESH:
      return offsetof(ChSceneShape, mesh);
    case CH_DEF_POINTS:
    case CH_DEF_TRIANGLES:
    case CH_DEF_HEIGHTS:
    case CH_DEF_SEGMENTS:
      return def;
    default:
      return def + field->offset;
  }
}

ChField ch_variant_field(const ChVariant* variant, int k) {
  if (variant->fields) return variant->fields[k];
  const ChDefField* field = &variant->def_fields[k];
  return (ChField){.key = field->key,
                   .type = kinds[field->kind].type,
                   .offset = place_of(field, variant->def),
                   .text = field->text,
                   .flags = field->flags,
                   .range = kinds[field->kind].range,
                   .more = kinds[field->kind].more};
}

bool ch_joint_variant(int k, ChVariant* out) {
  const ChJointInfo* info = ch_joint_info((ChJointType)k);
  if (!info) return false;
  *out = (ChVariant){.name = info->name,
                     .value = k,
                     .flags = info->plane ? 0 : CH_SPACE,
                     .count = info->field_count,
                     .def_fields = info->fields,
                     .def = offsetof(ChSceneJoint, def)};
  return true;
}

bool ch_shape_variant(int k, ChVariant* out) {
  const ChShapeInfo* info = ch_shape_info((ChShapeType)k);
  if (!info) return false;
  *out = (ChVariant){.name = info->name,
                     .value = k,
                     .flags = info->skin             ? CH_NOWHERE
                              : info->dimension == 2 ? CH_PLANE
                                                     : CH_SPACE,
                     .count = info->field_count,
                     .def_fields = info->fields,
                     .def = offsetof(ChSceneShape, def)};
  return true;
}
