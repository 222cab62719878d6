// How far large grains lie above small ones, from -1 (all below) over 0 (mixed) to 1 (all above).
//
// Grains are ordered along the axis; c in (0, 1) is the share of the solid volume below a grain, its own half counted.
// The index is twice the difference of the mean c of large and small grains, both weighted by volume: when one kind
// lies wholly above the other the means are 1/2 apart, however much there is of each.
#ifndef CH_MEASURE_SEGREGATION_H
#define CH_MEASURE_SEGREGATION_H

#include "measure/grains.h"

// Large is the last species. `axis` 0, 1, 2. NaN where there is one species only.
double ch_segregation_index(ChArena* arena, const ChGrains* grains, int axis);

#endif
