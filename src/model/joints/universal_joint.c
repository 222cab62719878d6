// Two axes that cross at right angles, one on each body:  d = 0,  z_a . x_b = 0
#include "model/joints/joint_kind.h"

static ChStatus check(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what) {
  (void)world;
  double along = ch_dot(def->axis, def->second_axis);
  if (!(fabs(along) <= CH_JOINT_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: axis and second_axis must be perpendicular, their cosine is %g", what,
                   along);
  def->second_axis = ch_unit(ch_along(def->second_axis, -along, def->axis));
  return CH_OK;
}

static ChVec3 x_axis(const ChWorld* world, const ChJointDef* def) {
  (void)world;
  return def->second_axis;
}

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ch_joint_add_together(pose, list);
  ch_joint_add_equal(list, ch_dot(pose->z[0], pose->x[1]), ch_joint_cosine_row(pose, pose->z[0], pose->x[1]));
}

// Of b about its own x, which is the second axis.
static double second_turn(const ChJointPose* p, ChRow* row) {
  return ch_joint_angle(p, ch_dot(p->z[0], p->z[1]), ch_cross(p->z[1], p->z[0]), ch_dot(p->z[0], p->y[1]),
                        ch_cross(p->y[1], p->z[0]), row);
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  return axis == 0 ? ch_joint_twist(pose, row) : second_turn(pose, row);
}

static const ChDefField fields[] = {CH_JOINT_AT, CH_JOINT_FREEDOMS, CH_JOINT_AXIS,
                                    CH_JOINT_FIELD(CH_DEF_DIRECTION, CH_DEF_REQUIRED, second_axis,
                                                   "axis of the second body, perpendicular to the first axis")};

const ChJointKind ch_joint_kind_universal = {
    .info = {.name = "universal",
             .summary = "the angle about axis (on the first body), the angle about second_axis (on the second)",
             .freedoms = 2,
             .freedom = {CH_FREEDOM_RADIAN, CH_FREEDOM_RADIAN},
             CH_JOINT_FIELDS(fields)},
    .check = check,
    .x_axis = x_axis,
    .equalities = equalities,
    .freedom = freedom};
