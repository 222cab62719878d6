// Regions: what only the statistics themselves ask of them (cardhouse/measure.h has the rest).
#ifndef CH_MEASURE_REGION_H
#define CH_MEASURE_REGION_H

#include "cardhouse/measure.h"

// |W n (W + shift)|, the set covariance of the region: how much of it sees a partner at this distance and direction.
double ch_region_shared(const ChRegion* region, ChVec3 shift);

// How much of a ball (plane: of a disc) lies inside, to about eight digits.
double ch_region_ball(const ChRegion* region, ChVec3 centre, double radius);

// Whether it has no edges across an axis.
static inline bool ch_region_wraps(const ChRegion* region, int axis) { return region->periodic || region->wraps[axis]; }

#endif
