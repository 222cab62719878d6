// What a scene may hold: the forms of forms.c and the structs that they fill.
#ifndef CH_SCENE_FORMS_H
#define CH_SCENE_FORMS_H

#include "cardhouse/periodic.h"
#include "cardhouse/recirculation.h"
#include "cardhouse/simulation.h"
#include "cardhouse/tetrahedra.h"
#include "scene/reader.h"

// Settings of a run: the keys "step" and "method".
typedef struct ChSceneRun {
  ChSimulationOptions options;
  double until;
  double overlap;  // metres by which bodies may overlap at the start; < 0: a share of the smaller one's size
  int max_iterations;
} ChSceneRun;

typedef struct ChSceneCamera {
  double time, fov, orbit;
  ChVec3 at, target;
  int view;
  const char* follow;
  json_t* keys;
} ChSceneCamera;

typedef struct ChSceneLook {
  ChLook background;
  int colour_by;
  bool contacts, chains;
  ChSceneCamera camera;
} ChSceneLook;

typedef struct ChSceneRoot {
  int version, dimension;
  const char *schema, *name, *description;
  ChSignal gravity[3];
  ChPeriodic periodic;
  ChRecirculation recirculation;
  ChSceneRun run;
  ChSceneLook look;
  json_t *parameters, *include, *materials, *pairs, *meshes, *bodies, *joints, *forces, *ignore;
} ChSceneRoot;

typedef struct ChScenePair {
  ChPairDef def;
  json_t* materials;
} ChScenePair;

typedef struct ChSceneNumbers {
  int count;
  const double* values;
} ChSceneNumbers;

// Friction over the speed of slip: static and dynamic, or a table.
typedef struct ChSceneCurve {
  double sticks, slips;
  ChSceneNumbers speed, mu;
} ChSceneCurve;

typedef struct ChSceneSoft {
  ChSoftDef def;
  ChTetShapeDef shape;  // instead of def.file
  const char* material;
  double arm_share[CH_ARMS_MAX];  // of young, where an arm's modulus is given so
  ChVec3 clamp[2];
  ChSceneNumbers amplitudes, rates;  // at the start; what is left out is 0
} ChSceneSoft;

typedef struct ChSceneBody {
  ChBodyDef def;
  bool fixed;
  ChSceneSoft soft;
  json_t* shapes;
  ChSceneNumbers copies;  // coordinates, one body after the other
} ChSceneBody;

typedef struct ChSceneShape {
  ChShapeDef def;
  const char *material, *mesh;
} ChSceneShape;

typedef struct ChSceneJoint {
  ChJointDef def;
  json_t* bodies;
} ChSceneJoint;

typedef struct ChSceneForce {
  ChForceDef def;
  json_t* bodies;    // spring, torsion
  const char* body;  // wrench, drag
} ChSceneForce;

extern const ChSceneForm ch_form_scene, ch_form_material, ch_form_pair, ch_form_body, ch_form_shape, ch_form_joint,
    ch_form_joint_axis, ch_form_force, ch_form_step, ch_form_method, ch_form_signal, ch_form_friction,
    ch_form_stabilization, ch_form_contact, ch_form_adaptive, ch_form_bounds, ch_form_mesh, ch_form_soft,
    ch_form_soft_mesh, ch_form_damping, ch_form_maxwell_arm, ch_form_look, ch_form_body_look, ch_form_camera,
    ch_form_camera_key, ch_form_section, ch_form_own_law, ch_form_recirculation, ch_form_stiction, ch_form_stribeck;

// Types of values that only scenes have: special_types.c.
extern const ChFieldType ch_type_signal;          // ChSignal: a number, or an object
extern const ChFieldType ch_type_periodic;        // ChPeriodic: an object of axes
extern const ChFieldType ch_type_signals;         // ChSignal[3]: one per coordinate
extern const ChFieldType ch_type_spin_signals;    // ChSignal[3]: about x, y, z; in the plane one, about z
extern const ChFieldType ch_type_signal_table;    // ChSignal: rows of time and value
extern const ChFieldType ch_type_spin;            // ChVec3: in the plane one number, about z
extern const ChFieldType ch_type_turn;            // ChQuat followed by an angle
extern const ChFieldType ch_type_friction;        // ChMaterialDef: a number, or an object
extern const ChFieldType ch_type_section;         // ChMaterialDef: points [x, y]
extern const ChFieldType ch_type_law_parameters;  // of a ChMaterialDef: numbers
extern const ChFieldType ch_type_pair_friction;   // ChPairDef: a number, [along, across], or an object
extern const ChFieldType ch_type_locks;           // unsigned
extern const ChFieldType ch_type_inertia;         // double[6]
extern const ChFieldType ch_type_points;          // ChShapeDef: points
extern const ChFieldType ch_type_triangles;       // ChShapeDef: triangles
extern const ChFieldType ch_type_segments;        // ChShapeDef: segments
extern const ChFieldType ch_type_heights;         // ChShapeDef: columns, rows and heights
extern const ChFieldType ch_type_two_points;      // ChVec3[2]
extern const ChFieldType ch_type_two_texts;       // json_t*: an array of two texts
extern const ChFieldType ch_type_text_pairs;      // json_t*: an array of such
extern const ChFieldType ch_type_joint_axes;      // ChJointAxis[3]
// Types of deformable bodies: soft_types.c.
extern const ChFieldType ch_type_soft_mesh;  // ChSceneSoft: a file, or an object
extern const ChFieldType ch_type_damping;    // ChSceneSoft: [alpha, beta], or an object
extern const ChFieldType ch_type_numbers;    // ChSceneNumbers
// Types of settings: settings_types.c.
extern const ChFieldType ch_type_stabilization;  // ChSimulationOptions
extern const ChFieldType ch_type_contact;        // ChSimulationOptions
extern const ChFieldType ch_type_adaptive;       // ChSimulationOptions
extern const ChFieldType ch_type_bounds;         // ChSimulationOptions
extern const ChFieldType ch_type_integrator;     // const char*
extern const ChFieldType ch_type_method;         // const char*
extern const ChFieldType ch_type_inner;          // const char*
extern const ChFieldType ch_type_cone;           // ChSimulationOptions
extern const ChFieldType ch_type_settings;       // ChSolveOptions

// docs/scene.schema.json, from the forms.
json_t* ch_scene_schema(void);

#endif
