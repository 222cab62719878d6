// See cardhouse/recirculation.h.
#include "cardhouse/recirculation.h"

#include <math.h>

#include "model/world_build.h"

ChRecirculation ch_world_recirculation(const ChWorld* world) { return world->recirculation; }

ChStatus ch_world_set_recirculation(ChContext* context, ChWorld* world, const ChRecirculation* r) {
  if (!world || !r) return ch_fail(context, CH_ERR_ARGUMENT, "recirculate: no world, or no inlet");
  if (world->sealed) return ch_fail(context, CH_ERR_ARGUMENT, "recirculate: must be set before the world is sealed");
  const int up = world->dimension - 1;
  if (world->periodic.axis[up])
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "recirculate: the world is periodic along its height, so nothing can leave it at the bottom");
  ChStatus status = ch_check_vector(context, world, "recirculate", "at", r->at);
  if (status != CH_OK) return status;
  if (!(isfinite(r->radius) && r->radius > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "recirculate: radius is %g m, must be finite and > 0", r->radius);
  if (!(isfinite(r->below) && ch_component(r->at, up) > r->below))
    return ch_fail(context, CH_ERR_RANGE, "recirculate: below is %g m, must be lower than the inlet at %g m", r->below,
                   ch_component(r->at, up));
  world->recirculation = *r;
  return CH_OK;
}
