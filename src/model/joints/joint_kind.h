// A type of joint as one row: what it is called, what its definition must be, which rows it has and which freedoms it
// leaves. One file a type in this folder; nobody asks which type a joint is.
//
// With d from the anchor on body a to that on body b, and x, y, z the axes of the joint's frames, everything a joint
// asks is a product of vectors that turn with one of the bodies, so its gradient is exact wherever the bodies are:
//
//   d/dt (d . e)   e fixed on a:  e . (v_b - v_a) + (r_b x e) . w_b - ((r_a + d) x e) . w_a
//   d/dt (u . w)   u on a, w on b:  (w x u) . (w_b - w_a)
#ifndef CH_MODEL_JOINTS_JOINT_KIND_H
#define CH_MODEL_JOINTS_JOINT_KIND_H

#include "model/joint_rows.h"
#include "model/world_build.h"

// A joint where its bodies are at a moment.
typedef struct ChJointPose {
  const ChWorld* world;
  const ChJoint* joint;
  ChQuat turn[2];           // of the bodies
  ChQuat joint_turn[2];     // of the joint's frames
  ChVec3 lever[2];          // from the centre of mass to the anchor
  ChVec3 x[2], y[2], z[2];  // axes of the joint's frames
  ChVec3 d;                 // from the anchor on a to the anchor on b
  double sweep[2];          // of a lever as its body turns: 1 but for the mean of two places in the plane
  double angle;             // plane: angle of b less that of a, since the start
} ChJointPose;

typedef struct ChJointRowList {
  ChJointRow* rows;
  int count;
} ChJointRowList;

typedef struct ChJointKind {
  ChJointInfo info;
  const char* instead;  // said where a plane world is refused the type, e.g. "a hinge does the same"; NULL: nothing
  // Beyond the checks of the fields: what they must be together. May complete the definition. NULL: nothing.
  ChStatus (*check)(ChContext* context, const ChWorld* world, ChJointDef* def, const char* what);
  // Direction of x of the joint's frame, whose z is the axis. NULL: a normal of the axis; in the plane the one in it.
  ChVec3 (*x_axis)(const ChWorld* world, const ChJointDef* def);
  // Coordinate of every freedom at the start. NULL: zero.
  double (*start)(const ChJointDef* def);
  // The rows that hold always.
  void (*equalities)(const ChJointPose* pose, ChJointRowList* list);
  // Coordinate of a freedom and, where `row` is not NULL, its exact gradient.
  double (*freedom)(const ChJointPose* pose, int axis, ChRow* row);
  // Along which a force on a freedom acts. NULL: the gradient of its coordinate.
  ChRow (*direction)(const ChJointPose* pose, int axis);
} ChJointKind;

// The row of a type, which must be one.
const ChJointKind* ch_joint_kind(ChJointType type);

static const double CH_JOINT_SLACK = 1e-6;  // metres or radian by which a start may miss what the joint asks

// --- fields that several types have ----------------------------------------------------------------------------------

#define CH_JOINT_FIELD(kind, flags, member, text) \
  { #member, kind, flags, offsetof(ChJointDef, member), text }
#define CH_JOINT_AT CH_JOINT_FIELD(CH_DEF_VECTOR, CH_DEF_REQUIRED, at, "world's frame, at the start, m")
#define CH_JOINT_AXIS CH_JOINT_FIELD(CH_DEF_DIRECTION, CH_DEF_REQUIRED, axis, "world's frame, at the start")
#define CH_JOINT_FREEDOMS CH_JOINT_FIELD(CH_DEF_FREEDOMS, 0, axes, "limits, friction and drive of each freedom")
#define CH_JOINT_FIELDS(array) .field_count = (int)(sizeof(array) / sizeof *(array)), .fields = (array)

// --- parts that several types are made of: joint_parts.c -------------------------------------------------------------

ChRow ch_joint_shift_row(const ChJointPose* pose, ChVec3 e);             // gradient of d . e, e fixed in the world
ChRow ch_joint_slide_row(const ChJointPose* pose, ChVec3 e);             // the same, e fixed on a
ChRow ch_joint_turn_row(const ChJointPose* pose, ChVec3 axis);           // a relative rotation about `axis`
ChRow ch_joint_cosine_row(const ChJointPose* pose, ChVec3 u, ChVec3 w);  // gradient of u . w, u on a, w on b

// d . e, e fixed on a
double ch_joint_slide(const ChJointPose* pose, ChVec3 e, ChRow* row);
// Angle of x_b about z_a; in the plane that of b, turns counted.
double ch_joint_twist(const ChJointPose* pose, ChRow* row);
// atan2(s, c) of two cosines between axes of a and axes of b; dc and ds as the axes of turns that change them.
double ch_joint_angle(const ChJointPose* pose, double c, ChVec3 dc, double s, ChVec3 ds, ChRow* row);

void ch_joint_add_equal(ChJointRowList* list, double value, ChRow row);
void ch_joint_add_together(const ChJointPose* pose, ChJointRowList* list);  // d = 0
void ch_joint_add_on_line(const ChJointPose* pose, ChJointRowList* list);   // d . x_a = d . y_a = 0
void ch_joint_add_aligned(const ChJointPose* pose, ChJointRowList* list);   // x_a . z_b = y_a . z_b = 0
void ch_joint_add_parallel(const ChJointPose* pose, ChJointRowList* list);  // and y_a . x_b = 0; plane: the angle

#endif
