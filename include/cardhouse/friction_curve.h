// How friction changes with the speed of slip (Stribeck 1902), as shares of the coefficient of a sticking contact:
//
//   mu(s) = mu share(s)      s = |u_T|, m/s      share: straight lines between points, constant beyond the last
//
// A contact that sticks bears mu. A contact that slips bears mu(s), which is mu(0+) = mu share[0] just above
// standstill. With a single point there are two coefficients, static and dynamic. docs/theory/stick_slip.md
#ifndef CARDHOUSE_FRICTION_CURVE_H
#define CARDHOUSE_FRICTION_CURVE_H

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_CURVE_POINTS = 16 };

typedef struct ChFrictionCurve {
  int count;                      // number of points, at most CH_CURVE_POINTS; 0: friction does not depend on speed
  double speed[CH_CURVE_POINTS];  // m/s, ascending, the first 0
  double share[CH_CURVE_POINTS];  // the first at most 1
} ChFrictionCurve;

// Returns the share at a speed > 0, or just above standstill; 1 if there are no points. NaN gives NaN.
CH_API double ch_friction_share(const ChFrictionCurve* curve, double speed);

// Returns the largest share, including the one at standstill.
CH_API double ch_friction_largest_share(const ChFrictionCurve* curve);

// Refuses anything that is not a curve; `what` begins the message.
CH_API ChStatus ch_friction_curve_check(ChContext* context, const char* what, const ChFrictionCurve* curve);

// The state of a contact in an answer. If friction depends on the speed of slip, the state tells which coefficient is
// in force: mu if the contact sticks, mu(|u_T|) if it slips. Of these two, the state is the one whose equations the
// answer meets with the smaller error.
typedef enum ChBranch {
  CH_BRANCH_NONE,  // not known, or not a contact with friction
  CH_BRANCH_OPEN,
  CH_BRANCH_STICK,
  CH_BRANCH_SLIP,
  CH_BRANCH_COUNT
} ChBranch;

// Returns "none", "open", "stick" or "slip"; NULL for any other number.
CH_API const char* ch_branch_name(ChBranch branch);

#ifdef __cplusplus
}
#endif
#endif
