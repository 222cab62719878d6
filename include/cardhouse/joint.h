// The joints of a world: their definitions, their states while bodies move, and their drives.
//
// A freedom is numbered as its type lists it (joint_types.h). Its coordinate is an angle in radians or a displacement
// in metres, its force a torque in newton metres or a force in newtons, positive if it would make the coordinate grow.
#ifndef CARDHOUSE_JOINT_H
#define CARDHOUSE_JOINT_H

#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

// --- the joints of a world -------------------------------------------------------------------------------------------

// Returns how many joints the world has.
CH_API int ch_world_joint_count(const ChWorld* world);
// Returns the id of the joint in a row, 0 to ch_world_joint_count - 1; none beyond.
CH_API ChJointId ch_world_joint_at(const ChWorld* world, int row);
// Returns the row of a joint; -1 for none and for an id that is stale or of another world.
CH_API int ch_world_joint_row(const ChWorld* world, ChJointId joint);
// Returns the name of a joint, which the world owns; NULL if there is no such joint.
CH_API const char* ch_world_joint_name(const ChWorld* world, ChJointId joint);
// Returns the first joint of that name, or none.
CH_API ChJointId ch_world_find_joint(const ChWorld* world, const char* name);
// Returns the definition of a joint: bodies, limits, friction and drives as they are now; points and axes in the world
// at the start. Names and tables belong to the world. CH_ERR_RANGE if there is no such joint.
CH_API ChStatus ch_world_joint_def(ChContext* context, const ChWorld* world, ChJointId joint, ChJointDef* out);

// Returns the joint's frame in its first (side 0) or second (side 1) body. Its origin is the point that the joint
// holds, and its z is the joint's axis. For the ground the frame is given in the world. For a body it is given in the
// frame that moves with the body and has its origin at the centre of mass. If there is no such joint, the frame is the
// identity.
CH_API ChFrame ch_world_joint_frame(const ChWorld* world, ChJointId joint, int side);

// --- state -----------------------------------------------------------------------------------------------------------

typedef struct ChJointView {
  int freedoms;  // number of freedoms with a coordinate; the rest of the arrays is 0
  double position[3], speed[3];
  // Forces of the last step along each freedom: of its motor, prescribed motion or force; of its limits; of its
  // friction. A freedom with CH_DRIVE_FORCE shows its target.
  double drive[3], limit[3], friction[3];
  // Total force and torque of the joint on its second body in the last step: newtons, and newton metres about the
  // joint's point on that body at the beginning of the step, in the world frame.
  ChVec3 force, torque;
} ChJointView;

// Returns the state of a joint. If the joint does not exist, freedoms is 0 and every number is NaN.
CH_API ChJointView ch_simulation_joint(const ChSimulation* simulation, ChJointId joint);

// One scalar equation or inequality of a joint.
typedef enum ChJointRowType {
  CH_JOINT_ROW_EQUAL,     // a permanent equation of the joint's type, or a prescribed motion
  CH_JOINT_ROW_LOWER,     // the lower limit of a freedom
  CH_JOINT_ROW_UPPER,     // the upper limit
  CH_JOINT_ROW_MOTOR,     // a motor towards a position or a speed
  CH_JOINT_ROW_FRICTION,  // friction of a freedom
  CH_JOINT_ROW_SPRING,    // stiffness and damping of a freedom
} ChJointRowType;

enum { CH_JOINT_ROW_LIMIT = 18 };  // no joint has more rows

typedef struct ChJointRowView {
  ChJointRowType type;
  int axis;      // the freedom that it belongs to; -1: a permanent equation
  double value;  // present error of an equality, distance to a limit or error of a position motor; metres or radians
  double force;  // force of the row in the last step, newtons or newton metres
} ChJointRowView;

// Writes every row of a joint, at most CH_JOINT_ROW_LIMIT; returns how many were written, 0 if there is no such joint.
CH_API int ch_simulation_joint_rows(const ChSimulation* simulation, ChJointId joint, ChJointRowView* rows);

// --- control ---------------------------------------------------------------------------------------------------------

// Sets the target of a motor from the next step on: a position, a speed or a force, by the freedom's drive. The target
// stays until the next call. A prescribed motion reaches it within one step, whatever force that needs. CH_ERR_ARGUMENT
// if the freedom is not driven.
CH_API ChStatus ch_simulation_set_target(ChContext* context, ChSimulation* simulation, ChJointId joint, int axis,
                                         double target);

// Gives a freedom a new drive, with its target and strength (the largest force; 0: unlimited; ignored for
// CH_DRIVE_FORCE). Warm starts of the joint are forgotten if the kind of drive changes.
CH_API ChStatus ch_simulation_set_drive(ChContext* context, ChSimulation* simulation, ChJointId joint, int axis,
                                        ChDrive drive, double target, double strength);

// --- adding and removing ---------------------------------------------------------------------------------------------

// Adds a joint between two steps, as the last row. Its points and axes are given in the world as it is now, and its
// coordinates are 0 there.
CH_API ChStatus ch_simulation_add_joint(ChContext* context, ChSimulation* simulation, const ChJointDef* def,
                                        ChJointId* id);
// Removes a joint: its id is stale from now on, and rows after it move up by one. Bodies that it kept from touching may
// touch again, unless another joint or ch_world_ignore_pair forbids it.
CH_API ChStatus ch_simulation_remove_joint(ChContext* context, ChSimulation* simulation, ChJointId joint);

#ifdef __cplusplus
}
#endif
#endif
