// Joints that hold where a step begins and where it ends (docs/theory/variational.md).
//
//   q+ = q + h d,  d = a v + (1 - a) v+,   G between q and q+ (model/joint_rows.h), so that g(q+) = g(q) + h G d
//
//   what a joint asks always      g(q+) = 0:   G v+ = - a / (1 - a) G v - g / (h (1 - a))
//   limits                        as contacts: closed ones bounce, or stop, or gaps are closed at the end
//   springs of freedoms           - r = h (k (x + a h G d) + c G d), the rule of the midpoint
//   drives and friction           as in any step: they hold v+
//
// G depends on v+. It is that of a guess, and the step is solved again until the guess stays.
#ifndef CH_ASSEMBLE_HELD_JOINTS_H
#define CH_ASSEMBLE_HELD_JOINTS_H

#include "assemble/rows.h"

typedef struct ChHoldRule {
  double h, a;
  bool bounces;  // limits that are reached
  bool arrives;  // limits are met at the end of the step
} ChHoldRule;

// Gradients and right-hand sides of all rows of joints. `asked`: w less `prescribed`, as ch_rows_build left them.
void ch_rows_hold(const ChMoment* moment, const ChJointPaths* paths, const ChHoldRule* rule, const double* asked,
                  ChRows* rows);

#endif
