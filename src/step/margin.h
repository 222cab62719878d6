// The margin of a scene that sets none: gaps up to it are contacts, whether they close or not.
//
//   min(1 cm, max(R / 4, 4 g h^2))      R: the radius of the smallest body that moves
//
// A body at rest falls by g h^2 in a step, which look-ahead does not know of; a margin beyond the size of the bodies
// makes contacts of neighbours that never meet.
#ifndef CH_STEP_MARGIN_H
#define CH_STEP_MARGIN_H

#include "model/world.h"

// Metres, of a sealed world.
double ch_default_margin(const ChWorld* world, double h);

#endif
