// The bodies of a world: their definitions, and their states during a simulation.
//
// A body is named by its id or counted by its row (id.h). Positions are those of centres of mass, in metres and the
// world frame; velocities are in metres and radians a second, world frame. Use these functions from one thread at a
// time.
#ifndef CARDHOUSE_BODY_H
#define CARDHOUSE_BODY_H

#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

// --- what stays constant ---------------------------------------------------------------------------------------------

typedef struct ChBodyInfo {
  const char* name;  // the world owns the name; NULL: there is no such body
  ChBodyKind kind;
  unsigned locks;
  double mass;        // kg; 0 for fixed and kinematic bodies. Before the world is simulated: the mass as given
  ChVec3 centre;      // centre of mass, in the frame in which the body was defined
  double inertia[6];  // tensor about the centre of mass, in that frame: xx yy zz xy xz yz (plane: zz)
  bool soft;          // deformable
} ChBodyInfo;

// Returns the constant properties of a body. If the body does not exist, every member is zero.
CH_API ChBodyInfo ch_world_body_info(const ChWorld* world, ChBodyId body);

// --- state -----------------------------------------------------------------------------------------------------------

typedef struct ChBodyView {
  ChVec3 position;  // centre of mass
  ChQuat orientation;
  double angle;  // plane: radian, not wrapped
  ChVec3 velocity, omega;
} ChBodyView;

// Returns the state of a body. If the body does not exist, every number is NaN.
CH_API ChBodyView ch_simulation_body(const ChSimulation* simulation, ChBodyId body);
// Returns the state of the body in this row.
CH_API ChBodyView ch_simulation_body_at(const ChSimulation* simulation, int row);

// Moves a dynamic body to this place and gives it these velocities. In the plane `angle` is read, in space
// `orientation`; locked parts of the velocities are ignored. The caller makes sure that joints hold and nothing
// overlaps at the new place.
CH_API ChStatus ch_simulation_set_body(ChContext* context, ChSimulation* simulation, ChBodyId body,
                                       const ChBodyView* to);

// Reads all bodies at once into arrays with one row for each, as in a trajectory: position and velocity 3 numbers
// (plane: 2), orientation 4, w x y z (plane: 1, the angle), omega 3 (plane: 1). NULL leaves an array out. The
// caller owns them. If the arrays are written back, a row that did not change keeps its bits. The rows of bodies that
// are not dynamic must not change.
CH_API void ch_simulation_get_bodies(const ChSimulation* simulation, double* position, double* orientation,
                                     double* velocity, double* omega);
// Sets all bodies from such arrays. CH_ERR_ARGUMENT or CH_ERR_RANGE if a row is refused: then no body changes.
CH_API ChStatus ch_simulation_set_bodies(ChContext* context, ChSimulation* simulation, const double* position,
                                         const double* orientation, const double* velocity, const double* omega);

// Sets the amplitudes and rates of a deformable body's modes, one of each for every mode. If an array is NULL, its
// values stay as they are. CH_ERR_ARGUMENT if the body is rigid, CH_ERR_RANGE if a number is not finite: then nothing
// changes. ch_simulation_modes and ch_simulation_rates read them. The arms of a viscoelastic body keep their stretch.
CH_API ChStatus ch_simulation_set_modes(ChContext* context, ChSimulation* simulation, ChBodyId body,
                                        const double* amplitudes, const double* rates);

// --- control ---------------------------------------------------------------------------------------------------------

// Applies a force (newtons, at the world's `point`) and a torque (newton metres) to a dynamic rigid body over the next
// step, in addition to everything else. Several calls add up. After that step they are gone.
CH_API ChStatus ch_simulation_apply(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 force,
                                    ChVec3 torque, ChVec3 point);

// Sends a kinematic body to a place. The body gets there within the next step, with constant velocity and spin, and
// stays there until the next call. Its `motion` and `turn` no longer apply. In the plane `angle` is read, in space
// `orientation`.
CH_API ChStatus ch_simulation_move(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 position,
                                   ChQuat orientation, double angle);

// --- adding and removing ---------------------------------------------------------------------------------------------

// Adds a body and its shapes between two steps, as the last row. Its `motion` and `turn` count from time 0 of the
// simulation. Ids, states and warm starts of the others stay as they are, to the last bit. Names, hulls and meshes are
// kept until the world is destroyed. Deformable bodies cannot be added in this way.
CH_API ChStatus ch_simulation_add_body(ChContext* context, ChSimulation* simulation, const ChBodyDef* def,
                                       int shape_count, const ChShapeDef* shapes, ChBodyId* id);
// Removes a body, with its shapes, joints and forces: their ids are stale from now on. The rows after it move up by
// one.
CH_API ChStatus ch_simulation_remove_body(ChContext* context, ChSimulation* simulation, ChBodyId body);
// Returns how many times bodies or joints have been added or removed since the simulation began. Code that stores rows
// compares this number to see whether they are still right.
CH_API long ch_world_revision(const ChWorld* world);
// Returns a line about a defect that was healed when the world was built ("mesh cup.obj of 120 triangles: healed:
// ..."); NULL beyond the last one. The text lives as long as the world.
CH_API const char* ch_world_note(const ChWorld* world, int index);

#ifdef __cplusplus
}
#endif
#endif
