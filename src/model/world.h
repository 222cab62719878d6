// The world as the inner layers see it: what does not change in time, and the state of its bodies.
//
// A body's frame as it moves has its origin in the centre of mass and the orientation that the user gave. Its
// velocity is (v, w): v of the centre of mass in the world frame, w the angular velocity in the body's frame, so that M
// = diag(m, m, m, J) is constant (001 (1)-(5)). In the plane (vx, vy, w), three degrees of freedom; the third
// coordinate of every vector is zero and rotations are about z.
#ifndef CH_MODEL_WORLD_H
#define CH_MODEL_WORLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "cardhouse/periodic.h"
#include "cardhouse/recirculation.h"
#include "cardhouse/shape.h"
#include "model/shapes/polytope.h"

// From ids to rows: an id names a slot and a generation of it, the slot says in which row the thing is now.
typedef struct ChSlot {
  int row;    // -1: free
  int next1;  // the next free slot + 1
  uint16_t generation;
} ChSlot;

typedef struct ChSlots {
  ChSlot* slots;
  int count, room, free1;  // free1: the first free slot + 1
} ChSlots;

typedef struct ChMaterial {
  char* name;
  double density, friction[2], restitution;
  double young, poisson, stiffness, damping;
  double rolling, drilling, cohesion, shear_stiffness, shear_damping;
  ChVec3 axis;
  bool anisotropic, ellipsoidal, heals;
  const ChFrictionCurve* curve;         // NULL: friction does not depend on speed
  int kind;                             // of equal curves, from 1; 0: none; after ch_world_seal
  const ChFrictionSection* section[2];  // as seen from the second body, and from the first; NULL: none
  char* law;                            // a section that the program registers; NULL: none
  int law_number;                       // of it; 0: not looked up yet, or none (assemble/material_laws.h)
  double law_parameter[CH_MATERIAL_LAW_PARAMETERS];
  ChLook look;
} ChMaterial;

// What holds for two materials instead of the rule: see ChPairDef.
typedef struct ChMaterialPair {
  int material[2];
  double friction[2], restitution, stiffness, damping, rolling, drilling, cohesion, shear_stiffness, shear_damping;
  const ChFrictionCurve* curve;  // as in ChMaterial
  int curve_place;               // 1 + where it is among the world's; 0: none; after ch_world_seal
} ChMaterialPair;

typedef struct ChShape {
  ChShapeType type;
  int slot;
  int body, material;
  ChFrame local;  // in the frame of the centre of mass
  double radius, half_length;
  ChVec3 half;
  ChVec3 normal;  // half-space, half-plane: in the shape's frame
  double offset;
  const ChPolytope* polytope;    // box, hull: vertices, edges, faces; plane: rectangle and polygon; else NULL
  const struct ChMesh* mesh;     // mesh and chain
  const struct ChMesh* surface;  // box, hull: the same as triangles, in worlds with a mesh; else NULL
  const struct ChNet* net;       // edges or points
  struct ChHeightField* field;   // ground as a grid of heights
  const struct ChSoft* soft;     // skin of a deformable body
  bool touches_itself;           // that skin
  double bound;                  // radius of a ball about local.at that holds the shape; infinite for half-spaces
  double reach;                  // and of one about the body's centre of mass; after ch_world_seal
  double half_width;  // half of the least width that its axes and faces have, so far behind its surface is its
                      // middle: 0 of a mesh, infinite where nothing bounds it; after ch_world_seal
} ChShape;

// A mesh that shapes share, and what it was made from.
typedef struct ChSharedMesh {
  const struct ChMesh* mesh;
  char* file;    // NULL: from points
  double scale;  // of the file's points
  double spacing;
  int resolution;
  ChMeshContact contact;
  bool faces;
  bool solid;
} ChSharedMesh;

// What deformable bodies of equal definitions share, and what it was made from.
typedef struct ChSharedSoft {
  const struct ChSoft* soft;
  const struct ChTetMesh* mesh;
  const void* recorded;  // the recording's skin that it was made from, only to compare; NULL: from a mesh
  char* file;            // NULL: from vertices and tets
  double density;
  ChSoftDef def;  // its numbers only
} ChSharedSoft;

