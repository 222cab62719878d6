// A world: bodies with shapes, joints between them, forces on them. Values in, ids out.
//
//   ch_world_create -> ch_world_add_material, _body, _shape, _joint, _force ... -> ch_simulation_create (simulation.h)
//
// Every definition is copied. A wrong definition is refused and the world stays as it was; the message names the field,
// its value and what would be right. ch_*_def_default returns a definition with its defaults. An `id` may be NULL if
// the caller does not need it.
#ifndef CARDHOUSE_WORLD_H
#define CARDHOUSE_WORLD_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/friction_curve.h"
#include "cardhouse/friction_section.h"
#include "cardhouse/geometry.h"
#include "cardhouse/id.h"
#include "cardhouse/joint_types.h"
#include "cardhouse/shape_types.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChWorld ChWorld;

// A number that may change in time: base + rate t + amplitude sin(2 pi frequency t + phase), or a table (time, value)
// with straight lines between its rows and constant ends. A zero-initialised signal is the number 0.
typedef struct ChSignal {
  double base, rate, amplitude, frequency, phase;
  int table_count;
  const double* table;  // table_count pairs, times strictly increasing
} ChSignal;
// Returns the value of a signal at a time in seconds; NaN if `signal` is NULL.
CH_API double ch_signal_value(const ChSignal* signal, double time);

// Creates an empty world of dimension 2 (plane) or 3 (space), without gravity. The caller owns it until
// ch_simulation_create takes it over. If it fails, with CH_ERR_RANGE or CH_ERR_MEMORY, *out is NULL.
CH_API ChStatus ch_world_create(ChContext* context, int dimension, ChWorld** out);
// Frees a world and everything in it; NULL is legal. Do not call it for a world that a simulation owns.
CH_API void ch_world_destroy(ChWorld* world);
// Sets gravity along x, y and z, m/s^2; in the plane z must be 0. CH_ERR_RANGE if a number is not finite.
CH_API ChStatus ch_world_set_gravity(ChContext* context, ChWorld* world, const ChSignal gravity[3]);

// --- materials -------------------------------------------------------------------------------------------------------

// How a body is drawn; a zero leaves the choice to the program that draws. A look has no effect on the mechanics.
typedef enum ChPattern {
  CH_PATTERN_PLAIN,
  CH_PATTERN_CHECKS,
  CH_PATTERN_STRIPES,
  CH_PATTERN_CARD,  // the back of a playing card
} ChPattern;

typedef struct ChLook {
  bool coloured;
  unsigned colour;  // 0xRRGGBB, read if `coloured`
  bool sheer;
  double opacity;  // 0 to 1, read if `sheer`
  ChPattern pattern;
  int texture;          // number of one of the world's pictures (ch_world_add_texture); 0: none
  double texture_size;  // metres after which the picture repeats on a shape without texture coordinates; 0: as large as
                        // the shape
} ChLook;

// A picture to which a ChLook may refer: the bytes of a PNG file. The world does not decode them.
typedef struct ChTexture {
  const char* name;
  int width, height;  // pixels
  size_t size;
  const unsigned char* bytes;
} ChTexture;

// Adds a copy of a picture and writes its number, from 1. Fails with CH_ERR_ARGUMENT or CH_ERR_MEMORY.
CH_API ChStatus ch_world_add_texture(ChContext* context, ChWorld* world, const ChTexture* texture, int* number);
// Return how many pictures there are, and one of them by its number; its arrays belong to the world. The picture is
// empty if none has this number.
CH_API int ch_world_texture_count(const ChWorld* world);
CH_API ChTexture ch_world_texture(const ChWorld* world, int number);

enum { CH_MATERIAL_LAW_PARAMETERS = 4 };  // largest number of parameters of a material's law

