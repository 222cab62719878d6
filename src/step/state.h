// A simulation from inside: the world, the state of its bodies, and what one step hands to the next.
#ifndef CH_STEP_STATE_H
#define CH_STEP_STATE_H

#include "cardhouse/simulation.h"
#include "collide/pairs.h"
#include "step/bend.h"
#include "step/stage.h"

// Impulse of a contact, under the name by which the next step finds it.
typedef struct ChContactMemory {
  int shape[2];
  uint64_t key;
  double r[CH_BLOCK_MAX];  // along and about these axes, see ch_contact_row_axis:
  ChVec3 axis[3];          // normal and tangents
  int64_t bonded;          // held together by cohesion
  ChVec3 stretch;          // of the spring along its tangents, in the world (shear.h)
} ChContactMemory;

// What the last step leaves for the next.
typedef struct ChMemory {
  int contact_count, contact_room;
  ChContactMemory* contacts;  // sorted as gaps are
  double* joints;             // joint_count * CH_JOINT_ROWS_MAX impulses, by row
  unsigned char* unsure;      // body -> see stage.h; CH_LOOK_FIRST at the start
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
  unsigned char* branch;  // as in ChStage
  const ChCertificate* grades;
  const double* relaxed;
} ChRestMemory;

struct ChSimulation {
  const struct ChPeers* peers;  // other processes that move the other bodies (peers.h); NULL: none
  ChWorld* world;
  ChSimulationOptions options;  // in force; names are the library's own
  void* names;                  // of methods, and settings, in `options`, the simulation's own
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
  double rounding;     // overlap at the start that is left as it is, metres (rounding.h)
  int led_count;       // kinematic bodies on their way to where the caller wants them
  ChHeap heap;         // what the stiffness of compliant contacts follows from; its overlap is 0 until a step weighs it
  bool restock;        // what contacts store at the start of the next step is to be measured, not known
  bool autonomous;     // nothing in the world depends on time
  bool still;          // the last step moved nothing: the next one is the same
  double time, h;      // h: what stepping by gaps is at
  int level, good;     // steps that miss are halved so often now; substeps since then that met (adaptive.h)
  ChTrial trial;       // of the substep at hand
  double widen;        // metres beyond the margin that it looks for contacts (adaptive.h)
  ChManifold passing;  // scratch of passing.c
  ChBends bends;       // what a try that ended too deep found, for the next one
  double spent;        // by the step at hand, in work limits
  double left;         // seconds from the beginning of the substep at hand to the end of its step
  double deadline;     // by which the step's solves shall have ended, on ch_clock_seconds; 0: none
  double solved;       // when the last ones had
  double after;        // seconds that a step takes after them, as of late
  ChHaste haste;       // see stage.h
  long recirculated, inlet_places;  // bodies that came back (recirculate.h), and places that were tried for them
  long step;
  double base_time, base_h;  // since `base_step` all steps were base_h long: time is counted, not summed
  long base_step;
  ChStepInfo info;
  void* undo;  // ch_simulation_save before a step that may forget, half-way, where it began
  size_t undo_room;
  ChContactView* contacts;
  int contact_count, contact_room;
};

#endif
