// A world in motion: each call makes one step, and every step has its certificate.
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
  CH_STABILIZE_ON,          // n'v >= -gamma Phi / h, joints -gamma g / h
  CH_STABILIZE_LINEARIZED,  // Phi + gamma h n'v >= 0
  CH_STABILIZE_CONTACTS,    // contacts with Phi / h, joints with velocities only
  CH_STABILIZE_OFF,         // velocities only, at contacts with Phi <= 0
} ChStabilization;

typedef enum ChRestitution { CH_RESTITUTION_NEWTON, CH_RESTITUTION_POISSON } ChRestitution;

// The law of contacts with friction: see docs/granular.md.
typedef enum ChContactLaw {
  CH_CONTACT_RIGID,      // bodies do not overlap
  CH_CONTACT_COMPLIANT,  // bodies overlap and yield as springs do: stiffness from the materials, or from `overlap`
} ChContactLaw;
// Returns the name of a law as in scenes, "rigid" or "compliant"; NULL if there is no law of this number.
CH_API const char* ch_contact_law_name(ChContactLaw law);
// Finds the law of that name. Returns false, and writes nothing, if there is none.
CH_API bool ch_contact_law_find(const char* name, ChContactLaw* out);

// When a step is undone and repeated as shorter ones (docs/stepping.md).
typedef enum ChAdaptive {
  CH_ADAPTIVE_OFF,   // never
  CH_ADAPTIVE_GAP,   // if bodies would overlap by more than `gap_tolerance` at the end of the step: this step and the
                     // next become shorter
  CH_ADAPTIVE_MISS,  // if the step misses its tolerance: substeps replace it, and the last one ends when the step would
                     // have ended
  CH_ADAPTIVE_LARGE,  // the default: as CH_ADAPTIVE_MISS in steps with 500 contacts or more, and in every step of
                      // worlds with an `overlap_tolerance`, such as those with meshes or thin things
} ChAdaptive;

#define CH_MARGIN_BY_SIZE (-1.0)  // a margin from the smallest body and h, at most 1 cm: docs/stepping.md
// Sets the tolerance of a pair to min(margin / 100, max(1e-5 m, 1e-4 R)), R the smaller body's radius, in worlds in
// space with meshes or with something thinner than the margin. Other worlds have no bound.
#define CH_OVERLAP_BY_SHAPES (-1.0)

typedef struct ChSimulationOptions {
  double h;                // seconds
  const char* integrator;  // name; ch_integrator_info lists them
  double midpoint;         // of the integrator "midpoint", in [0, 1]
  ChStabilization stabilization;
  double gamma;     // in (0, 1]
  double push_out;  // metres a second: largest speed at which stabilisation parts overlapping bodies; 0: chosen from
                    // depth, size and gravity, so that no body jumps (docs/stepping.md); INFINITY: no limit
  double deformation_weight;  // weight of the end of the step in the motion of deformable bodies, in [0.5, 1]: 0.5
                              // keeps their energy, larger values damp modes that are fast compared with h
  ChContactLaw contact;
  double overlap;  // compliant contact: intended largest overlap, as a share of the smaller body's radius, if the
                   // materials give no stiffness; 0: 1e-3
  bool project;    // positions are projected onto the constraints after each step
  ChRestitution restitution;
  double margin;    // metres; contacts nearer than this, or nearer than h * closing speed, take part; or
                    // CH_MARGIN_BY_SIZE
  bool look_ahead;  // the margin grows with the closing speed
  bool reduce_contacts;
  ChAdaptive adaptive;
  double gap_tolerance;      // metres
  double overlap_tolerance;  // metres: the step is halved, down to h/64, if at its end a pair would overlap by more
                             // than this and by more than at its beginning; CH_OVERLAP_BY_SHAPES is the default;
                             // INFINITY: never
  double penetration_bound;  // largest accepted overlap, a share of the smaller moving body's radius; positive
  double energy_bound;       // largest accepted gain, a share of `exchanged`; positive
  int halvings;              // the shortest substep of a step that misses is h / 2^halvings; 1 to 20
  int good_steps;            // after this many substeps in a row that met the tolerance, the next is twice as long
  double trial_work;         // share of the work limit that a step may use if it may still be halved, in (0, 1]
  bool warm;                 // the solve of a step starts from the reactions of the last step
  bool rest;                 // islands at certified rest are kept while nothing changes: docs/rest.md
  bool islands;              // unconnected sets of bodies are solved separately; false: a step is one problem
  int threads;               // the answer does not depend on it
  double step_limit;  // wall-clock seconds for a step. Its solves end in time with their best answers, so the result
                      // depends on the machine; 0: no limit. The first step has no limit, because it has no reactions
                      // to start from
  int cone_sides;     // 0 = smooth cones; M = polygons
  bool cone_outer;
  ChSolveOptions solve;  // method, inner solver, pose, tolerance and limits of one island's solve
} ChSimulationOptions;