typedef struct ChMaterialDef {
  const char* name;
  double density;      // kg / m^3 (plane: kg / m^2)
  double friction[2];  // along and across `axis`; equal = the same in every direction
  ChVec3 axis;         // direction in the body's frame; read only if the two coefficients differ or there is a section
  // Space: the friction that a unit of normal force can bear, in place of the two coefficients; NULL: the coefficients
  // hold. Its x is along the axis, its y along (normal out of this body) x axis; it is the friction on the other body.
  // docs/theory/section.md
  const ChFrictionSection* section;
  // The name of a section that the program registers (own_law.h) before the simulation begins, and its parameters. It
  // takes the place of the two coefficients, and has the axes of `section`. NULL: none. docs/your_own_law.md
  const char* law;
  double law_parameter[CH_MATERIAL_LAW_PARAMETERS];
  ChFrictionCurve curve;  // friction over the speed of slip; without points, friction does not depend on the speed
  double restitution;
  // For compliant contact (ChSimulationOptions.contact, docs/granular.md): how bodies of this material yield.
  double young, poisson;  // Hertz: Pa, and a number in (-1, 0.5]; young 0: not given
  double stiffness;       // N/m for the contact of two such bodies; takes precedence over young; 0: not given
  double damping;         // N s/m; negative: from the restitution
  // Moments that a contact can bear, metres times its normal force: against rolling, and about the normal. Contacts of
  // deformable bodies bear none. docs/theory/rolling.md
  double rolling, drilling;
  // The pull that a contact point of such a body can bear before it parts, N; friction counts it as load. Bodies that
  // touch at the start are bonded. If the material `heals`, a bond forms again at every contact that is pressed.
  double cohesion;
  bool heals;
  // A spring along the tangents of each contact point, N/m and N s/m, which slides at the limit of friction, as in DEM
  // or in a masonry joint. 0: a contact that sticks does not creep. Not together with moments or a section; at an
  // impact it gives no impulse. docs/theory/compliant.md
  double shear_stiffness, shear_damping;
  bool ellipsoidal;  // friction and drilling share one limit, as over a patch; not together with rolling
  ChLook look;       // look of bodies that have none of their own and whose first shape has this material
} ChMaterialDef;
// Returns density 1000, friction 0.5, no restitution, no moments, no cohesion and no shear springs. For compliant
// contact: poisson 0.3, neither young nor stiffness, damping from restitution. Bonds heal.
CH_API ChMaterialDef ch_material_def_default(void);

// Properties of two materials in contact. They replace this rule: friction is sqrt(mu_a mu_b) at every speed, and
// restitution max(e_a, e_b). Stiffness and shear stiffness are the harmonic mean. Damping, rolling and drilling are the
// larger value, cohesion the smaller. A negative number leaves the rule in force. If the two frictions differ, the axis
// is that of the first material.
typedef struct ChPairDef {
  ChMaterialId material[2];
  double friction[2];
  ChFrictionCurve curve;  // `friction` over the speed of slip; without points, friction does not depend on the speed
  double restitution;
  double stiffness, damping;  // N/m and N s/m, for compliant contact; a stiffness of 0 leaves the rule in force, too
  double rolling, drilling;   // metres
  double cohesion;            // N
  double shear_stiffness;     // N/m; 0: a contact that sticks does not creep
  double shear_damping;       // N s/m
} ChPairDef;
// Returns a definition that leaves the rule in force.
CH_API ChPairDef ch_pair_def_default(void);

// Adds a material; materials are never removed. Names may be equal.
CH_API ChStatus ch_world_add_material(ChContext* context, ChWorld* world, const ChMaterialDef* def, ChMaterialId* id);
// Sets the properties of two materials in contact; CH_ERR_ARGUMENT if the pair has already been given.
CH_API ChStatus ch_world_add_pair(ChContext* context, ChWorld* world, const ChPairDef* def);

// --- bodies and shapes -----------------------------------------------------------------------------------------------

typedef enum ChBodyKind {
  CH_BODY_DYNAMIC,
  CH_BODY_FIXED,
  CH_BODY_KINEMATIC,  // follows `motion`, whatever pushes it
} ChBodyKind;

// World axes along and about which a body may not move (plane: X, Y and RZ).
enum {
  CH_LOCK_X = 1,
  CH_LOCK_Y = 2,
  CH_LOCK_Z = 4,
  CH_LOCK_RX = 8,
  CH_LOCK_RY = 16,
  CH_LOCK_RZ = 32,
};

