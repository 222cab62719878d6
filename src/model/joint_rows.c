// Rows of joints. With d from the anchor on body a to that on body b, and x, y, z the axes of the joint's frames:
//
//   fixed           d = 0,  x_a . z_b = y_a . z_b = y_a . x_b = 0
//   ball            d = 0
//   hinge           d = 0,  x_a . z_b = y_a . z_b = 0
//   slider          d . x_a = d . y_a = 0,  x_a . z_b = y_a . z_b = y_a . x_b = 0
//   cylindrical     d . x_a = d . y_a = 0,  x_a . z_b = y_a . z_b = 0
//   universal       d = 0,  z_a . x_b = 0
//   planar          d . z_a = 0,  x_a . z_b = y_a . z_b = 0
//   distance        |d| = length, unless the distance is limited, driven or rubs
//   point-on-line   d . x_a = d . y_a = 0
//
// All are products of vectors that turn with one of the bodies, so their gradients are exact wherever the bodies are:
//
//   d/dt (d . e)   e fixed on a:  e . (v_b - v_a) + (r_b x e) . w_b - ((r_a + d) x e) . w_a
//   d/dt (u . w)   u on a, w on b:  (w x u) . (w_b - w_a)
#include "model/joint_rows.h"

static const double PI = 3.141592653589793;

typedef struct Posed {
  const ChWorld* world;
  const ChJoint* joint;
  ChQuat turn[2];        // of the bodies
  ChQuat joint_turn[2];  // of the joint's frames
  ChVec3 lever[2];       // from the centre of mass to the anchor
  ChVec3 x[2], y[2], z[2];
  ChVec3 d;
  double angle;  // plane: angle of b less that of a, since the start
} Posed;

