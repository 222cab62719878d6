// Materials whose friction is a law that the program registered (cardhouse/own_law.h): a section by its functions.
#ifndef CH_ASSEMBLE_MATERIAL_LAWS_H
#define CH_ASSEMBLE_MATERIAL_LAWS_H

#include "model/world.h"

// Finds the laws that materials name. Refuses a name that is none, or no section of the world's dimension, and
// parameters out of range.
ChStatus ch_material_laws_find(ChContext* context, ChWorld* world);

bool ch_world_has_own_laws(const ChWorld* world);

#endif
