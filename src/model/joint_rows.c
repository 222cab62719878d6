// Rows of joints: what a joint's type asks always (joints/), and the limits, motors and friction of its freedoms.
#include "model/joint_rows.h"

#include "model/joints/joint_kind.h"
#include "model/soft/soft_grip.h"

static const double PI = 3.141592653589793;

ChFrame ch_joint_frame_now(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int side) {
  ChFrame local = joint->frame[side];
  const int body = joint->body[side];
  if (joint->grip[side]) local = ch_soft_grip_frame(joint->grip[side], ch_state_modes(world, states, body), local);
  return ch_frame_compose(ch_state_frame(states, body), local);
}

int ch_joint_modes(const ChJoint* joint, int side) { return joint->grip[side] ? joint->grip[side]->modes : 0; }

void ch_joint_bends(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int side, int count,
                    const ChRow* const* rows, double* out) {
  const ChSoftGrip* grip = joint->grip[side];
  if (!grip) return;
  const int body = joint->body[side];
  double T[3 * CH_SOFT_MODES_MAX];
  ChSoftGripPose at;
  ch_soft_grip_find(grip, ch_state_modes(world, states, body), &at, T);
  for (int k = 0; k < count; ++k, out += grip->modes)
    ch_soft_grip_gradient(grip, &at, T, ch_rotate_back(states[body].orientation, rows[k]->force[side]),
                          rows[k]->torque[side], out);
}

double ch_joint_bend_speed(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, const ChRow* row) {
  double sum = 0.0, along[CH_SOFT_MODES_MAX];
  for (int side = 0; side < 2; ++side) {
    if (!joint->grip[side]) continue;
    const double* rates = ch_state_rates(world, states, joint->body[side]);
    ch_joint_bends(world, joint, states, side, 1, &row, along);
    for (int a = 0; a < joint->grip[side]->modes; ++a) sum += along[a] * rates[a];
  }
  return sum;
}

static ChJointPose pose(const ChWorld* world, const ChJoint* joint, const ChBodyState* states) {
  ChJointPose p = {.world = world, .joint = joint, .angle = -joint->start_angle, .sweep = {1.0, 1.0}};
  ChVec3 at[2];
  for (int k = 0; k < 2; ++k) {
    ChFrame body = ch_state_frame(states, joint->body[k]), frame = ch_joint_frame_now(world, joint, states, k);
    p.turn[k] = body.orientation;
    p.joint_turn[k] = frame.orientation;
    at[k] = frame.at;
    p.lever[k] = ch_sub(frame.at, body.at);
    p.x[k] = ch_rotate(frame.orientation, ch_axis(0));
    p.y[k] = ch_rotate(frame.orientation, ch_axis(1));
    p.z[k] = ch_rotate(frame.orientation, ch_axis(2));
    if (joint->body[k] >= 0) p.angle += (k == 0 ? -1.0 : 1.0) * states[joint->body[k]].angle;
  }
  p.d = ch_sub(at[1], at[0]);
  return p;
}

// ----------------------------------------------------------------------------------------------------------- freedoms

static const ChJointKind* kind_of(const ChJointPose* p) { return ch_joint_kind(p->joint->type); }

static bool is_angle(const ChJointPose* p, int axis) { return kind_of(p)->info.freedom[axis] == CH_FREEDOM_RADIAN; }

// The same angle within half a turn of `middle`.
static double nearest_turn(double angle, double middle) {
  return angle + 2.0 * PI * round((middle - angle) / (2.0 * PI));
}

static bool counts_turns(const ChJointPose* p) { return p->world->dimension == 2; }

static double coordinate(const ChJointPose* p, int axis, ChRow* row) {
  double value = kind_of(p)->freedom(p, axis, row);
  const ChJointAxis* a = &p->joint->axes[axis];
  if (!is_angle(p, axis) || !a->limited || counts_turns(p)) return value;
  return nearest_turn(value, 0.5 * (a->lower + a->upper));
}

static ChRow direction(const ChJointPose* p, int axis) {
  const ChJointKind* kind = kind_of(p);
  if (kind->direction) return kind->direction(p, axis);
  ChRow row;
  kind->freedom(p, axis, &row);
  return row;
}

