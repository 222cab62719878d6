// Robots that others describe, as scenes of ours: URDF (urdf.c) and MJCF (mjcf.c) become one model, bodies in a tree
// with the joints that lead to them (below), and the model becomes a scene in JSON (robot_scene.c). docs/robots.md
//
// A body without joints is a part of the one that carries it, with its shapes and its mass; at the root it stands
// still.
#ifndef CH_SCENE_ROBOT_ROBOT_H
#define CH_SCENE_ROBOT_ROBOT_H

#include "base/vector.h"
#include "scene/document.h"
#include "scene/robot/xml_tree.h"

// --- what the user chooses -------------------------------------------------------------------------------------------

typedef struct ChRobotChoice {
  bool free;       // the root moves
  bool exact;      // meshes touch with their surface, not with their convex hull
  bool alone;      // the robot's bodies pass through each other
  bool uncoupled;  // joints that should follow others move on their own
  bool has_floor;
  double floor;  // height of a floor, m
} ChRobotChoice;

// --- the model -------------------------------------------------------------------------------------------------------

typedef struct ChRobotMass {
  double mass;
  ChVec3 centre;
  ChMat3 inertia;  // about the centre
} ChRobotMass;

typedef struct ChRobotShape {
  const ChXmlNode* node;
  ChShapeDef def;  // of which `at` and `orientation` are not read, but
  ChFrame frame;   // in the body
  int material;    // of the model; -1: the scene's default
} ChRobotShape;

typedef enum ChRobotMotion {
  CH_ROBOT_HINGE,
  CH_ROBOT_SLIDE,
  CH_ROBOT_BALL,
  CH_ROBOT_PLANAR,
  CH_ROBOT_FREE,
} ChRobotMotion;

typedef struct ChRobotJoint {
  const ChXmlNode* node;
  const char* name;
  ChRobotMotion motion;
  ChVec3 at, axis;  // in the body's frame, where the joint is at `zero`
  double zero;      // coordinate at which the bodies are as the file places them
  bool limited;
  double lower, upper;  // of the coordinate
  double friction, damping, stiffness, rest, armature;
  const char* drive;  // NULL: none
  double strength;
  double start;  // by robot_scene.c: the coordinate at which the scene begins
} ChRobotJoint;

typedef struct ChRobotBody {
  const ChXmlNode* node;
  const char* name;
  int parent;     // before it in the list; -1: the world
  ChFrame frame;  // in the parent's
  int joint_count;
  ChRobotJoint* joints;
  bool weighed;  // the file gives mass and inertia; else they follow from the shapes
  ChRobotMass mass;
  int shape_count;
  ChRobotShape* shapes;
  bool coloured;
  double colour[4];
} ChRobotBody;

typedef struct ChRobotMaterial {
  double friction[3];  // sliding; drilling and rolling, m
  int contact;         // MuJoCo's condim: 1 no friction, 3 sliding, 4 with drilling, 6 with rolling too
  int priority;        // of two in contact the higher one's friction holds
  bool own;            // of one geom, which a pair speaks of
} ChRobotMaterial;

// A tie between two bodies besides the tree: a closed loop.
typedef struct ChRobotTie {
  const ChXmlNode* node;
  const char* name;
  const char* type;  // of the scene's joint
  int body[2];       // -1: the world
  ChVec3 at;         // in the first body's frame
} ChRobotTie;

enum { CH_ROBOT_BODIES = 4000, CH_ROBOT_MATERIALS = 200, CH_ROBOT_NOTES = 1 << 14 };

typedef struct ChRobotPair {
  int material[2];
  ChRobotMaterial of;
} ChRobotPair;

// Two bodies that do not touch each other; -1: what stands still.
typedef struct ChRobotIgnored {
  int body[2];
} ChRobotIgnored;

typedef struct ChRobot {
  ChReader* reader;
  ChRobotChoice choice;
  const char* name;
  const char* ground;   // name of the body that stands still
  bool touches_ground;  // bodies that are joined to it may touch it
  double h;             // 0: the default
  ChVec3 gravity;
  int body_count;
  ChRobotBody* bodies;
  int material_count;
  ChRobotMaterial* materials;
  int pair_count;
  ChRobotPair* pairs;  // those that do not follow the file's rule
  int tie_count;
  ChRobotTie* ties;
  int ignore_count;
  ChRobotIgnored* ignore;
  char* notes;  // lines that are told with the scene
  size_t noted;
} ChRobot;

// --- the parts -------------------------------------------------------------------------------------------------------

// Turns `document`, whose text is XML, into a scene: root, notes, and where its parts come from. False with a failure.
bool ch_robot_read(ChReader* reader, ChDocument* document);

bool ch_urdf_read(ChRobot* robot, ChXmlNode* root);
bool ch_mjcf_read(ChRobot* robot, ChXmlNode* root);

// The scene of a model. Its bodies, shapes and joints are noted with the elements they come from.
typedef struct ChRobotOrigins {
  int body_count, joint_count;
  const ChXmlNode** body;
  const ChXmlNode*** shape;  // of each body
  int* shape_count;
  const ChXmlNode** joint;
} ChRobotOrigins;
// `node` is the whole. NULL with a failure.
json_t* ch_robot_scene(ChRobot* robot, ChXmlNode* node, ChRobotOrigins* origins);

// A line that is told with the scene.
void ch_robot_note(ChRobot* robot, const ChXmlNode* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// --- masses: robot_mass.c --------------------------------------------------------------------------------------------

// Mass properties of a shape of density 1, in its own frame.
bool ch_robot_weigh(ChRobot* robot, const ChXmlNode* node, const ChShapeDef* def, ChRobotMass* out);
// The same, without a complaint where it fails.
bool ch_robot_try_weigh(ChRobot* robot, const ChShapeDef* def, ChRobotMass* out);
// The same mass seen from where its frame is placed.
ChRobotMass ch_robot_mass_placed(ChFrame frame, ChRobotMass mass);
// Two as one, both in one frame.
ChRobotMass ch_robot_mass_sum(ChRobotMass a, ChRobotMass b);
ChRobotMass ch_robot_mass_scaled(double factor, ChRobotMass mass);

// --- what both formats share: robot_parts.c --------------------------------------------------------------------------

ChFrame ch_robot_frame_identity(void);
// The name of a mesh's file, from the folder of the robot's file; false, with a failure, where it leads out of it, or
// where none is there.
bool ch_robot_mesh_file(ChRobot* robot, const ChXmlNode* node, const char* folder, const char* name, const char** out);
// A mesh or its hull, by the user's choice; a scale that is not the same along all axes is worked into a hull's points.
bool ch_robot_mesh_shape(ChRobot* robot, const ChXmlNode* node, const char* file, const double scale[3],
                         ChShapeDef* out);
// A copy in the reader's arena.
char* ch_robot_keep(ChRobot* robot, const char* text);

#endif
