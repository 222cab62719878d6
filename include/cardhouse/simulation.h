// A world in motion: one call a step, every step with its certificate.
#ifndef CARDHOUSE_SIMULATION_H
#define CARDHOUSE_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/api.h"
#include "cardhouse/body.h"
#include "cardhouse/certificate.h"
#include "cardhouse/contact.h"
#include "cardhouse/joint.h"
#include "cardhouse/solve.h"
#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

// How gaps and joint errors enter the velocity constraints of a step.
typedef enum ChStabilization {
  CH_STABILIZE_ON,          // n'v >= -gamma Phi / h, joints -gamma g / h (002, B2)
  CH_STABILIZE_LINEARIZED,  // Phi + gamma h n'v >= 0 (002, B3)
  CH_STABILIZE_CONTACTS,    // contacts with Phi / h, joints with velocities only (000, B4)
  CH_STABILIZE_OFF,         // velocities only, at contacts with Phi <= 0 (B1)
} ChStabilization;

typedef enum ChRestitution { CH_RESTITUTION_NEWTON, CH_RESTITUTION_POISSON } ChRestitution;

// The law of contacts with friction: see docs/granular.md.
typedef enum ChContactLaw {
  CH_CONTACT_RIGID,      // bodies do not overlap
  CH_CONTACT_COMPLIANT,  // they do, as springs yield: stiffness by the materials, or by `overlap`
} ChContactLaw;
// Its name as in scenes: "rigid" or "compliant"; NULL for a number that is no law.
CH_API const char* ch_contact_law_name(ChContactLaw law);
// The law of that name; false, with nothing written, where there is none.
CH_API bool ch_contact_law_find(const char* name, ChContactLaw* out);

// When a step is undone and taken shorter (docs/stepping.md).
typedef enum ChAdaptive {
  CH_ADAPTIVE_OFF,    // never
  CH_ADAPTIVE_GAP,    // where bodies would end it overlapping by more than `gap_tolerance`: then the step itself is
                      // shorter, and so are the next
  CH_ADAPTIVE_MISS,   // where it misses its tolerance: then it is made of substeps, and ends where it would have
  CH_ADAPTIVE_LARGE,  // the same in steps of 500 contacts and more: the default
} ChAdaptive;

#define CH_MARGIN_BY_SIZE (-1.0)  // a margin by the smallest body and h, at most 1 cm: docs/stepping.md

typedef struct ChSimulationOptions {
  double h;                // seconds
  const char* integrator;  // its name: ch_integrator_info lists them
  double midpoint;         // of the integrator "midpoint": in [0, 1]
  ChStabilization stabilization;
  double gamma;               // in (0, 1]
  double push_out;            // metres a second: the fastest that stabilisation parts bodies that overlap; 0: by depth,
                              // size and gravity, so that nothing jumps (docs/stepping.md); INFINITY: at once
  double deformation_weight;  // of the end of the step in the motion of deformable bodies, in [0.5, 1]: 0.5 keeps
                              // their energy, more damps what is fast against h
  ChContactLaw contact;
  double overlap;  // compliant contact: largest overlap asked for, as a share of the smaller body's radius,
                   // where materials give no stiffness; 0: 1e-3
  bool project;    // positions are projected onto the constraints after each step (B5)
  ChRestitution restitution;
  double margin;    // metres; contacts nearer than this, and nearer than h * closing speed, take part; or
                    // CH_MARGIN_BY_SIZE
  bool look_ahead;  // the margin grows with the closing speed
  bool reduce_contacts;
  ChAdaptive adaptive;
  double gap_tolerance;  // metres
  int halvings;          // of a step that misses: h / 2^halvings is the shortest substep; 1 to 20
  int good_steps;        // so many substeps that met in a row, and the next one is twice as long
  double trial_work;     // share of the work limit that a step has which may yet be halved, in (0, 1]
  bool warm;             // reactions of the last step start the next
  bool rest;             // certified rest, see docs/rest.md
  bool islands;          // sets of bodies that nothing connects are solved apart; off: one problem a step
  int threads;           // the answer does not depend on it
  double step_limit;     // seconds on the clock that a step may take: its solves end in time with the best answer so
                         // far, so that what comes out depends on the machine; 0: none. Not the first step's, which
                         // has nothing to start from
  int cone_sides;        // 0 = smooth cones; M = polygons
  bool cone_outer;
  ChSolveOptions solve;  // method, inner, pose, tolerance, limits of one island's solve
} ChSimulationOptions;

