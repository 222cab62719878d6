// Convex sections of friction given by points: their hull, by Andrew's monotone chain.
#include "base/friction_section.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Twice the area of the triangle o, a, b: positive where they turn to the left.
static double turn(const double o[2], const double a[2], const double b[2]) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

static int by_place(const void* x, const void* y) {
  const double *a = x, *b = y;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1];
}

// One chain of the hull over points[0 .. count - 1] in the order given, at the end of `hull`; returns the new length.
static int add_chain(const double (*point)[2], int count, int step, double (*hull)[2], int length) {
  const int least = length + 1;
  for (int k = 0; k < count; ++k, point += step) {
    while (length > least && !(turn(hull[length - 2], hull[length - 1], *point) > 0.0)) --length;
    memcpy(hull[length++], *point, sizeof *hull);
  }
  return length - 1;  // its last point begins the next chain
}

static ChStatus check_points(ChContext* context, const char* what, int count, const double (*point)[2]) {
  if (count < 3 || count > CH_FRICTION_CORNERS_MAX)
    return ch_fail(context, CH_ERR_SIZE, "%s: section has %d points, must have 3 to %d", what, count,
                   CH_FRICTION_CORNERS_MAX);
  for (int k = 0; k < count; ++k)
    if (!(fabs(point[k][0]) <= CH_FRICTION_MOST && fabs(point[k][1]) <= CH_FRICTION_MOST))
      return ch_fail(context, CH_ERR_RANGE, "%s: point %d of the section is (%g, %g), must be within +-%g", what, k,
                     point[k][0], point[k][1], CH_FRICTION_MOST);
  return CH_OK;
}

static bool is_corner(const ChFrictionSection* section, const double point[2]) {
  for (int k = 0; k < section->count; ++k)
    if (section->corner[k][0] == point[0] && section->corner[k][1] == point[1]) return true;
  return false;
}

ChStatus ch_friction_section_check(ChContext* context, const char* what, const ChFrictionSection* section) {
  static const double origin[2] = {0.0, 0.0};
  if (!section) return ch_fail(context, CH_ERR_ARGUMENT, "%s: section is missing", what);
  ChStatus status = check_points(context, what, section->count, section->corner);
  for (int k = 0; status == CH_OK && k < section->count; ++k) {
    const double *a = section->corner[k], *b = section->corner[(k + 1) % section->count];
    const double* c = section->corner[(k + 2) % section->count];
    if (!(turn(a, b, c) > 0.0))
      status =
          ch_fail(context, CH_ERR_RANGE,
                  "%s: corners of the section do not turn left at (%g, %g), must be a convex hull", what, b[0], b[1]);
    else if (!(turn(a, b, origin) >= 0.0))
      status = ch_fail(context, CH_ERR_RANGE,
                       "%s: the origin is outside the section, beyond its side from (%g, %g) to (%g, %g); a contact "
                       "that nothing pulls needs no friction",
                       what, a[0], a[1], b[0], b[1]);
  }
  return status;
}

ChStatus ch_friction_section_make(ChContext* context, const char* what, int count, const double (*point)[2],
                                  ChFrictionSection* out) {
  double sorted[CH_FRICTION_CORNERS_MAX][2], hull[CH_FRICTION_CORNERS_MAX + 2][2];
  *out = (ChFrictionSection){0};
  ChStatus status = check_points(context, what, count, point);
  if (status != CH_OK) return status;
  memcpy(sorted, point, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_place);
  out->count = add_chain((const double(*)[2])sorted, count, 1, hull, 0);
  out->count = add_chain((const double(*)[2])sorted + count - 1, count, -1, hull, out->count);
  if (out->count < 3)
    return ch_fail(
        context, CH_ERR_RANGE,
        "%s: section has no area, its points lie on a line; friction along a line is {along, across} with a 0", what);
  memcpy(out->corner, hull, (size_t)out->count * sizeof *hull);
  for (int k = 0; k < count; ++k)
    if (!is_corner(out, point[k]))
      return ch_fail(
          context, CH_ERR_RANGE,
          "%s: point %d of the section, (%g, %g), is not a corner of the hull of all points; a section is convex", what,
          k, point[k][0], point[k][1]);
  return ch_friction_section_check(context, what, out);
}
