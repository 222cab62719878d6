// See deflection.h.
#include "record/deflection.h"

#include <math.h>

#include "cardhouse/soft.h"

double ch_deflection(const ChSimulation* simulation) {
  const ChWorld* world = ch_simulation_world(simulation);
  double most = 0.0;
  for (int b = 0; b < ch_world_body_count(world) && !isnan(most); ++b) {
    ChSoftView soft;
    int count;
    if (!ch_world_soft(world, b, &soft)) continue;
    double here = ch_soft_bent(&soft, ch_simulation_modes(simulation, ch_world_body_at(world, b), &count));
    if (!(here <= most)) most = here;
  }
  return most;
}