// As ch_solve_options_default, but an island's solve has no time limit and a limit on work by the island's size, about
// two and a half seconds at most. A limit on work is for all that is done for an island in a step, a safe end where its
// solve misses included; where a time limit is set it takes the work limit's place.
CH_API ChSimulationOptions ch_simulation_options_default(void);

typedef struct ChIntegratorInfo {
  const char *name, *summary;
} ChIntegratorInfo;
// How many integrators there are.
CH_API int ch_integrator_count(void);
// Of number 0 to count - 1, in the order of a list for people; both texts are NULL beyond.
CH_API ChIntegratorInfo ch_integrator_info(int index);

typedef struct ChStepInfo {
  long step;
  double time, h;                  // at the end of the step; what was stepped
  int substeps, rejected;          // it is made of, 1 where it is whole; tries that missed and were undone
  double shortest;                 // substep, seconds
  int contacts, islands, resting;  // of these at rest, certified with v = 0
  int impacts;                     // shocks with restitution
  long iterations;                 // outer and inner, all islands, tries that were undone included
  ChCertificate certificate;       // the worst island's, figure by figure
  bool missed;                     // some island missed its tolerance
  double penetration;              // largest overlap, metres
  double overlap;                  // largest overlap over the radius of the smaller moving body
  double deferred;                 // largest part of an overlap that `push_out` leaves for later steps, metres
  double relaxed;                  // largest part of an overlap that others oppose and that stays, metres; 0: none
  double joint_error;              // largest |g| of an equality row
  double kinetic, potential;       // joule; `potential` has what is stored in compliant contacts, too:
  double stored;
  double work;  // of motors, prescribed motions, kinematic bodies, applied forces, gravity that changes
  double gain;  // rise of the total energy that `work` does not explain and that is no round-off, or 0
  ChVec3 momentum, angular_momentum;  // of all that moves freely, at the end; about the origin (plane: z)
  double seconds_collide, seconds_assemble, seconds_solve;
} ChStepInfo;

// Takes the world over (also when it fails) and frees it in the end. Options are copied, names of methods, settings and
// integrator included.
CH_API ChStatus ch_simulation_create(ChContext* context, ChWorld* world, const ChSimulationOptions* options,
                                     ChSimulation** out);
// Frees it and its world; NULL is legal.
CH_API void ch_simulation_destroy(ChSimulation* simulation);

// One step. CH_OK also where a tolerance was missed (info->missed says so); an error only where the step could not be
// made. CH_STOPPED where options.solve.stop asked for it: the simulation is as it was before the step, and goes on from
// there bit for bit as if nobody had asked. `info` may be NULL: ch_simulation_info tells it, too.
CH_API ChStatus ch_simulation_step(ChContext* context, ChSimulation* simulation, ChStepInfo* info);

// What became of bodies that overlapped.
typedef struct ChHealing {
  double before, after;  // largest overlap, or error of a joint, metres or radian
  double moved, turned;  // farthest that a centre of mass was moved, metres; farthest that a body was turned, radian
  int body;              // row of the one that was moved farthest; -1: none was
  int rounds;
} ChHealing;

// Moves bodies apart that overlap, and joints together, by the least motion in the metric of their masses, until
// nothing overlaps by more than 1e-10 m; velocities stay. What has no room is shared out, and `after` tells. Not for
// deformable bodies: CH_ERR_ARGUMENT. On failure bodies are where they were.
CH_API ChStatus ch_simulation_heal(ChContext* context, ChSimulation* simulation, ChHealing* out);

// Its world, which it owns.
CH_API const ChWorld* ch_simulation_world(const ChSimulation* simulation);
// The options in force; valid until they are set again.
CH_API const ChSimulationOptions* ch_simulation_options(const ChSimulation* simulation);
// Other options from the next step on: checked here, once, and copied as ch_simulation_create does; refused ones leave
// the old in force. Warm starts stay. Where more than `step_limit` changes, islands at rest are solved anew.
CH_API ChStatus ch_simulation_set_options(ChContext* context, ChSimulation* simulation,
                                          const ChSimulationOptions* options);
// Whether ch_simulation_set_options would take them; nothing changes.
CH_API ChStatus ch_simulation_check_options(ChContext* context, const ChSimulation* simulation,
                                            const ChSimulationOptions* options);
