// A simulation from inside: the world, the state of its bodies, and what one step hands to the next.
#ifndef CH_STEP_STATE_H
#define CH_STEP_STATE_H

#include "cardhouse/simulation.h"
#include "collide/collide.h"
#include "step/stage.h"

// Impulse of a contact, under the name by which the next step finds it.
typedef struct ChContactMemory {
  int shape[2];
  uint64_t key;
  double r[3];     // along these axes:
  ChVec3 axis[3];  // normal and tangents
} ChContactMemory;

// What the last step leaves for the next.
typedef struct ChMemory {
  int contact_count, contact_room;
  ChContactMemory* contacts;  // sorted as gaps are
  double* joints;             // joint_count * CH_JOINT_ROWS_MAX impulses, by row
  unsigned char* unsure;      // body -> see stage.h
  double h;                   // of the step they come from
} ChMemory;

// The last step's rows and answers, so that an island at rest that comes again, bit for bit, need not be solved again.
// The arrays live in the scratch arena of that step.
typedef struct ChRestMemory {
  bool filled;
  ChRows rows;
  ChIslands islands;
  ChDynamics dynamics;
  const double* r;
  const unsigned char* rests;
  const ChCertificate* grades;
} ChRestMemory;

struct ChSimulation {
  ChWorld* world;
  ChSimulationOptions options;  // in force; names are the library's own
  long solver_checks;  // how often a solver was tried on a problem of its own, to see whether it takes the options
  ChCollider* collider;
  ChArena* arena;         // lives as long as the simulation
  ChArena* scratch;       // of this step
  ChArena* scratches[2];  // in turn: the last step's is needed for rest
  ChBodyState* states;
  ChBodyState* before;     // at the beginning of the step
  ChBodyState* ahead;      // deformable bodies as contacts see them (soft_step.h)
  double *k, *velocities;  // ch_world_numbers of them
  ChVec3* lag;             // midpoint less end of the free spin: orientations turn with the midpoint
  ChMemory memory;
  ChRestMemory rest;
  int led_count;    // kinematic bodies on their way to where the caller wants them
  bool autonomous;  // nothing in the world depends on time
  bool still;       // the last step moved nothing: the next one is the same
  double time, h;   // h: what adaptive stepping is at
  double deadline;  // by which the step's solves shall have ended, on ch_clock_seconds; 0: none
  double solved;    // when the last ones had
  double after;     // seconds that a step takes after them, as of late
  ChHaste haste;    // see stage.h
  long step;
  double base_time, base_h;  // since `base_step` all steps were base_h long: time is counted, not summed
  long base_step;
  ChStepInfo info;
  void* undo;  // ch_simulation_save before a step that may forget, half-way, where it began
  size_t undo_room;
  ChContactView* contacts;
  int contact_count, contact_room;
};

// Whether the caller wants it to end: then nothing of it is kept.
bool ch_step_is_stopped(const ChSimulation* s);
// Whether the step at hand has used up its time.
bool ch_step_is_late(const ChSimulation* s);

// One step of the integrator that the options name, of length h; advances states and fills info. `half_step`: see
// ledger.c.
ChStatus ch_step_make(ChContext* context, ChSimulation* s, double h, double* half_step, ChStepInfo* info);

// Bodies that are moved by prescription: their mean velocity from now to `end`, h later, and their place at a time.
void ch_kinematic_velocities(ChSimulation* s, double end, double h);
void ch_kinematic_arrive(ChSimulation* s, double t);

// Warm starts.
void ch_memory_recall(const ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h, double* r);
ChStatus ch_memory_store(ChContext* context, ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h,
                         const double* r);

ChStatus ch_memory_reserve(ChContext* context, ChSimulation* s, int contacts);

// Collisions with restitution before the step itself; velocities of `states` change.
ChStatus ch_impacts_resolve(ChContext* context, ChSimulation* s, const ChMoment* moment, double h, ChStepInfo* info);

// Positions onto the constraints after a step (B5).
ChStatus ch_positions_project(ChContext* context, ChSimulation* s, ChStepInfo* info);

// Gaps at these positions.
ChStatus ch_simulation_gaps(ChContext* context, ChSimulation* s, const ChBodyState* states, double look_ahead,
                            const ChGap** gaps, int* count);

// Certified rest from step to step: islands that come again unchanged, bit for bit, keep their reactions; sets
// stage->kept and writes into stage->r.
void ch_rest_recall(ChSimulation* s, ChStage* stage);
// What the next step may need of this one, and the contacts as the caller sees them.
ChStatus ch_step_remember(ChContext* context, ChSimulation* s, const ChStage* stage, double h);

// Velocity of a body as width numbers, and back.
void ch_state_read(const ChWorld* world, const ChBodyState* state, double* v);
void ch_state_write(const ChWorld* world, const double* v, ChBodyState* state);
// Refuses states with a number that is not finite, or so large that positions mean nothing any more.
ChStatus ch_states_check(ChContext* context, const ChWorld* world, const ChBodyState* states, long step);

// Velocity of a body with this momentum that nothing but its locks holds; both width numbers.
void ch_free_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* momentum,
                      double* velocity);

// Work that prescriptions and motors (rows) and applied forces k did. Called when s->velocities are the new velocities
// and s->states still have the old ones; `before`: driven bodies as contacts saw them then.
double ch_ledger_rows(const ChSimulation* s, const ChMoment* moment, const ChRows* rows, const double* r,
                      const ChBodyState* before);
double ch_ledger_applied(const ChSimulation* s, const double* k, double h);
double ch_ledger_half_step(const ChSimulation* s, double h);
// Energies at the end of the step, and what of their rise is not explained.
void ch_ledger_close(const ChSimulation* s, double half_step, ChStepInfo* info);

// The row of a body that forces move, or a sentence.
ChStatus ch_free_body_find(ChContext* context, const ChSimulation* s, ChBodyId id, int* row);
// What locks leave of a velocity along world axes.
static inline ChVec3 ch_unlocked(unsigned locks, ChVec3 v) {
  return ch_vec(locks & 1u ? 0.0 : v.x, locks & 2u ? 0.0 : v.y, locks & 4u ? 0.0 : v.z);
}
// Arrays of the world's sizes, in s->arena; states begin at the start.
void ch_simulation_take_arrays(ChSimulation* s);
// Commands that were for one step are over.
void ch_control_end_step(ChSimulation* s);

// Whether the world looks the same at any time.
bool ch_world_is_autonomous(const ChWorld* world);

// Checks options and takes them over, names included. What was checked before and is the same is not checked again.
// `changed`: whether more than limits of time changed.
ChStatus ch_options_take(ChContext* context, ChSimulation* s, const ChSimulationOptions* options, bool* changed);

// Impulses of the last step in the order of the rows of ch_simulation_problem.
void ch_simulation_reactions(const ChSimulation* simulation, int rows, double* r);

#endif
