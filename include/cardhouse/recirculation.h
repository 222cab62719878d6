// Recirculation: bodies that sink out of a vessel below are put back in above, so that a flow never ends.
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
// it. Places follow each other evenly and are the same in every run. A body waits below as long as it would come nearer
// to another moving body than a hundredth of both radii. Fixed and driven bodies are not looked at: the inlet must be
// free of them.
typedef struct ChRecirculation {
  double below;   // m
  ChVec3 at;      // the middle of the inlet, m
  double radius;  // m; 0: bodies are not recirculated
} ChRecirculation;

// Call it before the world is simulated. CH_ERR_RANGE if a number is not finite, the radius not above 0, or the inlet
// not higher than `below`; CH_ERR_ARGUMENT for a sealed world, and for one that is periodic along its height.
CH_API ChStatus ch_world_set_recirculation(ChContext* context, ChWorld* world, const ChRecirculation* recirculation);
// Returns what was set; radius 0: nothing was.
CH_API ChRecirculation ch_world_recirculation(const ChWorld* world);
// Returns how many bodies came back since the simulation began.
CH_API long ch_simulation_recirculated(const ChSimulation* simulation);

#ifdef __cplusplus
}
#endif
#endif
