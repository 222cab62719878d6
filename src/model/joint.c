// Joints: definition. A joint is two frames, one in each body, that coincide at the start.
#include <math.h>
#include <stdio.h>

#include "model/def_check.h"
#include "model/joints/joint_kind.h"
#include "model/soft/soft_grip.h"

static const double PI = 3.141592653589793;

// ---------------------------------------------------------------------------------------------------------- freedoms

static ChStatus check_limits(ChContext* context, const ChWorld* world, const ChJointAxis* axis, ChFreedomUnit unit,
                             double start, const char* what) {
  if (!(axis->lower < axis->upper) || (isinf(axis->lower) && isinf(axis->upper)))
    return ch_fail(context, CH_ERR_RANGE, "%s: limits are %g and %g, must ascend and not both be infinite", what,
                   axis->lower, axis->upper);
  if (!(axis->lower - CH_JOINT_SLACK <= start && start <= axis->upper + CH_JOINT_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: limits %g to %g do not contain %g, where the joint starts", what,
                   axis->lower, axis->upper, start);
  if (unit == CH_FREEDOM_RADIAN && world->dimension == 3 && !(axis->upper - axis->lower < 2.0 * PI))
    return ch_fail(
        context, CH_ERR_RANGE,
        "%s: limits are %g and %g; in space an angle is known up to full turns, so limits must be less than 2 pi apart",
        what, axis->lower, axis->upper);
  if (axis->drive == CH_DRIVE_PRESCRIBED)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: is limited and prescribed; choose one of them", what);
  return CH_OK;
}

static ChStatus check_axis(ChContext* context, const ChWorld* world, const ChJointAxis* axis, ChFreedomUnit unit,
                           double start, const char* what) {
  if ((unsigned)axis->drive > CH_DRIVE_PRESCRIBED)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: drive is %d, which does not exist", what, (int)axis->drive);
  ChStatus status = ch_check_number(context, what, "friction", axis->friction, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "stiffness", axis->stiffness, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "damping", axis->damping, 0.0);
  if (status == CH_OK && !isfinite(axis->rest))
    status = ch_fail(context, CH_ERR_RANGE, "%s: rest is %g, must be finite", what, axis->rest);
  if (status == CH_OK) status = ch_check_number(context, what, "strength", axis->strength, 0.0);
  if (status == CH_OK) status = ch_signal_check(context, &axis->target, what);
  if (status == CH_OK && axis->limited) status = check_limits(context, world, axis, unit, start, what);
  if (status != CH_OK || axis->drive != CH_DRIVE_PRESCRIBED) return status;
  double target = ch_signal_value(&axis->target, 0.0);
  if (!(fabs(target - start) <= CH_JOINT_SLACK))
    return ch_fail(context, CH_ERR_RANGE, "%s: its prescribed motion starts at %g, the joint at %g", what, target,
                   start);
  return CH_OK;
}

static ChStatus check_axes(ChContext* context, const ChWorld* world, const ChJointDef* def, const ChJointKind* kind,
                           const char* what) {
  const double start = kind->start ? kind->start(def) : 0.0;
  const int freedoms = kind->info.freedoms;
  for (int k = 0; k < 3; ++k) {
    char which[CH_WHAT_SIZE + 20];
    snprintf(which, sizeof which, "%s: axes[%d]", what, k);
    if (k >= freedoms && !ch_joint_axis_is_idle(&def->axes[k]))
      return ch_fail(context, CH_ERR_ARGUMENT,
                     "%s: has limits, a drive, a spring or friction, but the joint has %d such freedoms", which,
                     freedoms);
    if (k >= freedoms) continue;
    ChStatus status = check_axis(context, world, &def->axes[k], kind->info.freedom[k], start, which);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

// --------------------------------------------------------------------------------------------------------- definition

static ChStatus check_joint(ChContext* context, const ChWorld* world, ChJointDef* def, const ChJointKind* kind,
                            const char* what, int body[2]) {
  if (world->dimension == 2 && !kind->info.plane)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "%s: a plane world has no %s joints%s%s", what, kind->info.name,
                   kind->instead ? "; " : "", kind->instead ? kind->instead : "");
  ChStatus status = ch_world_check_bodies(context, world, def->body, what, body);
  if (status == CH_OK) status = ch_check_number(context, what, "reach", def->reach, 0.0);
  if (status == CH_OK) status = ch_def_check(context, world, def, kind->info.field_count, kind->info.fields, what);
  if (status == CH_OK && kind->check) status = kind->check(context, world, def, what);
  return status == CH_OK ? check_axes(context, world, def, kind, what) : status;
}

// z along the axis; the world's frame where there is none
static ChQuat joint_turn(const ChWorld* world, const ChJointDef* def, const ChJointKind* kind) {
  if (!ch_joint_reads(&kind->info, offsetof(ChJointDef, axis))) return ch_quat_identity();
  ChVec3 z = def->axis, x, y;
  if (kind->x_axis)
    x = kind->x_axis(world, def);
  else if (world->dimension == 2)
    x = ch_vec(-z.y, z.x, 0.0);
  else
    ch_tangents(z, &x, &y);
  return ch_quat_from_axes(x, ch_cross(z, x), z);
}

// ---------------------------------------------------------------------------------------------------------------- add

static ChFrame in_body(const ChWorld* world, int body, ChVec3 at, ChQuat turn) {
  ChFrame frame = ch_state_frame(world->states, body);
  return (ChFrame){ch_frame_local(frame, at), ch_quat_product(ch_quat_conjugate(frame.orientation), turn)};
}

// The frame of a deformable side as it is at rest, and what of the skin it follows. Frames are about the body's origin
// until the world is sealed, and grips about its centre of mass.
static ChStatus grip_side(ChContext* context, ChWorld* world, const ChJointDef* def, int side, const char* what,
                          ChJoint* joint) {
  const int b = joint->body[side];
  const ChSoft* soft = b < 0 ? NULL : world->bodies[b].soft;
  if (!soft) return CH_OK;
  if (soft->skin_only) return CH_OK;         // it is looked at only
  const bool later = world->mode_count > 0;  // it is sealed, and may be bent
  const double* q = later ? ch_state_modes(world, world->states, b) : NULL;
  ChFrame frame = joint->frame[side];
  if (!later) frame.at = ch_add(frame.at, world->bodies[b].origin);
  ChVec3 rest = q ? ch_soft_rest_place(soft, q, frame.at) : frame.at;
  ChStatus status = ch_soft_grip_make(context, world->arena, soft, rest, def->reach, what, &joint->grip[side]);
  if (status == CH_OK && q) joint->frame[side] = ch_soft_grip_rest(joint->grip[side], q, frame);
  return status;
}

static ChStatus add_joint(ChContext* context, ChWorld* world, const void* argument, int* id) {
  ChJointDef def = *(const ChJointDef*)argument;
  char name[32], what[CH_WHAT_SIZE];
  snprintf(name, sizeof name, "joint %d", world->joint_count);
  if (!def.name) def.name = name;
  snprintf(what, sizeof what, "joint '%.100s'", def.name);
  if ((unsigned)def.type >= CH_JOINT_TYPE_COUNT)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: type is %d, which does not exist", what, (int)def.type);
  const ChJointKind* kind = ch_joint_kind(def.type);
  int body[2];
  ChStatus status = check_joint(context, world, &def, kind, what, body);
  if (status != CH_OK) return status;

  ChQuat turn = joint_turn(world, &def, kind);
  const bool two_points = ch_joint_reads(&kind->info, offsetof(ChJointDef, second_at));
  ChJoint joint = {
      .name = ch_world_copy_text(world, def.name), .type = def.type, .length = def.length, .collide = def.collide};
  for (int k = 0; k < 2; ++k) {
    joint.body[k] = body[k];
    joint.frame[k] = in_body(world, body[k], k == 1 && two_points ? def.second_at : def.at, turn);
    joint.start_angle += (k == 0 ? -1.0 : 1.0) * (body[k] < 0 ? 0.0 : world->states[body[k]].angle);
    status = grip_side(context, world, &def, k, what, &joint);
    if (status != CH_OK) return status;
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
