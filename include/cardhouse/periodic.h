// Periodic worlds: a body that leaves the cell on one side enters it on the other.
//
// Positions are not wrapped: they keep counting, however often a body has crossed the cell. A body meets the nearest
// image of another body, which is that body shifted by whole periods.
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

// The cell: from low to high along every periodic axis, metres. Its other axes are ignored.
typedef struct ChPeriodic {
  bool axis[3];
  ChVec3 low, high;
} ChPeriodic;

// Makes the world periodic along these axes; call it before bodies are simulated. CH_ERR_RANGE if a cell is not finite
// or has no length, CH_ERR_ARGUMENT for z in the plane and for a sealed world. A moving body must be at most half as
// large as the cell, which ch_world_seal checks.
CH_API ChStatus ch_world_set_periodic(ChContext* context, ChWorld* world, const ChPeriodic* periodic);
// Returns the cell. No axis is set if the world is not periodic.
CH_API ChPeriodic ch_world_periodic(const ChWorld* world);

// Says whether any axis is periodic.
CH_API bool ch_periodic_any(const ChPeriodic* periodic);
// Returns the length of the cell along an axis; infinite if the axis is not periodic.
CH_API double ch_periodic_length(const ChPeriodic* periodic, int axis);
// Returns the image of a point in the cell, low <= x < high along every periodic axis.
CH_API ChVec3 ch_periodic_wrap(const ChPeriodic* periodic, ChVec3 point);
// Returns the shortest of the differences that whole periods make of `way`, a difference of two points.
CH_API ChVec3 ch_periodic_shortest(const ChPeriodic* periodic, ChVec3 way);

#ifdef __cplusplus
}
#endif
#endif