typedef struct ChBodyDef {
  const char* name;  // NULL: "body 7"
  ChBodyKind kind;
  ChVec3 position;  // origin of the body's frame, in which the shapes are given
  ChQuat orientation;
  double angle;     // plane: instead of orientation, radian
  ChVec3 velocity;  // of the centre of mass
  ChVec3 omega;     // world frame (plane: z)
  unsigned locks;
  // Mass properties follow from shapes and densities unless mass > 0 is given; then `centre` is the centre of mass in
  // the body's frame and `inertia` the tensor about it, xx yy zz xy xz yz (plane: zz). A mass without inertia is
  // distributed like the mass of the shapes. Without shapes the body is a point mass, which does not rotate.
  double mass;
  ChVec3 centre;
  double inertia[6];
  // Kinematic: displacement along world axes and a turn about `axis` (world, at the start) through the origin, both
  // counted from `position` and `orientation`. (Plane: motion[0], motion[1] and a turn about z.)
  ChSignal motion[3], turn;
  ChVec3 axis;
  ChLook look;
} ChBodyDef;
// Returns a dynamic body at the origin, not turned and at rest. Its mass follows from its shapes.
CH_API ChBodyDef ch_body_def_default(void);

// Where contacts of a mesh come from.
typedef enum ChMeshContact {
  CH_MESH_EXACT,    // its corners, edges and faces
  CH_MESH_SAMPLED,  // on a moving body: samples of one surface in the distance field of the other
} ChMeshContact;

typedef struct ChShapeDef {
  ChShapeType type;
  ChMaterialId material;  // none: the first of the world
  ChVec3 at;              // place in the body's frame
  ChQuat orientation;
  double angle;  // plane: instead of orientation
  double radius, half_length;
  ChVec3 half, normal;
  double offset;
  int point_count;
  const ChVec3* points;
  int triangle_count;
  const int* triangles;  // mesh: 3 indices each
  const double* uv;      // mesh: texture coordinates of each triangle's corners, 2 numbers a corner, v upwards; or NULL
  const char* file;      // hull or mesh: OBJ, STL, PLY or glTF, instead of points; `scale` below holds for both
  bool closed;           // mesh: refuse one with a border
  bool soup;             // mesh on a fixed or kinematic body: accept unconnected triangles as they are
  ChMeshContact contact;
  // Sampled mesh on a dynamic body: metres between contact samples, and cells of the distance field along its longest
  // side; 0 chooses. Shapes with equal points and choices share both.
  double spacing;
  int resolution;
  bool faces;  // sampled mesh: samples also lie inside faces, not only at corners and along edges
  // Height field: heights row by row, the first at y = 0, `cell` metres apart, times `scale` (0: 1). ch_height_map_read
  // (height_map.h) reads one from a file.
  int columns, rows;
  const double* heights;
  double cell, scale;  // scale: for hulls and meshes, the factor on their points; 0: 1
  // Segments: 2 indices each into points; none: each point to the next. Radii may be 0. kg/m of a segment, kg of a
  // point; 0: from radius and density.
  int segment_count;
  const int* segments;
  double line_density, point_mass;
} ChShapeDef;
// Returns a sphere without a radius at the body's origin, not turned; normal z.
CH_API ChShapeDef ch_shape_def_default(void);

// Adds a body without shapes. CH_ERR_ARGUMENT if another body has its name.
CH_API ChStatus ch_world_add_body(ChContext* context, ChWorld* world, const ChBodyDef* def, ChBodyId* id);
// Adds a shape to a body of the world; points and files are read here and copied.
CH_API ChStatus ch_world_add_shape(ChContext* context, ChWorld* world, ChBodyId body, const ChShapeDef* def,
                                   ChShapeId* id);

typedef enum ChSoftKind {
  CH_SOFT_MODAL,  // linear vibration modes: small deformations
  CH_SOFT_STVK,   // St. Venant-Kirchhoff: large deformations, modes and their derivatives
} ChSoftKind;

// One arm of a viscoelastic material, a spring and a dashpot in series beside the elastic law. Under a sudden strain
// the body is stiffer by `modulus`, and this part relaxes as exp(-t / time).
typedef struct ChMaxwellArm {
  double modulus;  // Pa, added to Young's; all other moduli grow in proportion
  double time;     // s
} ChMaxwellArm;

