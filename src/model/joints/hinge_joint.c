// A common axis:  d = 0,  x_a . z_b = y_a . z_b = 0.  In the plane it turns about z.
#include "model/joints/joint_kind.h"

static ChStatus check(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what) {
  if (world->dimension == 3) return CH_OK;
  if (def->axis.x != 0.0 || def->axis.y != 0.0)
    return ch_fail(context, CH_ERR_RANGE, "%s: axis is (%g, %g, %g); in the plane a hinge turns about z", what,
                   def->axis.x, def->axis.y, def->axis.z);
  def->axis = ch_axis(2);
  return CH_OK;
}

static ChVec3 x_axis(const ChWorld* world, const ChJointDef* def) {
  ChVec3 x = ch_axis(0), y;
  if (world->dimension == 3) ch_tangents(def->axis, &x, &y);
  return x;
}

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_together(pose, list);
  if (pose->world->dimension == 3) ch_joint_add_aligned(pose, list);
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  (void)axis;
  return ch_joint_twist(pose, row);
}

static const ChDefField fields[] = {
    CH_JOINT_AT, CH_JOINT_FREEDOMS,
    CH_JOINT_FIELD(CH_DEF_DIRECTION, CH_DEF_REQUIRED | CH_DEF_SPACE, axis, "world's frame, at the start")};

const ChJointKind ch_joint_kind_hinge = {.info = {.name = "hinge",
                                                  .summary = "the angle about axis",
                                                  .plane = true,
                                                  .freedoms = 1,
                                                  .freedom = {CH_FREEDOM_RADIAN},
                                                  CH_JOINT_FIELDS(fields)},
                                         .check = check,
                                         .x_axis = x_axis,
                                         .equalities = equalities,
                                         .freedom = freedom};
