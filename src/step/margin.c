// See margin.h.
#include "step/margin.h"

#include <math.h>

#include "base/check.h"
#include "cardhouse/simulation.h"

#define LARGEST 0.01  // metres
#define SHARE 0.25    // of the smallest body's radius
#define FALLS 4.0     // by so many steps' fall from rest

double ch_default_margin(const ChWorld* world, double h) {
  CH_ASSERT(world->sealed && h > 0.0);
  double smallest = INFINITY;
  for (int b = 0; b < world->body_count; ++b) {
    const double reach = ch_world_moves(world, b) ? ch_world_reach(world, b) : 0.0;
    if (reach > 0.0) smallest = fmin(smallest, reach);
  }
  return fmin(LARGEST, fmax(SHARE * smallest, FALLS * ch_norm(ch_world_gravity(world, 0.0)) * h * h));
}

double ch_world_margin(const ChWorld* world, double h) { return ch_default_margin(world, h); }
