// Joints: definition. A joint is two frames, one in each body, that coincide at the start.
#include <math.h>
#include <stdio.h>

#include "model/joint_rows.h"
#include "model/world_build.h"

static const double PI = 3.141592653589793;
static const double START_SLACK = 1e-6;  // metres or radian by which a start may miss what the joint asks

typedef enum Unit { LENGTH, ANGLE } Unit;

// What each type is called, whether the plane has it, whether it has an axis, and what its freedoms are.
static const struct {
  const char* name;
  bool plane, axis;
  int freedoms;
  Unit unit[3];
} types[] = {
    [CH_JOINT_FIXED] = {"fixed", true, false, 0, {LENGTH}},
    [CH_JOINT_BALL] = {"ball", false, false, 3, {ANGLE, ANGLE, ANGLE}},
    [CH_JOINT_HINGE] = {"hinge", true, true, 1, {ANGLE}},
    [CH_JOINT_SLIDER] = {"slider", true, true, 1, {LENGTH}},
    [CH_JOINT_CYLINDRICAL] = {"cylindrical", false, true, 2, {LENGTH, ANGLE}},
    [CH_JOINT_UNIVERSAL] = {"universal", false, true, 2, {ANGLE, ANGLE}},
    [CH_JOINT_PLANAR] = {"planar", false, true, 3, {LENGTH, LENGTH, ANGLE}},
    [CH_JOINT_DISTANCE] = {"distance", true, false, 1, {LENGTH}},
    [CH_JOINT_POINT_ON_LINE] = {"point-on-line", true, true, 1, {LENGTH}},
};

int ch_joint_freedoms(ChJointType type) { return types[type].freedoms; }

// ---------------------------------------------------------------------------------------------------------- freedoms

