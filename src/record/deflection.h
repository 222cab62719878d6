// How far deformable bodies are bent: the largest distance of a vertex of a skin from where it is at rest.
#ifndef CH_RECORD_DEFLECTION_H
#define CH_RECORD_DEFLECTION_H

#include "model/world.h"

// Metres, over all bodies; `body`, unless NULL, is the one of that distance, or -1.
double ch_deflection(const ChWorld* world, const ChBodyState* states, int* body);

#endif
