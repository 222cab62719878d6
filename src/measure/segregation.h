// The segregation index (cardhouse/measure.h), scratch from an arena.
#ifndef CH_MEASURE_SEGREGATION_H
#define CH_MEASURE_SEGREGATION_H

#include "measure/grains.h"

// Large is the last species. `axis` 0, 1, 2. NaN where there is one species only.
double ch_segregation_index_in(ChArena* arena, const ChGrains* grains, int axis);

#endif
