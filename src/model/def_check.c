// See def_check.h.
#include "model/def_check.h"

#include <math.h>
#include <stdio.h>

bool ch_def_field_fits(const ChDefField* field, int dimension) {
  unsigned where = field->flags & (CH_DEF_PLANE | CH_DEF_SPACE);
  return where == 0 || (where & (dimension == 2 ? CH_DEF_PLANE : CH_DEF_SPACE)) != 0;
}

static ChStatus check_size(ChContext* context, const char* what, const char* name, double value) {
  if (isfinite(value) && value > 0.0) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "%s: %s is %g, must be finite and > 0", what, name, value);
}

static ChStatus check_sizes(ChContext* context, int dimension, const char* what, const char* name, ChVec3 value) {
  for (int k = 0; k < dimension; ++k) {
    char which[32];
    snprintf(which, sizeof which, "%s.%c", name, "xyz"[k]);
    ChStatus status = check_size(context, what, which, ch_component(value, k));
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static ChStatus check_field(ChContext* context, const ChWorld* world, void* member, const ChDefField* field,
                            const char* what) {
  const double* number = member;
  const ChVec3* vector = member;
  ChVec3 normal;
  switch (field->kind) {
    case CH_DEF_NUMBER:
      if (isfinite(*number)) return CH_OK;
      return ch_fail(context, CH_ERR_RANGE, "%s: %s is %g, must be finite", what, field->key, *number);
    case CH_DEF_SIZE:
      return field->flags & CH_DEF_REQUIRED ? check_size(context, what, field->key, *number)
                                            : ch_check_number(context, what, field->key, *number, 0.0);
    case CH_DEF_VECTOR:
      return ch_check_vector(context, world, what, field->key, *vector);
    case CH_DEF_SIZES:
      return check_sizes(context, world->dimension, what, field->key, *vector);
    case CH_DEF_DIRECTION:
      return ch_check_axis(context, world, what, field->key, member);
    case CH_DEF_NORMAL:
      normal = *vector;
      return ch_check_axis(context, world, what, field->key, &normal);
    default:
      return CH_OK;
  }
}

ChStatus ch_def_check(ChContext* context, const ChWorld* world, void* def, int count, const ChDefField* fields,
                      const char* what) {
  ChStatus status = CH_OK;
  for (int k = 0; status == CH_OK && k < count; ++k)
    if (ch_def_field_fits(&fields[k], world->dimension))
      status = check_field(context, world, (char*)def + fields[k].offset, &fields[k], what);
  return status;
}
