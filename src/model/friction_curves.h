// Friction over the speed of slip, of any two materials: which curve holds, of a table that is made once.
#ifndef CH_MODEL_FRICTION_CURVES_H
#define CH_MODEL_FRICTION_CURVES_H

#include "model/world.h"

// A copy of a definition's curve in the world's arena; NULL where it has no points. Its shares were checked.
const ChFrictionCurve* ch_world_keep_curve(ChWorld* world, const ChFrictionCurve* curve);

// Fills world->curves: as the world is sealed.
ChStatus ch_world_list_curves(ChContext* context, ChWorld* world);

// 1 + the place of what holds for two materials, pair or NULL; 0: friction does not depend on speed.
int ch_world_curve_of(const ChWorld* world, const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair);

// After other frictions: none depends on speed any more.
void ch_world_forget_curves(ChWorld* world);

#endif
