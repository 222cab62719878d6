// Bodies of a world: what is known of them, and their state while they move.
//
// A body is named by its id or counted by its row (id.h). Positions are those of centres of mass, in metres and the
// world frame; velocities are in metres and radian a second, world frame. Everything here is for one thread at a time.
#ifndef CARDHOUSE_BODY_H
#define CARDHOUSE_BODY_H

#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

// --- what does not change --------------------------------------------------------------------------------------------

typedef struct ChBodyInfo {
  const char* name;  // the world owns it; NULL: there is no such body
  ChBodyKind kind;
  unsigned locks;
  double mass;        // kg; 0 for fixed and kinematic bodies. Of a world that is not simulated yet: as it was given
  ChVec3 centre;      // of mass, in the frame in which the body was defined
  double inertia[6];  // about it, along the axes of that frame: xx yy zz xy xz yz (plane: zz)
  bool soft;          // deformable
} ChBodyInfo;

// Of a body that is not there every member is zero.
CH_API ChBodyInfo ch_world_body_info(const ChWorld* world, ChBodyId body);

// --- state -----------------------------------------------------------------------------------------------------------

typedef struct ChBodyView {
  ChVec3 position;  // centre of mass
  ChQuat orientation;
  double angle;  // plane: radian, not wrapped
  ChVec3 velocity, omega;
} ChBodyView;

// State of a body. Of one that is not there every number is NaN.
CH_API ChBodyView ch_simulation_body(const ChSimulation* simulation, ChBodyId body);
// The same by its row.
CH_API ChBodyView ch_simulation_body_at(const ChSimulation* simulation, int row);

// Puts a dynamic body elsewhere, with these velocities. In the plane `angle` is read, in space `orientation`; locked
// parts of the velocities are left out. Joints of the body and what it may overlap there are the caller's matter.
CH_API ChStatus ch_simulation_set_body(ChContext* context, ChSimulation* simulation, ChBodyId body,
                                       const ChBodyView* to);

// All bodies at once, in arrays with one row for each, as in a trajectory: position and velocity 3 numbers (plane: 2),
// orientation 4, w x y z (plane: 1, the angle), omega 3 (plane: 1). Arrays that are NULL are left out. The caller owns
// them. A row that is as it is stays so to the last bit; for bodies that are not dynamic it must be.
CH_API void ch_simulation_get_bodies(const ChSimulation* simulation, double* position, double* orientation,
                                     double* velocity, double* omega);
// The way back. CH_ERR_ARGUMENT or CH_ERR_RANGE where a row is refused: then no body changes.
CH_API ChStatus ch_simulation_set_bodies(ChContext* context, ChSimulation* simulation, const double* position,
                                         const double* orientation, const double* velocity, const double* omega);

// Amplitudes of a deformable body's modes and their rates from now on, as many as it has modes; either may be NULL and
// stays as it is. CH_ERR_ARGUMENT where the body is rigid, CH_ERR_RANGE where a number is not finite: then nothing
// changes. ch_simulation_modes and ch_simulation_rates read them.
CH_API ChStatus ch_simulation_set_modes(ChContext* context, ChSimulation* simulation, ChBodyId body,
                                        const double* amplitudes, const double* rates);

// --- control ---------------------------------------------------------------------------------------------------------

// A force (newton, at the world's `point`) and a torque (newton metre) on a dynamic rigid body over the next step,
// besides all that acts anyway. Several add up; after the step they are gone.
CH_API ChStatus ch_simulation_apply(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 force,
                                    ChVec3 torque, ChVec3 point);

// Where a kinematic body shall be at the end of the next step: it moves there with constant velocity and spin, and
// stays until it is told again. Its `motion` and `turn` are over. In the plane `angle` is read, in space `orientation`.
CH_API ChStatus ch_simulation_move(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 position,
                                   ChQuat orientation, double angle);

// --- coming and going ------------------------------------------------------------------------------------------------

// One more body between two steps, the last row, with its shapes; what moves it by itself counts from time 0. Ids,
// states and warm starts of the rest stay as they are, to the last bit. Names, hulls and meshes are kept until the
// world goes. Deformable bodies cannot be added so.
CH_API ChStatus ch_simulation_add_body(ChContext* context, ChSimulation* simulation, const ChBodyDef* def,
                                       int shape_count, const ChShapeDef* shapes, ChBodyId* id);
// Takes a body away, with its shapes, joints and forces: their ids are stale from now on. Rows after it move up by one.
CH_API ChStatus ch_simulation_remove_body(ChContext* context, ChSimulation* simulation, ChBodyId body);
// How often bodies or joints came or went since the world is simulated: who keeps rows compares it.
CH_API long ch_world_revision(const ChWorld* world);
// What was put right as the world was built, a line each ("mesh cup.obj of 120 triangles: healed: ..."); NULL beyond
// the last one. They live as long as the world.
CH_API const char* ch_world_note(const ChWorld* world, int index);

#ifdef __cplusplus
}
#endif
#endif