// `step_limit` alone, in seconds, 0: none. Cheap enough for every step.
CH_API ChStatus ch_simulation_set_step_limit(ChContext* context, ChSimulation* simulation, double seconds);
// Seconds since the start, at the end of the last step.
CH_API double ch_simulation_time(const ChSimulation* simulation);
// Steps that were made.
CH_API long ch_simulation_step_count(const ChSimulation* simulation);
// The report of the last step; before the first, energies and momenta of the start.
CH_API ChStepInfo ch_simulation_info(const ChSimulation* simulation);
// Amplitudes of a deformable body's modes and their rates; valid until the next step. NULL where the body is rigid
// or not there.
CH_API const double* ch_simulation_modes(const ChSimulation* simulation, ChBodyId body, int* count);
// The rates, likewise.
CH_API const double* ch_simulation_rates(const ChSimulation* simulation, ChBodyId body, int* count);
// Velocities of a dynamic body, world frame; locked parts are left out. CH_ERR_ARGUMENT where it does not move freely.
CH_API ChStatus ch_simulation_set_velocity(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 velocity,
                                           ChVec3 omega);
// Puts the centre of mass elsewhere; orientation and velocities stay. Joints of the body and what it may overlap there
// are the caller's matter.
CH_API ChStatus ch_simulation_place(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 position);
// An impulse, newton seconds, on a dynamic body at `point` of the world; of a deformable body the vertex of its skin is
// pushed that is nearest to it.
CH_API ChStatus ch_simulation_push(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 impulse,
                                   ChVec3 point);

// A damped spring to pull a body with, by the critical numbers of the body alone.
typedef struct ChGrip {
  double frequency;  // Hz
  double damping;    // ratio, 1 = critical
  double strength;   // largest force, in newton per kilogram of the body
} ChGrip;
// 4 Hz, critically damped, 200 N/kg.
CH_API ChGrip ch_grip_default(void);
// Pulls the point `local` (the body's frame as it moves, origin in the centre of mass) towards `target` over the next
// step; to be called before each step for as long as the pull lasts. Stable at any h. Of a deformable body the vertex
// of its skin is pulled that is nearest to `local` in the shape without deformation.
CH_API ChStatus ch_simulation_pull(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 local,
                                   ChVec3 target, const ChGrip* grip);
// Gravity from now on, m/s^2; in the plane z must be 0.
CH_API ChStatus ch_simulation_set_gravity(ChContext* context, ChSimulation* simulation, ChVec3 gravity);
// Friction from now on, of every pair of materials and in every direction; 0 or more.
CH_API ChStatus ch_simulation_set_friction(ChContext* context, ChSimulation* simulation, double mu);
// One more force between two steps: rest lengths and angles that are to be as they are, are as they are now.
CH_API ChStatus ch_simulation_add_force(ChContext* context, ChSimulation* simulation, const ChForceDef* def,
                                        ChForceId* id);
// Takes a force away: its id is stale from now on.
CH_API ChStatus ch_simulation_remove_force(ChContext* context, ChSimulation* simulation, ChForceId force);
// Goes on where `from` is: its bodies are the first of this simulation's, the joints are the same. Time, states and
// warm starts are taken over; bodies that `from` does not have keep the state they start with.
CH_API ChStatus ch_simulation_carry(ChContext* context, ChSimulation* simulation, const ChSimulation* from);
// Island of each body (its row) in the last step, -1 where it is in none. False, with nothing written, when that is not
// known: before the first step and after a change of options.
CH_API bool ch_simulation_islands(const ChSimulation* simulation, int* island);

// The contact problem of the last step, all islands together, in global form; the caller destroys it.
CH_API ChStatus ch_simulation_problem(ChContext* context, const ChSimulation* simulation, ChProblem** out);
// Reactions of the last step, as impulses in the order of the rows of ch_simulation_problem; `r` has room for `rows` of
// them.
CH_API void ch_simulation_reactions(const ChSimulation* simulation, int rows, double* r);
// Degrees of freedom of all that moves, modes of deformable bodies included.
CH_API int ch_simulation_freedoms(const ChSimulation* simulation);

// Everything the next steps depend on, as one block of bytes: a simulation of the same world that loads it goes on bit
// for bit. `bytes` = NULL asks for the size. What was commanded (targets, wrenches, places) is not in it.
CH_API ChStatus ch_simulation_save(ChContext* context, const ChSimulation* simulation, void* bytes, size_t* size);
// Goes on from such a block; CH_ERR_FORMAT or CH_ERR_SIZE where it is none of this world, and then nothing changes.
CH_API ChStatus ch_simulation_load(ChContext* context, ChSimulation* simulation, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