enum { CH_ARMS_MAX = 16 };

// What makes a body deformable: a tetrahedral mesh in the body's frame, an elastic law, and a number of modes. The
// material gives density, friction and restitution.
typedef struct ChSoftDef {
  ChSoftKind kind;
  ChMaterialId material;  // none: the first of the world
  int vertex_count, tet_count;
  const ChVec3* vertices;
  const int* tets;     // 4 indices each
  const char* file;    // Gmsh or VTK, instead of vertices and tets
  double young;        // Pa
  double poisson;      // in (-1, 0.5)
  double alpha, beta;  // Rayleigh damping: alpha M + beta K, 1/s and s
  int arm_count;       // viscoelastic: `young` holds after all arms have relaxed; 0: elastic
  ChMaxwellArm arms[CH_ARMS_MAX];
  int modes;         // how many; 0 = 12
  bool clamped;      // nodes in the box from clamp_low to clamp_high do not move, nor does the body's frame
  ChVec3 clamp_low;  // corners of that box, in the body's frame
  ChVec3 clamp_high;
  const char* cache;  // a folder in which bases are kept with a checksum; NULL: they are not kept
  bool self_contact;  // whether the skin touches itself
} ChSoftDef;
// Returns 12 linear modes; young 1e6 Pa, poisson 0.3.
CH_API ChSoftDef ch_soft_def_default(void);

// Makes a body deformable; it must be dynamic and without shapes.
CH_API ChStatus ch_world_add_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def,
                                  ChShapeId* shape);

// Makes two bodies ignore each other, so that they may overlap. Bodies of one joint ignore each other unless the joint
// says otherwise.
CH_API ChStatus ch_world_ignore_pair(ChContext* context, ChWorld* world, ChBodyId a, ChBodyId b);

// --- joints ----------------------------------------------------------------------------------------------------------

typedef enum ChDrive {
  CH_DRIVE_NONE,
  CH_DRIVE_POSITION,    // motor towards position `target`, |force| <= strength
  CH_DRIVE_VELOCITY,    // motor towards speed `target`, |force| <= strength
  CH_DRIVE_FORCE,       // force or torque `target`
  CH_DRIVE_PRESCRIBED,  // coordinate = target(t), whatever force that needs
} ChDrive;

// One freedom of a joint: limits, friction and drive. Distances in metres, angles in radians, zero at the start
// (distance joint: the distance itself).
typedef struct ChJointAxis {
  bool limited;
  double lower, upper;
  double friction;  // largest friction force or torque
  ChDrive drive;
  ChSignal target;
  double strength;  // 0 = unlimited
  // In addition, a spring and a damper: force = -stiffness (x - rest) - damping dx/dt, evaluated at the end of a step.
  // N/m, N s/m and m, or N m/radian, N m s/radian and radian.
  double stiffness, damping, rest;
} ChJointAxis;

typedef struct ChJointDef {
  const char* name;
  ChJointType type;
  ChBodyId body[2];    // CH_GROUND for the inertial frame
  ChVec3 at;           // world, at the start
  ChVec3 second_at;    // distance: the point on body[1]; `at` is on body[0]
  ChVec3 axis;         // world, at the start
  ChVec3 second_axis;  // universal
  double length;       // distance: 0 = as it is at the start
  bool collide;        // true if the two bodies may touch each other
  double reach;  // on a deformable body the joint's frame follows the skin within this distance of its point, metres;
                 // 0: it follows the nearest vertex and its neighbours
  ChJointAxis axes[3];
} ChJointDef;
// Returns a fixed joint without bodies; axis z, second axis x.
CH_API ChJointDef ch_joint_def_default(void);

// Adds a joint between two bodies, or between a body and the ground. At least one body must be dynamic. Make a body
// deformable before you give it joints.
CH_API ChStatus ch_world_add_joint(ChContext* context, ChWorld* world, const ChJointDef* def, ChJointId* id);

// --- forces ----------------------------------------------------------------------------------------------------------

