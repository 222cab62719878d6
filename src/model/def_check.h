// Checks of a definition by the table of its fields: cardhouse/def_field.h.
#ifndef CH_MODEL_DEF_CHECK_H
#define CH_MODEL_DEF_CHECK_H

#include "cardhouse/def_field.h"
#include "model/world_build.h"

// Whether a world of this dimension reads the field.
bool ch_def_field_fits(const ChDefField* field, int dimension);

// Numbers, sizes, vectors and directions; whoever has fields of other kinds checks them. `what` names the definition in
// messages. Directions are made unit vectors.
ChStatus ch_def_check(ChContext* context, const ChWorld* world, void* def, int count, const ChDefField* fields,
                      const char* what);

#endif
