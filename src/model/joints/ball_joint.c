// A common point:  d = 0.  Its three coordinates are the rotation vector along the axes of the joint's frame on a.
#include "model/joints/joint_kind.h"

// phi = log(A' B), whose rate is (1 - [phi]/2 + c [phi]^2) times the relative angular velocity in the frame of a,
// c = 1 / t^2 - cot(t / 2) / (2 t), t = |phi|.
static double freedom(const ChJointPose* p, int axis, ChRow* row) {
  ChQuat q = ch_quat_product(ch_quat_conjugate(p->joint_turn[0]), p->joint_turn[1]);
  if (q.w < 0.0) q = (ChQuat){-q.w, -q.x, -q.y, -q.z};
  ChVec3 v = ch_vec(q.x, q.y, q.z);
  double sine = ch_norm(v), t = 2.0 * atan2(sine, q.w);
  ChVec3 phi = ch_scale(sine > 0.0 ? t / sine : 2.0, v), e = ch_axis(axis);
  double c = t > 1e-4 ? 1.0 / (t * t) - 0.5 * q.w / (sine * t) : 1.0 / 12.0;
  if (row) {
    ChVec3 once = ch_cross(phi, e), twice = ch_cross(phi, once);
    *row = ch_joint_turn_row(p, ch_rotate(p->joint_turn[0], ch_along(ch_along(e, 0.5, once), c, twice)));
  }
  return ch_component(phi, axis);
}

// Forces act about the axes themselves.
static ChRow direction(const ChJointPose* p, int axis) {
  return ch_joint_turn_row(p, axis == 0 ? p->x[0] : axis == 1 ? p->y[0] : p->z[0]);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS};

const ChJointKind ch_joint_kind_ball = {.info = {.name = "ball",
                                                 .summary = "three rotations",
                                                 .freedoms = 3,
                                                 .freedom = {CH_FREEDOM_RADIAN, CH_FREEDOM_RADIAN, CH_FREEDOM_RADIAN},
                                                 CH_JOINT_FIELDS(fields)},
                                        .instead = "a hinge does the same",
                                        .equalities = ch_joint_add_together,
                                        .freedom = freedom,
                                        .direction = direction};