typedef enum ChForceType {
  CH_FORCE_SPRING,   // between two points: k x + cubic x^3 + damping dx/dt, x = distance - length
  CH_FORCE_TORSION,  // between two bodies about an axis: the same law for the angle
  CH_FORCE_WRENCH,   // force and torque on body[0] at the point `at` of its frame, along world axes or turning with it
  CH_FORCE_DRAG,     // on body[0]: - (linear + quadratic |v|) v on the centre of mass, - angular omega
  CH_FORCE_WELL,  // on body[0]: the potential V = well[0] s + well[1] s^2 + well[2] s^3; s is the squared distance of
                  // its centre of mass from the world's point at[1]
} ChForceType;

typedef struct ChForceDef {
  const char* name;
  ChForceType type;
  ChBodyId body[2];
  ChVec3 at[2];  // spring: points in each body's frame (ground: world)
  ChVec3 axis;   // torsion: in the frame of body[0] (ground: world); in the plane always z
  double stiffness, cubic, damping;
  double length;      // spring: rest length; torsion: rest angle, counted from the start
  bool length_as_is;  // rest length as it is at the start; then `length` must be 0
  ChSignal force[3], torque[3];
  bool follows;  // wrench turns with the body
  double linear, quadratic, angular;
  double well[3];  // J/m^2, J/m^4, J/m^6, of any sign
} ChForceDef;
// Returns a spring without stiffness whose rest length is as it is at the start; axis z.
CH_API ChForceDef ch_force_def_default(void);

// Adds a force on one or two rigid bodies.
CH_API ChStatus ch_world_add_force(ChContext* context, ChWorld* world, const ChForceDef* def, ChForceId* id);

// --- the content of a world ------------------------------------------------------------------------------------------

// Returns 2 or 3.
CH_API int ch_world_dimension(const ChWorld* world);
// Returns how many bodies there are, fixed ones included.
CH_API int ch_world_body_count(const ChWorld* world);
// Returns the id of the body in a row, 0 to ch_world_body_count - 1; none beyond.
CH_API ChBodyId ch_world_body_at(const ChWorld* world, int row);
// Returns the row of a body; -1 for none, for the ground, and for an id that is stale or of another world.
CH_API int ch_world_body_row(const ChWorld* world, ChBodyId body);
// Returns the name of a body, which the world owns; NULL if ch_world_body_row is -1.
CH_API const char* ch_world_body_name(const ChWorld* world, ChBodyId body);
// Returns the body of that name, or none.
CH_API ChBodyId ch_world_find_body(const ChWorld* world, const char* name);
// Returns the look of a body, by its row: its own, or else that of its material. Every member is zero if there is none.
CH_API ChLook ch_world_look(const ChWorld* world, int body);
// Returns how many springs, wrenches and other forces there are.
CH_API int ch_world_force_count(const ChWorld* world);
// Returns the id of the force in a row, 0 to ch_world_force_count - 1; none beyond.
CH_API ChForceId ch_world_force_at(const ChWorld* world, int row);
// Returns the first force of that name, or none.
CH_API ChForceId ch_world_find_force(const ChWorld* world, const char* name);

// Returns the friction coefficient, along, of two shapes (rows) of a sealed world in contact; 0 if one does not exist.
CH_API double ch_world_friction(const ChWorld* world, int shape_a, int shape_b);
// Returns true if some material or pair has a rolling or drilling coefficient, so that contacts may bear moments.
CH_API bool ch_world_has_moments(const ChWorld* world);
// Says whether the friction of some material or pair of a sealed world depends on the speed of slip.
CH_API bool ch_world_has_friction_over_speed(const ChWorld* world);
// Says whether some material or pair has a cohesion, so that contacts may be bonded.
CH_API bool ch_world_is_cohesive(const ChWorld* world);
// Returns true if some material or pair has a shear stiffness, so that contacts may have springs along their tangents.
CH_API bool ch_world_is_sheared(const ChWorld* world);
// Makes friction across equal to friction along, for every material and pair. Call it before the world is sealed or
// simulated.
CH_API void ch_world_make_isotropic(ChWorld* world);

#ifdef __cplusplus
}
#endif
#endif