// Returns the defaults. The options of the solve are those of ch_solve_options_default, but with a work limit in place
// of the time limit. The work limit depends on the size of an island and amounts to two and a half seconds at most. It
// covers all work for an island in a step, including a safe end if its solve misses. A time limit replaces it.
CH_API ChSimulationOptions ch_simulation_options_default(void);

typedef struct ChIntegratorInfo {
  const char *name, *summary;
} ChIntegratorInfo;
// Returns how many integrators there are.
CH_API int ch_integrator_count(void);
// Returns an integrator by its number, 0 to count - 1, in the order in which lists show them. Both texts are NULL for
// other numbers.
CH_API ChIntegratorInfo ch_integrator_info(int index);

// Faults that no certificate covers (docs/stepping.md).
typedef enum ChBound {
  CH_BOUND_PENETRATION = 1,  // bodies overlap by more than `penetration_bound`
  CH_BOUND_ENERGY = 2,       // the step gained more unexplained energy than `energy_bound`
  CH_BOUND_MOTION = 4,       // bodies met where the step had looked for no contact
} ChBound;

typedef struct ChStepInfo {
  long step;
  double time, h;                  // time at the end of the step; length of the step
  int substeps, rejected;          // number of substeps, 1 for a whole step; attempts that were undone
  double shortest;                 // shortest substep, seconds
  int contacts, islands, resting;  // islands at rest, certified with v = 0, are `resting`
  int impacts;                     // shocks with restitution
  long iterations;                 // outer and inner iterations of all islands, including undone attempts
  ChCertificate certificate;       // figures of the worst island, each by itself
  bool missed;                     // some island missed its tolerance
  double penetration;              // largest overlap, metres
  double overlap;                  // largest overlap over the radius of the smaller moving body
  double deferred;                 // largest part of an overlap that `push_out` leaves for later steps, metres
  double relaxed;  // largest part of an overlap that stays because other overlaps oppose its removal, metres; 0: none
  int locked;      // contacts left out because both bodies are locked along their normals
  double locked_overlap;      // their largest overlap, metres
  double uncovered;           // largest motion through another body where the step had looked for no contact, metres
  double joint_error;         // largest |g| of an equality row
  double kinetic, potential;  // joules; `potential` includes the energy stored in compliant contacts, `stored`
  double stored;
  double work;       // work of motors, prescribed motions, kinematic bodies, applied forces and changing gravity
  double heat;       // energy that damping and dashpots inside deformable bodies dissipated in this step, joules
  double gain;       // increase of the total energy that neither `work` nor round-off explains, or 0
  double exchanged;  // scale for `gain`: kinetic energy, change of potential energy, work, and the energy that would
                     // lift each body by its radius
  int bounds;        // sum of ChBound: the bounds of the options that this step exceeded
  ChVec3 momentum,
      angular_momentum;  // momenta of all freely moving bodies at the end of the step; about the origin (plane: z)
  double seconds_collide, seconds_assemble, seconds_solve;
  int recirculated;  // number of bodies put back at the end of the step (recirculation.h); `work` includes the energy
                     // for that
} ChStepInfo;

