// A screw: it turns once about the axis while it moves by its lead along it.
//
//   d . x_a = d . y_a = 0,  x_a . z_b = y_a . z_b = 0,  d . z_a = lead / (2 pi) twist, up to full turns
#include "model/joints/joint_kind.h"

static const double TURN = 6.283185307179586;

static ChRow row_along(ChRow a, double s, ChRow b) {
  for (int k = 0; k < 2; ++k) {
    a.force[k] = ch_along(a.force[k], s, b.force[k]);
    a.torque[k] = ch_along(a.torque[k], s, b.torque[k]);
  }
  return a;
}

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  ChRow slide, twist;
  double lead = pose->joint->length;
  double along = ch_joint_slide(pose, pose->z[0], &slide), angle = ch_joint_twist(pose, &twist);
  double turns = along / lead - angle / TURN;  // an angle in space is known up to full turns
  ch_joint_add_on_line(pose, list);
  ch_joint_add_aligned(pose, list);
  ch_joint_add_equal(list, lead * (turns - round(turns)), row_along(slide, -lead / TURN, twist));
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  (void)axis;
  return ch_joint_slide(pose, pose->z[0], row);
}

static const ChDefField fields[] = {
    CH_JOINT_AT,
    CH_JOINT_FREEDOMS,
    CH_JOINT_AXIS,
    {"lead", CH_DEF_SIZE, CH_DEF_REQUIRED, offsetof(ChJointDef, length), "way along axis in one turn, m"}};

const ChJointKind ch_joint_kind_screw = {
    .info = {.name = "screw",
             .summary = "the displacement along axis, and the turn that goes with it",
             .freedoms = 1,
             .freedom = {CH_FREEDOM_METRE},
             CH_JOINT_FIELDS(fields)},
    .equalities = equalities,
    .freedom = freedom};