typedef struct ChBody {
  char* name;
  int slot;
  ChBodyKind kind;
  unsigned locks;
  double mass;
  ChMat3 inertia;  // in the body's frame, about the centre of mass (plane: m[2][2])
  ChVec3 origin;   // the user's origin, in the frame of the centre of mass
  bool spread;     // no inertia was given: shapes say how the mass is spread
  ChFrame start;   // the user's frame at the start, from which a kinematic body's motion counts
  double start_angle;
  ChSignal motion[3], turn;
  ChVec3 turn_axis;
  bool led;  // kinematic: over the next step it moves from where it is to `start`, where the caller wants it
  int first_shape, shape_count;  // after ch_world_seal; shapes of one body are contiguous
  const struct ChSoft* soft;     // NULL: rigid
  int first_mode;                // after ch_world_seal: where its amplitudes begin among those of all bodies
  int first_stretch;             // and its stretches among those of all viscoelastic bodies
  ChLook look;
} ChBody;

// What changes in time. One array entry a body; plain values, so that a checkpoint is a copy. An array of states is
// followed, in the same block of memory, by the amplitudes of all modes, by their rates, and by the stretches of
// viscoelastic bodies (soft/soft_arms.h): whoever has the states has them too (ch_state_modes, ch_state_rates,
// ch_state_stretches), and whoever copies states copies ch_world_state_bytes.
typedef struct ChBodyState {
  ChVec3 position;  // centre of mass
  ChQuat orientation;
  double angle;     // plane: not wrapped
  ChVec3 velocity;  // centre of mass, world frame
  ChVec3 omega;     // body's frame (plane: z)
} ChBodyState;

// On a body over the next step, world frame, about its centre of mass.
typedef struct ChWrench {
  ChVec3 force, torque;
} ChWrench;

typedef struct ChJoint {
  char* name;
  int slot;
  ChJointType type;
  int body[2];
  ChFrame frame[2];  // joint frame in each body: origin at the anchor, z along the axis (universal: frame[1] has the
                     // second axis as its x; plane: z along an axis in the plane, x its normal); ground: world
  const struct ChSoftGrip* grip[2];  // where that side is deformable: what frame[] follows, as it is at rest; else NULL
  double start_angle;                // plane: angle of body[1] less that of body[0] at the start
  double length;
  bool collide;
  ChJointAxis axes[3];
} ChJoint;

typedef struct ChForce {
  int slot, body[2];
  ChForceDef def;  // with its own copies of names and tables; points re-expressed about the centre of mass
  const struct ChSoftGrip* grip;  // wrench on a deformable body: what def.at[0] follows; else NULL
  ChQuat turn[2];      // torsion: in each body, the frame with z along the axis; equal in the world at the start
  double start_angle;  // torsion, plane: as in ChJoint
} ChForce;

struct ChWorld {
  ChArena* arena;
  int dimension;
  uint16_t tag;  // in every id that it hands out
  ChSlots body_slots, shape_slots, joint_slots, force_slots;
  ChSignal gravity[3];
  ChPeriodic periodic;
  ChRecirculation recirculation;
  int material_count, pair_count, body_count, shape_count, joint_count, force_count, ignored_count, mesh_count,
      soft_count;
  int material_room, pair_room, body_room, shape_room, joint_room, force_room, ignored_room, mesh_room, soft_room;
  ChMaterial* materials;
  int kinds, curve_count;   // of friction over speed, after ch_world_seal: those of materials, and all,
  ChFrictionCurve* curves;  // (kinds + 1)^2 - 1 for any two kinds, then those of pairs
  ChMaterialPair* pairs;    // after ch_world_seal sorted by (smaller material, larger material)
  ChBody* bodies;
  ChShape* shapes;
  ChJoint* joints;
  ChForce* forces;
  ChSharedMesh* meshes;
  ChSharedSoft* softs;
  int (*parted)[2];  // those of them that the user asked for, joints apart
  int parted_count, parted_room;
  int (*ignored)[2];      // after ch_world_seal sorted, the smaller body first, no pair twice
  int *names, name_room;  // hash table of body names
  ChBodyState* states;    // at the start
  ChWrench* wrenches;     // body -> what the caller applies in the next step; NULL until it does
  int wrench_room;
  bool wrenched;         // whether there is any
  long revision;         // how often bodies or joints came or went since it was sealed
  ChArena* state_arena;  // of `states`, once bodies came
  int texture_count, texture_room;
  ChTexture* textures;  // pictures for drawing
  char** notes;         // what was healed as it was built
  int note_count, note_room;
  int mode_count, stretch_count;  // of all deformable bodies, after ch_world_seal
  bool sealed;
  int refused;  // 1 + the body for whose sake the last ch_world_seal failed; 0: none
};

