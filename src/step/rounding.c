// See rounding.h.
#include "step/rounding.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "cardhouse/shape.h"
#include "model/world.h"

#define TOUCHING 1e-9  // metres: overlaps that come and go as bodies stand; they are undone
#define SIX_DIGITS \
  1e-5  // what rounding to six digits leaves at most, relative: half of the last one of 1.00000, of two bodies
#define THIN 1e-4  // share of the smaller body that no rounding reaches

static double reach_of(const ChWorld* world, int body) {
  const ChBody* b = &world->bodies[body];
  double reach = 0.0;
  for (int k = b->first_shape; k < b->first_shape + b->shape_count; ++k) reach = fmax(reach, world->shapes[k].reach);
  return reach;
}

// What six digits leave of coordinates as large as those of the contact and of the bodies' own corners.
static double rounding_of(const ChWorld* world, const ChOverlap* overlap) {
  double near = fmax(fmax(fabs(overlap->point.x), fabs(overlap->point.y)), fabs(overlap->point.z));
  double smaller = fmin(reach_of(world, overlap->body[0]), reach_of(world, overlap->body[1]));
  return fmin(SIX_DIGITS * (near + smaller), THIN * smaller);
}

ChStatus ch_rounding_at_start(ChContext* context, const ChWorld* world, double* d0) {
  ChOverlap* overlaps;
  int count;
  *d0 = 0.0;
  ChStatus status = ch_world_overlaps(context, world, &overlaps, &count);
  for (int k = 0; k < count; ++k)
    if (overlaps[k].depth > TOUCHING && overlaps[k].depth <= rounding_of(world, &overlaps[k]))
      *d0 = fmax(*d0, overlaps[k].depth);
  free(overlaps);
  return status;
}
