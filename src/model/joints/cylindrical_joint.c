// A shaft in a sleeve, free along and about the axis:  d . x_a = d . y_a = 0,  x_a . z_b = y_a . z_b = 0
#include "model/joints/joint_kind.h"

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_on_line(pose, list);
  ch_joint_add_aligned(pose, list);
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  return axis == 0 ? ch_joint_slide(pose, pose->z[0], row) : ch_joint_twist(pose, row);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS, CH_JOINT_AXIS};

const ChJointKind ch_joint_kind_cylindrical = {.info = {.name = "cylindrical",
                                                        .summary = "the displacement along and the angle about axis",
                                                        .freedoms = 2,
                                                        .freedom = {CH_FREEDOM_METRE, CH_FREEDOM_RADIAN},
                                                        CH_JOINT_FIELDS(fields)},
                                               .equalities = equalities,
                                               .freedom = freedom};
