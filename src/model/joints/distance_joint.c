// A rod between two points:  |d| = length, unless the distance is limited, driven or rubs. Its coordinate is |d|.
#include "model/joints/joint_kind.h"

static double start(const ChJointDef* def) { return ch_norm(ch_sub(def->second_at, def->at)); }

static ChStatus check(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what) {
  (void)world;
  double apart = start(def);
  if (!(apart > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: at and second_at are the same point; a ball joint keeps them together",
                   what);
  if (def->length == 0.0) def->length = apart;
  if (ch_joint_axis_is_idle(&def->axes[0]) && !(fabs(def->length - apart) <= CH_JOINT_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: length is %g, but the points are %g apart", what, def->length, apart);
  return CH_OK;
}

static double freedom(const ChJointPose* pose, int axis, ChRow* row) {
  (void)axis;
  double length = ch_norm(pose->d);
  if (row)  // coincident points: any direction
    *row = ch_joint_shift_row(pose, length > 0.0 ? ch_unit(pose->d) : pose->z[0]);
  return length;
}

static void equalities(const ChJointPose* pose, ChJointRowList* list) {
  if (!ch_joint_axis_is_idle(&pose->joint->axes[0])) return;
  ChRow row;
  double length = freedom(pose, 0, &row);
  ch_joint_add_equal(list, length - pose->joint->length, row);
}

static const ChDefField fields[] = {
    CH_JOINT_FIELD(CH_DEF_VECTOR, CH_DEF_REQUIRED, at, "point of the first body, world's frame at the start, m"),
    CH_JOINT_FIELD(CH_DEF_VECTOR, CH_DEF_REQUIRED, second_at,
                   "point of the second body, world's frame at the start, m"),
    CH_JOINT_FIELD(CH_DEF_SIZE, 0, length, "if left out, the distance at the start, m"), CH_JOINT_FREEDOMS};

const ChJointKind ch_joint_kind_distance = {
    .info = {.name = "distance",
             .summary = "all but the distance of two points, which may be driven",
             .plane = true,
             .freedoms = 1,
             .freedom = {CH_FREEDOM_METRE},
             CH_JOINT_FIELDS(fields)},
    .check = check,
    .start = start,
    .equalities = equalities,
    .freedom = freedom};
