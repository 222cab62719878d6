// What a joint asks of its two bodies at one moment: rows g(q, t) = 0 with their gradients.
//
// A row has a gradient (ga, wa, gb, wb): dg/dt = ga . v_a + wa . w_a + gb . v_b + wb . w_b + rate, with v in the world
// frame and w in each body's frame, as the velocities of world.h. Equality rows come first, then one row for each
// freedom that is limited, driven, rubs or springs back.
#ifndef CH_MODEL_JOINT_ROWS_H
#define CH_MODEL_JOINT_ROWS_H

#include "model/world.h"

typedef struct ChRow {
  ChVec3 force[2];   // gradient with respect to v of each body
  ChVec3 torque[2];  // with respect to w, body's frame
} ChRow;

typedef enum ChRowKind {
  CH_ROW_EQUAL,     // g = value -> 0, rate = dg/dt at v = 0
  CH_ROW_LOWER,     // coordinate - lower >= 0 (value), unilateral
  CH_ROW_UPPER,     // upper - coordinate >= 0 (value), unilateral; gradient already turned
  CH_ROW_MOTOR,     // speed -> rate (position motors: value is the error to be removed), |force| <= strength
  CH_ROW_FRICTION,  // speed -> 0, |force| <= strength
  CH_ROW_SPRING,    // force = -stiffness value - damping speed: value is the coordinate from rest, strength not read
} ChRowKind;

typedef struct ChJointRow {
  ChRow row;
  ChRowKind kind;
  double value;     // g, or the signed room to a limit, or a position motor's error, coordinate - target
  double rate;      // dg/dt that does not come from v (prescribed motion: - target'(t)); motors: the wanted speed
  double strength;  // motor, friction: largest force; infinite where there is no bound
  int axis;         // which freedom; -1 for what the joint always asks
} ChJointRow;

enum { CH_JOINT_ROWS_MAX = 3 + 3 * 5 };  // what three freedoms leave, and what they may ask

// Fills rows for state and time; returns how many. Bodies at CH_GROUND use the inertial frame.
int ch_joint_rows(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, double t, ChJointRow* rows);

// The frame of one side in the world. On a deformable body it follows what it grips, and `states` have modes.
ChFrame ch_joint_frame_now(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int side);

// Gradients of rows along the modes of a deformable side, `modes` numbers each; ch_joint_modes is 0 of a rigid one, and
// nothing is written.
int ch_joint_modes(const ChJoint* joint, int side);
void ch_joint_bends(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int side, int count,
                    const ChRow* const* rows, double* out);
// What the rates of deformable sides add to the speed of a row.
double ch_joint_bend_speed(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, const ChRow* row);

// Bodies on their way from one place to another: x+ = x + h v, R+ = R cay(h turn), turn in the body's frame. Of
// deformable ones also where they are in the middle.
typedef struct ChJointPaths {
  const ChBodyState *start, *end, *middle;
  const ChVec3* turn;
  double h;
} ChJointPaths;

// The rows at the start, but their gradients are those between start and end: along the motion that led from one to the
// other the value changes by the gradient times that motion, exactly. Constraints that hold at both ends then do no
// work, and an impulse along a row leaves momentum and angular momentum of what it joins as they are.
// The part of deformation in that motion is not told here: see held_joints.c.
int ch_joint_rows_between(const ChWorld* world, const ChJoint* joint, const ChJointPaths* paths, double t,
                          ChJointRow* rows);

// That change along a row, without what deformation has of it.
double ch_joint_change(const ChJointPaths* paths, const ChJoint* joint, const ChRow* row);

// How many freedoms of a joint have a coordinate: they may be limited, driven and rub.
int ch_joint_freedoms(ChJointType type);

static inline bool ch_joint_axis_is_idle(const ChJointAxis* axis) {
  return !axis->limited && axis->friction == 0.0 && axis->drive == CH_DRIVE_NONE && axis->stiffness == 0.0 &&
         axis->damping == 0.0;
}

// Coordinate of a freedom (angle, displacement, distance) and, where `gradient` is not NULL, its exact derivative.
//
// In the plane angles count turns. In space they follow from the orientations alone: they are in (-pi, pi], or, where
// the freedom is limited, within half a turn of the middle of its limits. A ball's three coordinates are the rotation
// vector along the axes of the joint's frame on body[0].
double ch_joint_coordinate(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis);
double ch_joint_freedom(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis,
                        ChRow* gradient);

// How far a freedom is from where its spring rests, an angle the shorter way round.
double ch_joint_stretch(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis);

// Along which a force on a freedom acts, and whose product with the velocities is its speed: the gradient of the
// coordinate, for a ball the axes themselves.
ChRow ch_joint_direction(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis);

#endif