static ChStatus check_limits(ChContext* context, const ChWorld* world, const ChJointAxis* axis, Unit unit, double start,
                             const char* what) {
  if (!(axis->lower < axis->upper) || (isinf(axis->lower) && isinf(axis->upper)))
    return ch_fail(context, CH_ERR_RANGE, "%s: limits are %g and %g, must ascend and not both be infinite", what,
                   axis->lower, axis->upper);
  if (!(axis->lower - START_SLACK <= start && start <= axis->upper + START_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: limits %g to %g do not hold %g, where the joint starts", what,
                   axis->lower, axis->upper, start);
  if (unit == ANGLE && world->dimension == 3 && !(axis->upper - axis->lower < 2.0 * PI))
    return ch_fail(context, CH_ERR_RANGE,
                   "%s: limits are %g and %g; in space an angle is known up to full turns, so they must be less than "
                   "2 pi apart",
                   what, axis->lower, axis->upper);
  if (axis->drive == CH_DRIVE_PRESCRIBED)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: is limited and prescribed; one of them must do", what);
  return CH_OK;
}

static ChStatus check_axis(ChContext* context, const ChWorld* world, const ChJointAxis* axis, Unit unit, double start,
                           const char* what) {
  if ((unsigned)axis->drive > CH_DRIVE_PRESCRIBED)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: drive is %d, which is none", what, (int)axis->drive);
  ChStatus status = ch_check_number(context, what, "friction", axis->friction, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "strength", axis->strength, 0.0);
  if (status == CH_OK) status = ch_signal_check(context, &axis->target, what);
  if (status == CH_OK && axis->limited) status = check_limits(context, world, axis, unit, start, what);
  if (status != CH_OK || axis->drive != CH_DRIVE_PRESCRIBED) return status;
  double target = ch_signal_value(&axis->target, 0.0);
  if (!(fabs(target - start) <= START_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: its prescribed motion starts at %g, the joint at %g", what, target,
                   start);
  return CH_OK;
}

static ChStatus check_axes(ChContext* context, const ChWorld* world, const ChJointDef* def, double start,
                           const char* what) {
  int freedoms = types[def->type].freedoms;
  for (int k = 0; k < 3; ++k) {
    char which[CH_WHAT_SIZE + 20];
    snprintf(which, sizeof which, "%s: axes[%d]", what, k);
    if (k >= freedoms && !ch_joint_axis_is_idle(&def->axes[k]))
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: is limited, driven or rubs, but the joint has %d such freedoms",
                     which, freedoms);
    if (k >= freedoms) continue;
    ChStatus status = check_axis(context, world, &def->axes[k], types[def->type].unit[k], start, which);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

// -------------------------------------------------------------------------------------------------------- directions

// In the plane a hinge turns about z; other axes lie in the plane.
static ChStatus check_directions(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what) {
  if (world->dimension == 2 && def->type == CH_JOINT_HINGE) {
    if (def->axis.x != 0.0 || def->axis.y != 0.0)
      return ch_fail(context, CH_ERR_RANGE, "%s: axis is (%g, %g, %g); in the plane a hinge turns about z", what,
                     def->axis.x, def->axis.y, def->axis.z);
    def->axis = ch_axis(2);
    return CH_OK;
  }
  ChStatus status = types[def->type].axis ? ch_check_axis(context, world, what, "axis", &def->axis) : CH_OK;
  if (status != CH_OK || def->type != CH_JOINT_UNIVERSAL) return status;
  status = ch_check_axis(context, world, what, "second_axis", &def->second_axis);
  if (status != CH_OK) return status;
  double along = ch_dot(def->axis, def->second_axis);
  if (!(fabs(along) <= START_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: axis and second_axis must be perpendicular, their cosine is %g", what,
                   along);
  def->second_axis = ch_unit(ch_along(def->second_axis, -along, def->axis));
  return CH_OK;
}

static ChStatus check_length(ChContext* context, ChJointDef* def, const char* what) {
  if (def->type != CH_JOINT_DISTANCE) return CH_OK;
  double apart = ch_norm(ch_sub(def->second_at, def->at));
  if (!(apart > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: at and second_at are the same point; a ball joint keeps them together",
                   what);
  if (def->length == 0.0) def->length = apart;
  if (ch_joint_axis_is_idle(&def->axes[0]) && !(fabs(def->length - apart) <= START_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: length is %g, but the points are %g apart", what, def->length, apart);
  return CH_OK;
}

// z along the axis; a universal joint's x along its second axis; in the plane x is normal to an axis in the plane.
static ChQuat joint_turn(const ChWorld* world, const ChJointDef* def) {
  if (!types[def->type].axis) return ch_quat_identity();
  ChVec3 z = def->axis, x, y;
  if (def->type == CH_JOINT_UNIVERSAL)
    x = def->second_axis;
  else if (world->dimension == 2)
    x = def->type == CH_JOINT_HINGE ? ch_axis(0) : ch_vec(-z.y, z.x, 0.0);
  else
    ch_tangents(z, &x, &y);
  return ch_quat_from_axes(x, ch_cross(z, x), z);
}

// --------------------------------------------------------------------------------------------------------------- add

static ChStatus check_joint(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what, int body[2]) {
  if (world->dimension == 2 && !types[def->type].plane)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "%s: a plane world has no %s joints%s", what, types[def->type].name,
                   def->type == CH_JOINT_BALL ? "; a hinge does the same" : "");
  ChStatus status = ch_world_check_bodies(context, world, def->body, what, body);
  if (status == CH_OK) status = ch_check_vector(context, world, what, "at", def->at);
  if (status == CH_OK && def->type == CH_JOINT_DISTANCE)
    status = ch_check_vector(context, world, what, "second_at", def->second_at);
  if (status == CH_OK) status = ch_check_number(context, what, "length", def->length, 0.0);
  if (status == CH_OK) status = check_directions(context, world, def, what);
  if (status == CH_OK) status = check_length(context, def, what);
  double start = def->type == CH_JOINT_DISTANCE ? ch_norm(ch_sub(def->second_at, def->at)) : 0.0;
  return status == CH_OK ? check_axes(context, world, def, start, what) : status;
}

static ChFrame in_body(const ChWorld* world, int body, ChVec3 at, ChQuat turn) {
  ChFrame frame = ch_state_frame(world->states, body);
  return (ChFrame){ch_frame_local(frame, at), ch_quat_product(ch_quat_conjugate(frame.orientation), turn)};
}

static ChStatus add_joint(ChContext* context, ChWorld* world, const void* argument, int* id) {
  ChJointDef def = *(const ChJointDef*)argument;
  char name[32], what[CH_WHAT_SIZE];
  snprintf(name, sizeof name, "joint %d", world->joint_count);
  if (!def.name) def.name = name;
  snprintf(what, sizeof what, "joint '%.100s'", def.name);
  if ((unsigned)def.type >= sizeof types / sizeof *types)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: type is %d, which is none", what, (int)def.type);
  int body[2];
  ChStatus status = check_joint(context, world, &def, what, body);
  if (status != CH_OK) return status;

  ChQuat turn = joint_turn(world, &def);
  ChJoint joint = {.name = ch_world_copy_text(world, def.name), .type = def.type, .length = def.length};
  for (int k = 0; k < 2; ++k) {
    joint.body[k] = body[k];
    joint.frame[k] = in_body(world, body[k], k == 1 && def.type == CH_JOINT_DISTANCE ? def.second_at : def.at, turn);
    joint.start_angle += (k == 0 ? -1.0 : 1.0) * (body[k] < 0 ? 0.0 : world->states[body[k]].angle);
  }
  for (int k = 0; k < 3; ++k) {
    joint.axes[k] = def.axes[k];
    joint.axes[k].target = ch_signal_copy(world, &def.axes[k].target);
  }
  if (!def.collide && body[0] >= 0 && body[1] >= 0) {
    CH_GROW(world, ignored, ignored_count, ignored_room);
    int* entry = world->ignored[world->ignored_count++];
    entry[0] = body[0] < body[1] ? body[0] : body[1];
    entry[1] = body[0] + body[1] - entry[0];
  }
  CH_GROW(world, joints, joint_count, joint_room);
  joint.slot = ch_slot_take(world, &world->joint_slots, world->joint_count);
  world->joints[world->joint_count] = joint;
  *id = world->joint_count++;
  return CH_OK;
}

ChJointDef ch_joint_def_default(void) { return (ChJointDef){.axis = {0.0, 0.0, 1.0}, .second_axis = {1.0, 0.0, 0.0}}; }

ChStatus ch_world_add_joint(ChContext* context, ChWorld* world, const ChJointDef* def, ChJointId* id) {
  int row;
  ChStatus status = ch_world_add(context, world, def, &row, add_joint);
  if (status == CH_OK && id) *id = ch_joint_id_of(world, row);
  return status;
}
