// Worlds that repeat themselves: what leaves the cell on one side is met again on the other.
//
// Nothing is moved for it. Bodies keep their places, however often they have gone through the cell, and what a body
// meets is the nearest image of another: that body, shifted by whole periods.
#ifndef CARDHOUSE_PERIODIC_H
#define CARDHOUSE_PERIODIC_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/geometry.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChWorld ChWorld;

// The cell: from low to high along every axis that repeats, metres. What it says of other axes is not read.
typedef struct ChPeriodic {
  bool axis[3];
  ChVec3 low, high;
} ChPeriodic;

// The world repeats itself along these axes; set before bodies are simulated. CH_ERR_RANGE where a cell is not finite
// or has no length, CH_ERR_ARGUMENT for z in the plane and for a world that is sealed. A body that moves must be at
// most half as large as the cell, which ch_world_seal looks after.
CH_API ChStatus ch_world_set_periodic(ChContext* context, ChWorld* world, const ChPeriodic* periodic);
// No axis where it does not repeat.
CH_API ChPeriodic ch_world_periodic(const ChWorld* world);

// Whether any axis repeats.
CH_API bool ch_periodic_any(const ChPeriodic* periodic);
// The length of the cell along an axis; infinite where that does not repeat.
CH_API double ch_periodic_length(const ChPeriodic* periodic, int axis);
// The image of a point in the cell, low <= x < high along every axis that repeats.
CH_API ChVec3 ch_periodic_wrap(const ChPeriodic* periodic, ChVec3 point);
// The shortest way that leads to the same image: a difference of two points, less whole periods.
CH_API ChVec3 ch_periodic_shortest(const ChPeriodic* periodic, ChVec3 way);

#ifdef __cplusplus
}
#endif
#endif