int ch_joint_freedoms(ChJointType type) { return ch_joint_kind(type)->info.freedoms; }

double ch_joint_freedom(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis,
                        ChRow* gradient) {
  ChJointPose p = pose(world, joint, states);
  return coordinate(&p, axis, gradient);
}

double ch_joint_coordinate(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis) {
  return ch_joint_freedom(world, joint, states, axis, NULL);
}

ChRow ch_joint_direction(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis) {
  ChJointPose p = pose(world, joint, states);
  return direction(&p, axis);
}

static double stretch_of(const ChJointPose* p, int axis, double value) {
  const double from = value - p->joint->axes[axis].rest;
  return is_angle(p, axis) && !counts_turns(p) ? nearest_turn(from, 0.0) : from;
}

double ch_joint_stretch(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis) {
  ChJointPose p = pose(world, joint, states);
  ChRow gradient;
  return stretch_of(&p, axis, coordinate(&p, axis, &gradient));
}

// -------------------------------------------------------------------------------------------------------------- rows

static ChJointRow* add(ChJointRowList* list, ChRowKind kind, int axis, double value, ChRow row) {
  ChJointRow* entry = &list->rows[list->count++];
  *entry = (ChJointRow){.row = row, .kind = kind, .value = value, .axis = axis};
  return entry;
}

static ChRow turned(ChRow row) {
  for (int k = 0; k < 2; ++k) row.force[k] = ch_neg(row.force[k]), row.torque[k] = ch_neg(row.torque[k]);
  return row;
}

static void add_drive(const ChJointPose* p, ChJointRowList* list, int axis, double value, ChRow gradient, double t) {
  const ChJointAxis* a = &p->joint->axes[axis];
  double target = ch_signal_value(&a->target, t), rate = ch_signal_rate(&a->target, t);
  double error = is_angle(p, axis) && !counts_turns(p) ? nearest_turn(value - target, 0.0) : value - target;
  ChJointRow* entry = NULL;
  if (a->drive == CH_DRIVE_POSITION) {
    entry = add(list, CH_ROW_MOTOR, axis, error, gradient);
    entry->rate = rate;
  } else if (a->drive == CH_DRIVE_VELOCITY) {
    entry = add(list, CH_ROW_MOTOR, axis, 0.0, direction(p, axis));
    entry->rate = target;
  } else {
    entry = add(list, CH_ROW_EQUAL, axis, error, gradient);
    entry->rate = -rate;
  }
  entry->strength = a->strength > 0.0 ? a->strength : INFINITY;
}

static void add_freedom(const ChJointPose* p, ChJointRowList* list, int axis, double t) {
  const ChJointAxis* a = &p->joint->axes[axis];
  if (ch_joint_axis_is_idle(a)) return;
  ChRow gradient;
  double value = coordinate(p, axis, &gradient);
  if (a->limited && isfinite(a->lower)) add(list, CH_ROW_LOWER, axis, value - a->lower, gradient);
  if (a->limited && isfinite(a->upper)) add(list, CH_ROW_UPPER, axis, a->upper - value, turned(gradient));
  if (a->drive != CH_DRIVE_NONE && a->drive != CH_DRIVE_FORCE) add_drive(p, list, axis, value, gradient, t);
  if (a->friction > 0.0) add(list, CH_ROW_FRICTION, axis, 0.0, direction(p, axis))->strength = a->friction;
  if (a->stiffness > 0.0 || a->damping > 0.0)
    add(list, CH_ROW_SPRING, axis, stretch_of(p, axis, value), direction(p, axis));
}

static int rows_of(const ChJointPose* p, double t, ChJointRow* rows) {
  ChJointRowList list = {rows, 0};
  kind_of(p)->equalities(p, &list);
  for (int k = 0; k < ch_joint_freedoms(p->joint->type); ++k) add_freedom(p, &list, k, t);
  return list.count;
}

int ch_joint_rows(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, double t, ChJointRow* rows) {
  ChJointPose p = pose(world, joint, states);
  return rows_of(&p, t, rows);
}

