// One body slides along an axis of the other:  d . x_a = d . y_a = 0,  x_a . z_b = y_a . z_b = y_a . x_b = 0
#include "model/joints/joint_kind.h"

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_on_line(pose, list);
  ch_joint_add_parallel(pose, list);
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  (void)axis;
  return ch_joint_slide(pose, pose->z[0], row);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS, CH_JOINT_AXIS};

const ChJointKind ch_joint_kind_slider = {.info = {.name = "slider",
                                                   .summary = "the displacement along axis",
                                                   .plane = true,
                                                   .freedoms = 1,
                                                   .freedom = {CH_FREEDOM_METRE},
                                                   CH_JOINT_FIELDS(fields)},
                                          .equalities = equalities,
                                          .freedom = freedom};
