// Turning: the free rotation of a rigid body, and the step of its orientation.
//
//   J (w+ - w) = -h wm x J wm,   wm = (w + w+) / 2          body's frame
//   R+ = R cay(h wm),            cay(a) = (1 - [a]/2)^-1 (1 + [a]/2)
//
// The midpoint rule keeps w.Jw and |Jw|; with Cayley's map in the second line R J w, the angular momentum in the world,
// stays as well, to the last bit but round-off.
#ifndef CH_STEP_ROTATION_H
#define CH_STEP_ROTATION_H

#include "base/vector.h"

// w+ of a body on which nothing acts.
ChVec3 ch_free_spin(const ChMat3* J, ChVec3 w, double h);

// Orientation after a step of h at angular velocity w (body's frame).
static inline ChQuat ch_turn(ChQuat q, ChVec3 w, double h) {
  return ch_quat_unit(ch_quat_product(q, (ChQuat){1.0, 0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z}));
}

// The same in the plane, about z: the error of a turn does not depend on how many there were before.
static inline ChQuat ch_turn_plane(ChQuat q, double angle) {
  return ch_quat_unit(ch_quat_product(q, ch_quat_about(ch_axis(2), angle)));
}

#endif
