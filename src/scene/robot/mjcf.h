// MJCF, MuJoCo's format, in parts: bodies and joints (mjcf.c), geoms (mjcf_geom.c), what is said of all or of pairs
// (mjcf_rest.c). docs/robots.md says what of it is read.
#ifndef CH_SCENE_ROBOT_MJCF_H
#define CH_SCENE_ROBOT_MJCF_H

#include "scene/robot/robot.h"

// A class of defaults; each holds for what the classes below it leave out.
typedef struct ChMjcfClass {
  const char* name;
  ChXmlNode* node;
  struct ChMjcfClass* above;
} ChMjcfClass;

typedef struct ChMjcfGeom {
  const char* name;  // NULL: none
  const ChXmlNode* node;
  int body;  // -1: the world
  int material;
  unsigned type, affinity;  // contype and conaffinity
} ChMjcfGeom;

typedef struct ChMjcf {
  ChRobot* robot;
  ChXmlNode* root;
  double radian;            // what an angle of the file is in radians
  const char* sequence;     // of Euler's angles
  const char* mesh_folder;  // NULL: the file's
  bool auto_limits;
  int from_geoms;  // whether masses follow from geoms: 0 no, 1 yes, 2 where there is no <inertial>
  int class_count;
  ChMjcfClass* classes;
  int geom_count;
  ChMjcfGeom* geoms;  // those that touch something
  bool masked;        // some have bits of their own
} ChMjcf;

// An element with what its class says.
ChXmlView ch_mjcf_view(const ChMjcf* m, ChXmlNode* node);
// A name of at most 100 letters; NULL where there is none.
bool ch_mjcf_name(const ChMjcf* m, ChXmlView* view, const char** out);
// quat, axisangle, xyaxes, zaxis or euler; left alone where none is given.
bool ch_mjcf_orientation(const ChMjcf* m, ChXmlView* view, ChQuat* out);
bool ch_mjcf_flag(ChXmlView* view, const char* name, bool* out);
int ch_mjcf_body_named(const ChMjcf* m, const char* name);  // -1: the world, -2: none

// All geoms of a body (-1: the world) into its shapes, and into `mass` what they weigh.
bool ch_mjcf_read_geoms(ChMjcf* m, ChXmlNode* node, int index, ChRobotBody* body, ChRobotMass* mass);
ChXmlNode* ch_mjcf_asset(const ChMjcf* m, const char* tag, const char* name);

// contact, equality and actuator, after all bodies.
bool ch_mjcf_read_rest(ChMjcf* m);

#endif
