// A point of b stays on a line of a:  d . x_a = d . y_a = 0.  Its rotations have no coordinates.
#include "model/joints/joint_kind.h"

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  (void)axis;
  return ch_joint_slide(pose, pose->z[0], row);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS, CH_JOINT_AXIS};

const ChJointKind ch_joint_kind_point_on_line = {.info = {.name = "point-on-line",
                                                          .summary = "the displacement along axis, rotations",
                                                          .plane = true,
                                                          .freedoms = 1,
                                                          .freedom = {CH_FREEDOM_METRE},
                                                          CH_JOINT_FIELDS(fields)},
                                                 .equalities = ch_joint_add_on_line,
                                                 .freedom = freedom};
