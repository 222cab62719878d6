// Recirculation: bodies that leave a vessel at the bottom are put back in at the top, so that a flow never ends.
#ifndef CARDHOUSE_RECIRCULATION_H
#define CARDHOUSE_RECIRCULATION_H

#include "cardhouse/api.h"
#include "cardhouse/geometry.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChWorld ChWorld;
typedef struct ChSimulation ChSimulation;

// After a step, bodies whose centre of mass is lower than `below` (z; in the plane y) come back at rest. This holds for
// rigid bodies that move freely and have no joints. Their centres are then at the height of `at`, at most `radius` from
// it. The places are spread evenly and are the same in every run. A body waits below if its gap to another moving body
// would be less than a hundredth of the sum of their radii. Fixed and driven bodies are not checked: the inlet must be
// free of them.
typedef struct ChRecirculation {
  double below;   // m
  ChVec3 at;      // the middle of the inlet, m
  double radius;  // m; 0: bodies are not recirculated
} ChRecirculation;

// Call it before the world is simulated. CH_ERR_RANGE if a number is not finite, the radius not above 0, or the inlet
// not higher than `below`; CH_ERR_ARGUMENT for a sealed world, and for one that is periodic along its height.
CH_API ChStatus ch_world_set_recirculation(ChContext* context, ChWorld* world, const ChRecirculation* recirculation);
// Returns the present setting; radius 0: none.
CH_API ChRecirculation ch_world_recirculation(const ChWorld* world);
// Returns how many bodies came back since the simulation began.
CH_API long ch_simulation_recirculated(const ChSimulation* simulation);

#ifdef __cplusplus
}
#endif
#endif
