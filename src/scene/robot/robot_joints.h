// Joints of a robot's model as joints of a scene, while the scene is built.
#ifndef CH_SCENE_ROBOT_ROBOT_JOINTS_H
#define CH_SCENE_ROBOT_ROBOT_JOINTS_H

#include "scene/robot/robot.h"

// Where a body is at the start.
typedef struct ChRobotPlace {
  ChFrame before, frame;  // before its joints moved, and after
  int whole;              // the body that it is a part of, perhaps itself; -1: it stands still
} ChRobotPlace;

typedef struct ChRobotBuild {
  ChRobot* robot;
  ChXmlNode* root;
  ChRobotOrigins* origins;
  ChRobotPlace* places;
  ChRobotMass* masses;  // of wholes
  bool stands;          // there is a body that stands still
  json_t *scene, *bodies, *joints, *ignore;
} ChRobotBuild;

json_t* ch_robot_vector(ChVec3 v);
// How far a joint has moved its body as the scene begins.
ChFrame ch_robot_joint_moved(const ChRobotJoint* joint);

// Several joints of one body that no joint of ours is: links between them take a thousandth of its mass each.
int ch_robot_chain_length(const ChRobotBuild* build, int body);    // how many such links there are
double ch_robot_chain_share(const ChRobotBuild* build, int body);  // of the mass, for each
void ch_robot_chain_name(const ChRobotBuild* build, int body, int link, char* name, size_t size);

// Adds what rotors weigh about hinges to the body's inertia.
void ch_robot_note_armature(ChRobotBuild* build, int body, ChRobotMass* mass);

// The joints that lead to a body, or tie two; false with a failure.
bool ch_robot_put_joints(ChRobotBuild* build, int body);
bool ch_robot_put_tie(ChRobotBuild* build, const ChRobotTie* tie);
void ch_robot_put_ignored(ChRobotBuild* build);

#endif
