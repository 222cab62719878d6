// Profiles (cardhouse/measure.h) in an arena.
#ifndef CH_MEASURE_PROFILE_H
#define CH_MEASURE_PROFILE_H

#include "measure/grains.h"

// Refuses an axis that the region does not have: r in a box, x and y in a cylinder, z in the plane.
ChStatus ch_profile_begin(ChContext* context, ChArena* arena, const ChGrains* grains, const ChRegion* region,
                          ChProfileAxis axis, int bins, ChProfile* out);
void ch_profile_add(ChArena* arena, ChProfile* profile, const ChGrains* grains, const ChRegion* region);

#endif
