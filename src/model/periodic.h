// What a periodic world asks of its bodies, and how its points are shifted. See cardhouse/periodic.h.
//
// A pair has one image at most that touches, along every axis, where its two extents together are shorter than the
// cell: hence at most half of it for each body that moves. Bodies that do not move may be as large as they want; those
// that are larger than half the cell stand where they are and are not repeated (collide/images.h).
#ifndef CH_MODEL_PERIODIC_H
#define CH_MODEL_PERIODIC_H

#include "model/world.h"

// For a body whose shapes and frames are final: fails where it does not fit the cell.
ChStatus ch_periodic_check_body(ChContext* context, const ChWorld* world, int body);

// In which period a coordinate lies, as a whole number that counts from the cell.
double ch_periodic_period(const ChPeriodic* periodic, int axis, double x);

static inline double ch_periodic_low(const ChPeriodic* p, int axis) { return ch_component(p->low, axis); }

#endif
