// Two bodies as one:  d = 0,  x_a . z_b = y_a . z_b = y_a . x_b = 0
#include "model/joints/joint_kind.h"

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_together(pose, list);
  ch_joint_add_parallel(pose, list);
}

static const ChDefField fields[] = {CH_JOINT_AT};

const ChJointKind ch_joint_kind_fixed = {
    .info = {.name = "fixed", .summary = "nothing", .plane = true, CH_JOINT_FIELDS(fields)}, .equalities = equalities};
