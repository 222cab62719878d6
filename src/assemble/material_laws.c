// See material_laws.h.
#include "assemble/material_laws.h"

#include "cardhouse/own_law.h"

_Static_assert((int)CH_MATERIAL_LAW_PARAMETERS == (int)CH_BLOCK_MORE, "parameters of a material are those of a block");

static ChStatus check_parameters(ChContext* context, const ChMaterial* material, const ChLawInfo* info) {
  for (int k = 0; k < info->parameter_count; ++k) {
    const ChLawParameter* p = &info->parameter[k];
    if (!(material->law_parameter[k] >= p->lowest && material->law_parameter[k] <= p->highest))
      return ch_fail(context, CH_ERR_RANGE, "material '%.100s': %s of law '%s' is %g, must be %g to %g", material->name,
                     p->name, info->name, material->law_parameter[k], p->lowest, p->highest);
  }
  return CH_OK;
}

static ChStatus find(ChContext* context, int dimension, ChMaterial* material) {
  const ChLaw law = ch_law_find(material->law);
  const ChLawInfo* info = ch_law_info(law);
  if (!info || (int)law < CH_LAW_OWN)
    return ch_fail(context, CH_ERR_ARGUMENT, "material '%.100s': this program has registered no law '%.50s'",
                   material->name, material->law);
  if (!info->opens)
    return ch_fail(context, CH_ERR_ARGUMENT, "material '%.100s': law '%s' is not a section, so it has no normal",
                   material->name, info->name);
  if (info->dimension_lowest != dimension)
    return ch_fail(context, CH_ERR_SIZE, "material '%.100s': law '%s' has %d rows, a contact of this world has %d",
                   material->name, info->name, info->dimension_lowest, dimension);
  const ChStatus status = check_parameters(context, material, info);
  if (status == CH_OK) material->law_number = (int)law;
  return status;
}

ChStatus ch_material_laws_find(ChContext* context, ChWorld* world) {
  ChStatus status = CH_OK;
  for (int m = 0; m < world->material_count && status == CH_OK; ++m)
    if (world->materials[m].law) status = find(context, world->dimension, &world->materials[m]);
  return status;
}

bool ch_world_has_own_laws(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].law) return true;
  return false;
}
