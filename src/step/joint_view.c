// Joints as the caller sees them: coordinates now, forces of the last step.
#include <math.h>

#include "cardhouse/joint.h"
#include "model/ids.h"
#include "step/state.h"

_Static_assert((int)CH_JOINT_ROW_LIMIT >= (int)CH_JOINT_ROWS_MAX, "joint.h promises room for every row");
_Static_assert((int)CH_JOINT_ROW_EQUAL == (int)CH_ROW_EQUAL && (int)CH_JOINT_ROW_FRICTION == (int)CH_ROW_FRICTION,
               "rows are shown by the kinds that they have");

// Newton, or newton metre, of each row in the last step.
static double row_force(const ChSimulation* s, int joint, int row) {
  double impulse = s->memory.joints[(long)joint * CH_JOINT_ROWS_MAX + row];
  return s->memory.h > 0.0 ? impulse / s->memory.h : 0.0;
}

int ch_simulation_joint_rows(const ChSimulation* s, ChJointId id, ChJointRowView* out) {
  int j = ch_world_joint_row(s->world, id);
  if (j < 0) return 0;
  ChJointRow rows[CH_JOINT_ROWS_MAX];
  int count = ch_joint_rows(s->world, &s->world->joints[j], s->states, s->time, rows);
  for (int k = 0; k < count; ++k)
    out[k] = (ChJointRowView){.type = (ChJointRowType)rows[k].kind,
                              .axis = rows[k].axis,
                              .value = rows[k].value,
                              .force = row_force(s, j, k)};
  return count;
}

// A force `size` along a row adds to what the joint does to its second body.
static void add_row(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, const ChRow* row,
                    double size, ChJointView* view) {
  ChFrame body = ch_state_frame(states, joint->body[1]);
  ChVec3 force = ch_scale(size, row->force[1]), lever = ch_rotate(body.orientation, joint->frame[1].at);
  ChVec3 torque = ch_rotate(body.orientation, ch_scale(size, row->torque[1]));
  if (joint->body[1] < 0) lever = joint->frame[1].at;
  if (joint->grip[1]) lever = ch_sub(ch_joint_frame_now(world, joint, states, 1).at, body.at);
  view->force = ch_add(view->force, force);
  view->torque = ch_add(view->torque, ch_sub(torque, ch_cross(lever, force)));
}

// Where the last step's rows were built.
static const ChBodyState* states_then(const ChSimulation* s) { return s->step > 0 ? s->before : s->states; }

static void add_forces(const ChSimulation* s, int j, ChJointView* view) {
  const ChJoint* joint = &s->world->joints[j];
  ChJointRow rows[CH_JOINT_ROWS_MAX];
  int count = ch_joint_rows(s->world, joint, states_then(s), s->time, rows);
  for (int k = 0; k < count; ++k) {
    double force = row_force(s, j, k);
    int axis = rows[k].axis;
    add_row(s->world, joint, states_then(s), &rows[k].row, force, view);
    if (axis < 0) continue;
    if (rows[k].kind == CH_ROW_LOWER || rows[k].kind == CH_ROW_UPPER)
      view->limit[axis] += rows[k].kind == CH_ROW_LOWER ? force : -force;
    else
      *(rows[k].kind == CH_ROW_FRICTION ? &view->friction[axis] : &view->drive[axis]) += force;
  }
  for (int axis = 0; axis < view->freedoms; ++axis) {
    if (joint->axes[axis].drive != CH_DRIVE_FORCE) continue;
    ChRow row = ch_joint_direction(s->world, joint, states_then(s), axis);
    view->drive[axis] = ch_signal_value(&joint->axes[axis].target, s->time);
    add_row(s->world, joint, states_then(s), &row, view->drive[axis], view);
  }
}

ChJointView ch_simulation_joint(const ChSimulation* s, ChJointId id) {
  ChJointView view = {0};
  int j = ch_world_joint_row(s->world, id);
  if (j < 0) {
    const ChVec3 nan = {NAN, NAN, NAN};
    for (int k = 0; k < 3; ++k)
      view.position[k] = view.speed[k] = view.drive[k] = view.limit[k] = view.friction[k] = NAN;
    view.force = view.torque = nan;
    return view;
  }
  const ChJoint* joint = &s->world->joints[j];
  view.freedoms = ch_joint_freedoms(joint->type);
  for (int axis = 0; axis < view.freedoms; ++axis) {
    ChRow row = ch_joint_direction(s->world, joint, s->states, axis);
    view.position[axis] = ch_joint_coordinate(s->world, joint, s->states, axis);
    view.speed[axis] =
        ch_row_speed(&row, joint->body, s->states) + ch_joint_bend_speed(s->world, joint, s->states, &row);
  }
  add_forces(s, j, &view);
  return view;
}
