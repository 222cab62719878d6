// What a joint asks of its two bodies at one moment: rows g(q, t) = 0 with their gradients.
//
// A row has a gradient (ga, wa, gb, wb): dg/dt = ga . v_a + wa . w_a + gb . v_b + wb . w_b + rate, with v in the world
// frame and w in each body's frame, as the velocities of world.h. Equality rows come first, then one row for each
// freedom that is limited, driven or rubs.
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
} ChRowKind;

typedef struct ChJointRow {
  ChRow row;
  ChRowKind kind;
  double value;     // g, or the signed room to a limit, or a position motor's error
  double rate;      // dg/dt that does not come from v (prescribed motion: - target'(t)); motors: the wanted speed
  double strength;  // motor, friction: largest force
  int axis;         // which freedom, -1 for equality rows
} ChJointRow;

enum { CH_JOINT_ROWS_MAX = 6 + 3 * 4 };

// Fills rows for state and time; returns how many. Bodies at CH_GROUND use the inertial frame.
int ch_joint_rows(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, double t, ChJointRow* rows);

// Coordinate of a freedom (angle, displacement, distance).
double ch_joint_coordinate(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, int axis);

// Torque-driven freedoms (CH_DRIVE_FORCE): adds h * force to the impulses of the bodies.
#endif