// Numbers behind the array of states: amplitudes, rates, stretches.
static inline size_t ch_world_bend_numbers(const ChWorld* world) {
  return 2 * (size_t)world->mode_count + (size_t)world->stretch_count;
}
// Bytes of a whole array of states, modes and all.
static inline size_t ch_world_state_bytes(const ChWorld* world) {
  return (size_t)world->body_count * sizeof(ChBodyState) + ch_world_bend_numbers(world) * sizeof(double);
}
static inline ChBodyState* ch_states_take(ChArena* arena, const ChWorld* world) {
  return (ChBodyState*)(void*)CH_TAKE(arena, ch_world_state_bytes(world) / sizeof(double), double);
}
// Rates of all modes of the world.
static inline const double* ch_states_rates(const ChWorld* world, const ChBodyState* states) {
  return (const double*)(states + world->body_count) + world->mode_count;
}
// Amplitudes and rates of one deformable body.
static inline double* ch_state_modes(const ChWorld* world, const ChBodyState* states, int body) {
  return (double*)(states + world->body_count) + world->bodies[body].first_mode;
}
static inline double* ch_state_rates(const ChWorld* world, const ChBodyState* states, int body) {
  return ch_state_modes(world, states, body) + world->mode_count;
}
// Stretches of one viscoelastic body, arm after arm.
static inline double* ch_state_stretches(const ChWorld* world, const ChBodyState* states, int body) {
  return (double*)(states + world->body_count) + 2 * (long)world->mode_count + world->bodies[body].first_stretch;
}

// The body's frame; the inertial one for CH_GROUND.
static inline ChFrame ch_state_frame(const ChBodyState* states, int body) {
  return body < 0 ? (ChFrame){{0, 0, 0}, {1, 0, 0, 0}} : (ChFrame){states[body].position, states[body].orientation};
}
static inline bool ch_body_is_dynamic(const ChWorld* world, int body) {
  return body >= 0 && world->bodies[body].kind == CH_BODY_DYNAMIC;
}

// Radius of the ball about a body's centre of mass that holds its shapes; 0 where there are none or no ball does.
static inline double ch_world_reach(const ChWorld* world, int body) {
  double most = 0.0;
  for (int k = 0; k < world->bodies[body].shape_count; ++k)
    most = fmax(most, world->shapes[world->bodies[body].first_shape + k].reach);
  return isfinite(most) ? most : 0.0;
}

double ch_signal_rate(const ChSignal* signal, double t);  // right derivative at the kinks of a table
static inline ChVec3 ch_world_gravity(const ChWorld* world, double t) {
  const ChSignal* g = world->gravity;
  return ch_vec(ch_signal_value(&g[0], t), ch_signal_value(&g[1], t), ch_signal_value(&g[2], t));
}

// Whether forces move this body; CH_GROUND does not.
static inline bool ch_world_moves(const ChWorld* world, int body) {
  return body >= 0 && world->bodies[body].kind == CH_BODY_DYNAMIC;
}

// Frame of a shape in the world.
static inline ChFrame ch_shape_frame(const ChShape* shape, const ChBodyState* state) {
  return ch_frame_compose((ChFrame){state->position, state->orientation}, shape->local);
}

// Friction along and across, axis, restitution and elasticity of two shapes in contact.
typedef struct ChSurface {
  double friction[2], restitution;
  double stiffness;          // N/m; 0: not given
  double modulus;            // Hertz's E*, 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b, Pa; 0: not given
  double damping;            // N s/m; negative: by restitution
  double rolling, drilling;  // metres; 0: no such moment
  bool ellipsoidal;          // friction and drilling share one limit
  double cohesion;           // N; 0: none
  bool heals;                // bonds form again where it is pressed
  double shear_stiffness;    // N/m along the tangents; 0: none
  double shear_damping;      // N s/m
  int axis_body;             // whose frame `axis` turns with; -1 = isotropic
  ChVec3 axis;               // in that body's frame
  int curve;                 // 1 + place among the world's; 0: friction does not depend on speed
  // Of friction: where the body of the axis is the first of a contact, and where it is the second; NULL: none.
  const ChFrictionSection* section[2];
  int law;                      // what the program registered, a ChLaw; 0: none
  int law_body;                 // whose material has it
  const double* law_parameter;  // its own
} ChSurface;
ChSurface ch_world_surface(const ChWorld* world, int shape_a, int shape_b);

// Refuses materials that would meet in a law that there is none for: friction along an axis with moments.
ChStatus ch_world_check_surfaces(ChContext* context, const ChWorld* world);

// Places a kinematic body at time t, with its velocity.
void ch_body_move(const ChBody* body, double t, ChBodyState* state);

#endif
