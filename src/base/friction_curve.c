// See cardhouse/friction_curve.h.
#include "cardhouse/friction_curve.h"

#include <math.h>
#include <stddef.h>

#define LARGEST_SPEED 1e100  // so that differences stay finite
#define LARGEST_SHARE 1e8

double ch_friction_share(const ChFrictionCurve* curve, double speed) {
  if (isnan(speed)) return speed;
  if (curve->count == 0) return 1.0;
  int k = 0;
  while (k + 1 < curve->count && curve->speed[k + 1] <= speed) ++k;
  if (k + 1 == curve->count || !(speed > curve->speed[k])) return curve->share[k];
  const double along = (speed - curve->speed[k]) / (curve->speed[k + 1] - curve->speed[k]);
  return curve->share[k] + along * (curve->share[k + 1] - curve->share[k]);
}

double ch_friction_largest_share(const ChFrictionCurve* curve) {
  double most = 1.0;
  for (int k = 0; k < curve->count; ++k) most = fmax(most, curve->share[k]);
  return most;
}

ChStatus ch_friction_curve_check(ChContext* context, const char* what, const ChFrictionCurve* curve) {
  if (curve->count < 0 || curve->count > CH_CURVE_POINTS)
    return ch_fail(context, CH_ERR_SIZE, "%s: friction over speed has %d points, must have 0 to %d", what, curve->count,
                   CH_CURVE_POINTS);
  for (int k = 0; k < curve->count; ++k) {
    const double speed = curve->speed[k], share = curve->share[k];
    if (k == 0 && !(speed == 0.0))
      return ch_fail(context, CH_ERR_RANGE, "%s: friction over speed begins at %g m/s, must begin at 0", what, speed);
    if (k > 0 && !(speed > curve->speed[k - 1] && speed <= LARGEST_SPEED))
      return ch_fail(context, CH_ERR_RANGE, "%s: speed[%d] of friction is %g m/s, must be above the one before, %g",
                     what, k, speed, curve->speed[k - 1]);
    if (!(share >= 0.0 && share <= (k == 0 ? 1.0 : LARGEST_SHARE)))
      return ch_fail(context, CH_ERR_RANGE,
                     "%s: friction at %g m/s is %g times that of a contact that sticks, must be 0 or more, and at most "
                     "1 at standstill",
                     what, speed, share);
  }
  return CH_OK;
}

const char* ch_branch_name(ChBranch branch) {
  static const char* const names[CH_BRANCH_COUNT] = {"none", "open", "stick", "slip"};
  return (unsigned)branch < CH_BRANCH_COUNT ? names[branch] : NULL;
}