static Posed pose(const ChWorld* world, const ChJoint* joint, const ChBodyState* states) {
  Posed p = {.world = world, .joint = joint, .angle = -joint->start_angle};
  ChVec3 at[2];
  for (int k = 0; k < 2; ++k) {
    ChFrame body = ch_state_frame(states, joint->body[k]), frame = ch_frame_compose(body, joint->frame[k]);
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

// ----------------------------------------------------------------------------------------------------------- gradients

// A row from the force on b and the torques in the world frame.
static ChRow make_row(const Posed* p, ChVec3 force, ChVec3 torque_a, ChVec3 torque_b) {
  return (ChRow){.force = {ch_neg(force), force},
                 .torque = {ch_rotate_back(p->turn[0], torque_a), ch_rotate_back(p->turn[1], torque_b)}};
}

// Gradient of d . e, e fixed in the world.
static ChRow shift_row(const Posed* p, ChVec3 e) {
  return make_row(p, e, ch_neg(ch_cross(p->lever[0], e)), ch_cross(p->lever[1], e));
}

// Gradient of d . e, e fixed on a.
static ChRow slide_row(const Posed* p, ChVec3 e) {
  return make_row(p, e, ch_neg(ch_cross(ch_add(p->lever[0], p->d), e)), ch_cross(p->lever[1], e));
}

// A relative rotation about `axis`.
static ChRow turn_row(const Posed* p, ChVec3 axis) { return make_row(p, ch_vec(0, 0, 0), ch_neg(axis), axis); }

// Gradient of u . w, u on a, w on b.
static ChRow cosine_row(const Posed* p, ChVec3 u, ChVec3 w) { return turn_row(p, ch_cross(w, u)); }

// ----------------------------------------------------------------------------------------------------------- freedoms

// atan2(s, c) of two cosines between axes of a and axes of b, with the gradient
static double angle_between(const Posed* p, double c, ChVec3 dc, double s, ChVec3 ds, ChRow* row) {
  double square = c * c + s * s;
  if (row)
    *row = turn_row(p, square > 0.0 ? ch_scale(1.0 / square, ch_sub(ch_scale(c, ds), ch_scale(s, dc))) : p->z[0]);
  return atan2(s, c);
}

// Of x_b about z_a.
static double twist(const Posed* p, ChRow* row) {
  if (p->world->dimension == 2) {
    if (row) *row = turn_row(p, ch_axis(2));
    return p->angle;
  }
  return angle_between(p, ch_dot(p->x[1], p->x[0]), ch_cross(p->x[1], p->x[0]), ch_dot(p->x[1], p->y[0]),
                       ch_cross(p->x[1], p->y[0]), row);
}

// Of b about its own x, which is a universal joint's second axis.
static double second_turn(const Posed* p, ChRow* row) {
  return angle_between(p, ch_dot(p->z[0], p->z[1]), ch_cross(p->z[1], p->z[0]), ch_dot(p->z[0], p->y[1]),
                       ch_cross(p->y[1], p->z[0]), row);
}

// phi = log(A' B), whose rate is (1 - [phi]/2 + c [phi]^2) times the relative angular velocity in the frame of a,
// c = 1 / t^2 - cot(t / 2) / (2 t), t = |phi|.
static double ball_turn(const Posed* p, int axis, ChRow* row) {
  ChQuat q = ch_quat_product(ch_quat_conjugate(p->joint_turn[0]), p->joint_turn[1]);
  if (q.w < 0.0) q = (ChQuat){-q.w, -q.x, -q.y, -q.z};
  ChVec3 v = ch_vec(q.x, q.y, q.z);
  double sine = ch_norm(v), t = 2.0 * atan2(sine, q.w);
  ChVec3 phi = ch_scale(sine > 0.0 ? t / sine : 2.0, v), e = ch_axis(axis);
  double c = t > 1e-4 ? 1.0 / (t * t) - 0.5 * q.w / (sine * t) : 1.0 / 12.0;
  if (row) {
    ChVec3 once = ch_cross(phi, e), twice = ch_cross(phi, once);
    *row = turn_row(p, ch_rotate(p->joint_turn[0], ch_along(ch_along(e, 0.5, once), c, twice)));
  }
  return ch_component(phi, axis);
}

static double slide(const Posed* p, ChVec3 e, ChRow* row) {
  if (row) *row = slide_row(p, e);
  return ch_dot(p->d, e);
}

static double distance(const Posed* p, ChRow* row) {
  double length = ch_norm(p->d);
  if (row) *row = shift_row(p, length > 0.0 ? ch_unit(p->d) : p->z[0]);  // coincident points: any direction
  return length;
}

static double freedom(const Posed* p, int axis, bool* angle, ChRow* row) {
  *angle = false;
  switch (p->joint->type) {
    case CH_JOINT_SLIDER:
    case CH_JOINT_POINT_ON_LINE:
      return slide(p, p->z[0], row);
    case CH_JOINT_CYLINDRICAL:
      if (axis == 0) return slide(p, p->z[0], row);
      break;
    case CH_JOINT_PLANAR:
      if (axis < 2) return slide(p, axis == 0 ? p->x[0] : p->y[0], row);
      break;
    case CH_JOINT_DISTANCE:
      return distance(p, row);
    case CH_JOINT_BALL:
      *angle = true;
      return ball_turn(p, axis, row);
    case CH_JOINT_UNIVERSAL:
      *angle = true;
      return axis == 0 ? twist(p, row) : second_turn(p, row);
    case CH_JOINT_HINGE:
    case CH_JOINT_FIXED:
      break;
  }
  *angle = true;
  return twist(p, row);
}

// The same angle within half a turn of `middle`.
static double nearest_turn(double angle, double middle) {
  return angle + 2.0 * PI * round((middle - angle) / (2.0 * PI));
}

static bool counts_turns(const Posed* p) { return p->world->dimension == 2; }

static double coordinate(const Posed* p, int axis, ChRow* row) {
  bool angle;
  double value = freedom(p, axis, &angle, row);
  const ChJointAxis* a = &p->joint->axes[axis];
  return angle && a->limited && !counts_turns(p) ? nearest_turn(value, 0.5 * (a->lower + a->upper)) : value;
}

static ChRow direction(const Posed* p, int axis) {
  if (p->joint->type == CH_JOINT_BALL) return turn_row(p, axis == 0 ? p->x[0] : axis == 1 ? p->y[0] : p->z[0]);
  ChRow row;
  bool angle;
  freedom(p, axis, &angle, &row);
  return row;
}

double ch_joint_freedom(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis,
                        ChRow* gradient) {
  Posed p = pose(world, joint, states);
  return coordinate(&p, axis, gradient);
}

double ch_joint_coordinate(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis) {
  return ch_joint_freedom(world, joint, states, axis, NULL);
}

ChRow ch_joint_direction(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis) {
  Posed p = pose(world, joint, states);
  return direction(&p, axis);
}

// -------------------------------------------------------------------------------------------------------------- rows

typedef struct List {
  ChJointRow* rows;
  int count;
} List;

static ChJointRow* add(List* list, ChRowKind kind, int axis, double value, ChRow row) {
  ChJointRow* entry = &list->rows[list->count++];
  *entry = (ChJointRow){.row = row, .kind = kind, .value = value, .axis = axis};
  return entry;
}

static void add_equal(List* list, double value, ChRow row) { add(list, CH_ROW_EQUAL, -1, value, row); }

static void add_together(const Posed* p, List* list) {
  for (int k = 0; k < p->world->dimension; ++k) add_equal(list, ch_component(p->d, k), shift_row(p, ch_axis(k)));
}

static void add_on_line(const Posed* p, List* list) {
  add_equal(list, ch_dot(p->d, p->x[0]), slide_row(p, p->x[0]));
  if (p->world->dimension == 3) add_equal(list, ch_dot(p->d, p->y[0]), slide_row(p, p->y[0]));
}

// The axes z of both bodies agree.
static void add_aligned(const Posed* p, List* list) {
  add_equal(list, ch_dot(p->x[0], p->z[1]), cosine_row(p, p->x[0], p->z[1]));
  add_equal(list, ch_dot(p->y[0], p->z[1]), cosine_row(p, p->y[0], p->z[1]));
}

static void add_parallel(const Posed* p, List* list) {
  if (p->world->dimension == 2) {
    add_equal(list, p->angle, turn_row(p, ch_axis(2)));
    return;
  }
  add_aligned(p, list);
  add_equal(list, ch_dot(p->y[0], p->x[1]), cosine_row(p, p->y[0], p->x[1]));
}

static void add_equalities(const Posed* p, List* list) {
  switch (p->joint->type) {
    case CH_JOINT_FIXED:
      add_together(p, list);
      add_parallel(p, list);
      return;
    case CH_JOINT_BALL:
      add_together(p, list);
      return;
    case CH_JOINT_HINGE:
      add_together(p, list);
      if (p->world->dimension == 3) add_aligned(p, list);
      return;
    case CH_JOINT_SLIDER:
      add_on_line(p, list);
      add_parallel(p, list);
      return;
    case CH_JOINT_CYLINDRICAL:
      add_on_line(p, list);
      add_aligned(p, list);
      return;
    case CH_JOINT_UNIVERSAL:
      add_together(p, list);
      add_equal(list, ch_dot(p->z[0], p->x[1]), cosine_row(p, p->z[0], p->x[1]));
      return;
    case CH_JOINT_PLANAR:
      add_equal(list, ch_dot(p->d, p->z[0]), slide_row(p, p->z[0]));
      add_aligned(p, list);
      return;
    case CH_JOINT_DISTANCE:
      if (ch_joint_axis_is_idle(&p->joint->axes[0])) {
        ChRow row;
        double length = distance(p, &row);
        add_equal(list, length - p->joint->length, row);
      }
      return;
    case CH_JOINT_POINT_ON_LINE:
      add_on_line(p, list);
      return;
  }
}

static ChRow turned(ChRow row) {
  for (int k = 0; k < 2; ++k) row.force[k] = ch_neg(row.force[k]), row.torque[k] = ch_neg(row.torque[k]);
  return row;
}

static void add_drive(const Posed* p, List* list, int axis, double value, ChRow gradient, double t) {
  const ChJointAxis* a = &p->joint->axes[axis];
  double target = ch_signal_value(&a->target, t), rate = ch_signal_rate(&a->target, t);
  bool angle;
  freedom(p, axis, &angle, NULL);
  double error = angle && !counts_turns(p) ? nearest_turn(value - target, 0.0) : value - target;
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

static void add_freedom(const Posed* p, List* list, int axis, double t) {
  const ChJointAxis* a = &p->joint->axes[axis];
  if (ch_joint_axis_is_idle(a)) return;
  ChRow gradient;
  double value = coordinate(p, axis, &gradient);
  if (a->limited && isfinite(a->lower)) add(list, CH_ROW_LOWER, axis, value - a->lower, gradient);
  if (a->limited && isfinite(a->upper)) add(list, CH_ROW_UPPER, axis, a->upper - value, turned(gradient));
  if (a->drive != CH_DRIVE_NONE && a->drive != CH_DRIVE_FORCE) add_drive(p, list, axis, value, gradient, t);
  if (a->friction > 0.0) add(list, CH_ROW_FRICTION, axis, 0.0, direction(p, axis))->strength = a->friction;
}

int ch_joint_rows(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, double t, ChJointRow* rows) {
  Posed p = pose(world, joint, states);
  List list = {rows, 0};
  add_equalities(&p, &list);
  for (int k = 0; k < ch_joint_freedoms(joint->type); ++k) add_freedom(&p, &list, k, t);
  return list.count;
}