// ---------------------------------------------------------------------------------------------------- between two
// places

static ChVec3 middle(ChVec3 a, ChVec3 b) { return ch_scale(0.5, ch_add(a, b)); }

// Means of vectors, so that their products change exactly by what the rows say: (u w)+ - u w = mean(u) dw + mean(w) du.
// They are no unit vectors. Torques are left in the world's frame.
static ChJointPose mean_pose(const ChJointPose* p, const ChJointPose* q, const double sweep[2]) {
  ChJointPose m = *p;
  for (int k = 0; k < 2; ++k) {
    const ChQuat a = p->joint_turn[k], b = q->joint_turn[k];
    m.turn[k] = ch_quat_identity();
    m.joint_turn[k] = ch_quat_unit((ChQuat){a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z});
    m.lever[k] = middle(p->lever[k], q->lever[k]);
    m.x[k] = middle(p->x[k], q->x[k]), m.y[k] = middle(p->y[k], q->y[k]), m.z[k] = middle(p->z[k], q->z[k]);
    m.sweep[k] = sweep[k];
  }
  m.d = middle(p->d, q->d);
  m.angle = 0.5 * (p->angle + q->angle);
  return m;
}

// How far a lever goes for its mean: R+ s - R s = sweep h w x mean(R s). In space R+ = R cay(h w), and it is 1.
static double sweep_of(const ChJointPaths* paths, int body) {
  const double half = body < 0 ? 0.0 : 0.5 * paths->h * paths->turn[body].z;
  return fabs(half) > 1e-4 ? tan(half) / half : 1.0 + half * half / 3.0;
}

double ch_joint_change(const ChJointPaths* paths, const ChJoint* joint, const ChRow* row) {
  double sum = 0.0;
  for (int k = 0; k < 2; ++k) {
    const int b = joint->body[k];
    if (b < 0) continue;
    sum += ch_dot(row->force[k], ch_sub(paths->end[b].position, paths->start[b].position));
    sum += paths->h * ch_dot(row->torque[k], paths->turn[b]);
  }
  return sum;
}

// From the torque T in the world to the one in the body's frame whose impulse adds T to the angular momentum in the
// world, R+ J w+ - R J w = T, where R+ = R cay(h w):  (1 - [h w / 2]) R' T.  Its work is w . R'T all the same.
static ChVec3 into_body(const ChJointPaths* paths, int body, ChVec3 torque) {
  if (body < 0) return torque;
  ChVec3 local = ch_rotate_back(paths->start[body].orientation, torque);
  return ch_along(local, -0.5 * paths->h, ch_cross(paths->turn[body], local));
}

int ch_joint_rows_between(const ChWorld* world, const ChJoint* joint, const ChJointPaths* paths, double t,
                          ChJointRow* rows) {
  ChJointPose p = pose(world, joint, paths->start), q = pose(world, joint, paths->end);
  double sweep[2] = {1.0, 1.0};
  for (int k = 0; k < 2 && world->dimension == 2; ++k) sweep[k] = sweep_of(paths, joint->body[k]);
  ChJointPose m = mean_pose(&p, &q, sweep);
  const bool rigid = !joint->grip[0] && !joint->grip[1];
  ChJointRow mean[CH_JOINT_ROWS_MAX], end[CH_JOINT_ROWS_MAX];
  int count = rows_of(&p, t, rows);
  rows_of(&m, t, mean);
  rows_of(&q, t, end);
  for (int k = 0; k < count; ++k) {
    ChRow row = mean[k].row;
    for (int side = 0; side < 2; ++side) row.torque[side] = into_body(paths, joint->body[side], row.torque[side]);
    double share = (end[k].value - rows[k].value) / ch_joint_change(paths, joint, &row);
    bool curved = rigid && rows[k].axis >= 0 && rows[k].kind != CH_ROW_FRICTION && share > 0.5 && share < 2.0;
    for (int side = 0; side < 2 && curved; ++side)
      row.force[side] = ch_scale(share, row.force[side]), row.torque[side] = ch_scale(share, row.torque[side]);
    rows[k].row = row;
  }
  return count;
}
