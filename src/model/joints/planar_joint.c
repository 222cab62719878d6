// One body slides and turns on a plane of the other:  d . z_a = 0,  x_a . z_b = y_a . z_b = 0
#include "model/joints/joint_kind.h"

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_equal(list, ch_dot(pose->d, pose->z[0]), ch_joint_slide_row(pose, pose->z[0]));
  ch_joint_add_aligned(pose, list);
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  if (axis < 2) return ch_joint_slide(pose, axis == 0 ? pose->x[0] : pose->y[0], row);
  return ch_joint_twist(pose, row);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS, CH_JOINT_AXIS};

const ChJointKind ch_joint_kind_planar = {.info = {.name = "planar",
                                                   .summary = "two displacements normal to axis, the angle about axis",
                                                   .freedoms = 3,
                                                   .freedom = {CH_FREEDOM_METRE, CH_FREEDOM_METRE, CH_FREEDOM_RADIAN},
                                                   CH_JOINT_FIELDS(fields)},
                                          .equalities = equalities,
                                          .freedom = freedom};