// Returns the margin, in metres, that CH_MARGIN_BY_SIZE means for a sealed world in steps of h seconds.
CH_API double ch_world_margin(const ChWorld* world, double h);

// Makes a simulation of a world. The simulation owns the world from then on and frees it. If this function fails, it
// frees the world. Copies the options, including the names of methods, settings and integrator.
CH_API ChStatus ch_simulation_create(ChContext* context, ChWorld* world, const ChSimulationOptions* options,
                                     ChSimulation** out);
// Frees a simulation and its world; NULL is legal.
CH_API void ch_simulation_destroy(ChSimulation* simulation);

// Makes one step. Returns CH_OK even if a tolerance was missed (info->missed says so), and an error only if the step
// could not be made. Returns CH_STOPPED if options.solve.stop asked for it: the simulation is then as it was before the
// step, and continues from there bit for bit. `info` may be NULL: ch_simulation_info returns it, too.
CH_API ChStatus ch_simulation_step(ChContext* context, ChSimulation* simulation, ChStepInfo* info);

// The result of healing bodies that overlapped.
typedef struct ChHealing {
  double before, after;  // largest overlap, or error of a joint, metres or radian
  double moved, turned;  // largest shift of a centre of mass, metres; largest turn of a body, radians
  int body;              // row of the body that moved farthest; -1: none moved
  int rounds;
} ChHealing;

// Moves overlapping bodies apart, and joints together, by the least motion in the metric of their masses, until no
// overlap exceeds 1e-10 m; velocities stay. If there is not enough room, the bodies share the overlap, and `after` says
// how much remains. Refuses deformable bodies with CH_ERR_ARGUMENT. On failure all bodies stay where they were.
CH_API ChStatus ch_simulation_heal(ChContext* context, ChSimulation* simulation, ChHealing* out);

// Returns the world, which the simulation owns.
CH_API const ChWorld* ch_simulation_world(const ChSimulation* simulation);
// Returns the options in force, valid until they are set again.
CH_API const ChSimulationOptions* ch_simulation_options(const ChSimulation* simulation);
// Sets the options from the next step on. Checks them once, here, and copies them as ch_simulation_create does; on
// refusal the old ones stay in force. Warm starts stay. If any option other than `step_limit` changes, islands at rest
// are solved again.
CH_API ChStatus ch_simulation_set_options(ChContext* context, ChSimulation* simulation,
                                          const ChSimulationOptions* options);
// Says whether ch_simulation_set_options would accept these options; changes nothing.
CH_API ChStatus ch_simulation_check_options(ChContext* context, const ChSimulation* simulation,
                                            const ChSimulationOptions* options);
// Sets `step_limit` alone, in seconds, 0: none. Cheap enough for every step.
CH_API ChStatus ch_simulation_set_step_limit(ChContext* context, ChSimulation* simulation, double seconds);
// Returns the time at the end of the last step, in seconds since the start.
CH_API double ch_simulation_time(const ChSimulation* simulation);
// Returns the number of steps made.
CH_API long ch_simulation_step_count(const ChSimulation* simulation);
// Returns the report of the last step; before the first step, the energies and momenta of the start.
CH_API ChStepInfo ch_simulation_info(const ChSimulation* simulation);
// Returns the amplitudes of a deformable body's modes, valid until the next step. NULL if the body is rigid or does not
// exist.
CH_API const double* ch_simulation_modes(const ChSimulation* simulation, ChBodyId body, int* count);
// Returns the rates of the modes in the same way.
CH_API const double* ch_simulation_rates(const ChSimulation* simulation, ChBodyId body, int* count);
// Writes the stress at every vertex of a deformable body's skin (soft.h): Cauchy's, Pa, in the body's frame, six
// numbers a vertex, xx yy zz xy yz xz. It is the stress of the elastic law and of the arms of a viscoelastic body;
// Rayleigh damping adds none. Returns false, and writes nothing, if the body is rigid or does not exist.
CH_API bool ch_simulation_soft_stress(const ChSimulation* simulation, ChBodyId body, double* stress);
// Sets the velocities of a dynamic body, world frame; locked parts are ignored. CH_ERR_ARGUMENT if the body does not
// move freely.
CH_API ChStatus ch_simulation_set_velocity(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 velocity,
                                           ChVec3 omega);
