// Where statistics are taken: a box along the axes, or an upright cylinder (plane: a rectangle or a disc). Volumes are
// areas in the plane.
#ifndef CH_MEASURE_REGION_H
#define CH_MEASURE_REGION_H

#include <stdbool.h>

#include "cardhouse/geometry.h"
#include "cardhouse/status.h"

typedef enum ChRegionKind { CH_REGION_BOX, CH_REGION_CYLINDER } ChRegionKind;

typedef struct ChRegion {
  ChRegionKind kind;
  int dimension;
  bool periodic;     // a box that repeats itself: it has no edges
  ChVec3 low, high;  // corners of the box; of a cylinder only z counts
  double x, y;       // the cylinder's axis (the disc's centre)
  double radius;
} ChRegion;

// "x0,x1,y0,y1,z0,z1" or "x,y,radius,z0,z1" (plane: "x0,x1,y0,y1" or "x,y,radius"); `what` names the text in messages.
ChStatus ch_region_read(ChContext* context, const char* what, const char* text, int dimension, ChRegion* out);

double ch_region_volume(const ChRegion* region);
bool ch_region_holds(const ChRegion* region, ChVec3 point);
// The smallest extent: no distance beyond it can be measured in every direction.
double ch_region_width(const ChRegion* region);
// All faces moved inwards. The volume is 0 where nothing is left.
ChRegion ch_region_inset(const ChRegion* region, double distance);

// |W n (W + shift)|, the set covariance of the region: how much of it sees a partner at this distance and direction.
double ch_region_shared(const ChRegion* region, ChVec3 shift);

// How much of a ball (plane: of a disc) lies inside, to about eight digits.
double ch_region_ball(const ChRegion* region, ChVec3 centre, double radius);
double ch_ball_volume(int dimension, double radius);

#endif
