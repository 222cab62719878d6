// See deflection.h.
#include "record/deflection.h"

#include "model/soft/soft.h"

static double bent(const ChSoft* soft, const double* q) {
  double most = 0.0;
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 way = ch_sub(ch_soft_vertex(soft, v, q), soft->skin.rest[v]);
    double square = ch_dot(way, way);
    if (!(square <= most)) most = square;  // NaN stays
    if (isnan(most)) break;
  }
  return sqrt(most);
}

double ch_deflection(const ChWorld* world, const ChBodyState* states, int* body) {
  double most = 0.0;
  int which = -1;
  for (int b = 0; b < world->body_count && !isnan(most); ++b) {
    if (!world->bodies[b].soft) continue;
    double here = bent(world->bodies[b].soft, ch_state_modes(world, states, b));
    if (here <= most) continue;
    most = here;
    which = b;
  }
  if (body) *body = which;
  return most;
}