// Moves the centre of mass of a body; orientation and velocities stay. The caller makes sure that joints hold and
// nothing overlaps at the new place.
CH_API ChStatus ch_simulation_place(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 position);
// Applies an impulse, in newton seconds, to a dynamic body at `point` in the world. On a deformable body the impulse
// acts on the nearest vertex of the skin.
CH_API ChStatus ch_simulation_push(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 impulse,
                                   ChVec3 point);

// A damped spring that pulls a body. Its numbers do not depend on the body's mass.
typedef struct ChGrip {
  double frequency;  // Hz
  double damping;    // ratio, 1 = critical
  double strength;   // largest force, newtons per kilogram of the body
} ChGrip;
// Returns 4 Hz, critically damped, 200 N/kg.
CH_API ChGrip ch_grip_default(void);
// Pulls the point `local` (in the body's frame as it moves, origin at the centre of mass) towards `target` over the
// next step. Call it before each step for as long as the pull lasts. Stable at any h. On a deformable body the spring
// pulls the vertex of the skin that is nearest to `local` in the undeformed shape.
CH_API ChStatus ch_simulation_pull(ChContext* context, ChSimulation* simulation, ChBodyId body, ChVec3 local,
                                   ChVec3 target, const ChGrip* grip);
// Sets gravity from now on, m/s^2; in the plane z must be 0.
CH_API ChStatus ch_simulation_set_gravity(ChContext* context, ChSimulation* simulation, ChVec3 gravity);
// Sets the friction of every pair of materials, in every direction, from now on; 0 or more.
CH_API ChStatus ch_simulation_set_friction(ChContext* context, ChSimulation* simulation, double mu);
// Adds a force between two steps. A rest length or angle that the definition leaves to the start is taken from the
// present state.
CH_API ChStatus ch_simulation_add_force(ChContext* context, ChSimulation* simulation, const ChForceDef* def,
                                        ChForceId* id);
// Removes a force: its id is stale from now on.
CH_API ChStatus ch_simulation_remove_force(ChContext* context, ChSimulation* simulation, ChForceId force);
// Continues from another simulation, `from`, whose bodies are the first of this simulation's and whose joints are the
// same. Copies its time, states and warm starts. Bodies that `from` does not have keep their initial state.
CH_API ChStatus ch_simulation_carry(ChContext* context, ChSimulation* simulation, const ChSimulation* from);
// Writes the island of each body (by row) in the last step; -1 if the body is in none. Returns false, and writes
// nothing, if the islands are not known: before the first step and after a change of options.
CH_API bool ch_simulation_islands(const ChSimulation* simulation, int* island);

// Builds the contact problem of the last step, all islands together, in global form; the caller destroys it.
CH_API ChStatus ch_simulation_problem(ChContext* context, const ChSimulation* simulation, ChProblem** out);
// Writes the reactions of the last step, as impulses in the order of the rows of ch_simulation_problem; `r` has room
// for `rows` of them.
CH_API void ch_simulation_reactions(const ChSimulation* simulation, int rows, double* r);
// Returns the number of degrees of freedom of all moving bodies, modes of deformable bodies included.
CH_API int ch_simulation_freedoms(const ChSimulation* simulation);

// Writes everything that the next steps depend on, as one block of bytes; a simulation of the same world that loads it
// continues bit for bit. `bytes` = NULL asks for the size. Commands (targets, wrenches, places) are not included.
CH_API ChStatus ch_simulation_save(ChContext* context, const ChSimulation* simulation, void* bytes, size_t* size);
// Continues from such a block. CH_ERR_FORMAT or CH_ERR_SIZE if the block is not of this world; then nothing changes.
CH_API ChStatus ch_simulation_load(ChContext* context, ChSimulation* simulation, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
