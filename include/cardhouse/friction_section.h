// Sections of friction: the friction that a unit of normal reaction can bear along the two tangents of a contact, as a
// convex polygon.
#ifndef CARDHOUSE_FRICTION_SECTION_H
#define CARDHOUSE_FRICTION_SECTION_H

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_FRICTION_CORNERS_MAX = 32 };

// The friction that a unit of normal reaction can bear along tangents 1 and 2: a convex polygon that contains the
// origin, corners counter-clockwise. ch_friction_section_make fills one in.
typedef struct ChFrictionSection {
  int count;  // of corners, 3 or more
  double corner[CH_FRICTION_CORNERS_MAX][2];
} ChFrictionSection;

// Makes the section with these corners, in any order. Refuses numbers that are not finite, points that are not corners
// of the convex hull, and hulls that have no area or do not contain the origin. `what` begins the message.
CH_API ChStatus ch_friction_section_make(ChContext* context, const char* what, int count, const double (*point)[2],
                                         ChFrictionSection* out);

#ifdef __cplusplus
}
#endif
#endif
