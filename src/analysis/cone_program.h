// Reactions in their cones that balance a load, as a linear programme that grows until the cones are round.
//
//   balance     minimise |D (A r + b)|_1                 over r in K(factor)          (D: row scale)
//   load        maximise lambda with A r + b + lambda g = 0, lambda >= 0, r in K(factor)
//   self-stress minimise |D A r|_1 with sum of scaled normal reactions = 1
//
// A circular or elliptic cone is spanned by finitely many of its edges. The multipliers of the programme are a velocity
// v; a contact for which it does not hold that u_n >= mu |u_T|, u = A^T v, gets the edge (1, -mu u_T / |u_T|) which
// that velocity slides against, and the programme is solved on from where it stands. It ends when no contact wants
// another edge: r is then inside the round cones, v is a velocity that they admit, and the two values meet.
#ifndef CH_ANALYSIS_CONE_PROGRAM_H
#define CH_ANALYSIS_CONE_PROGRAM_H

#include "base/arena.h"
#include "cardhouse/problem.h"

typedef struct ChConeProgram ChConeProgram;

typedef struct ChConeProgramDef {
  ChContext* context;            // told why GLPK gave up, before the jump to the arena's landing
  const ChProblemView* problem;  // its blocks say what K is
  const ChSparse* A;             // equations x rows of the problem
  const double* scale;           // D, one per equation
  const double* b;               // NULL: zero
  const double* load;            // g, NULL: none
  bool self_stress;              // the sum of normal reactions is one; bounded blocks are left out
  double deadline;               // on ch_clock_seconds
} ChConeProgramDef;

typedef struct ChConeAnswer {
  double value;      // balance: |D (A r + b)|_1 relative to |D b|_inf; load: lambda, possibly infinite
  double violation;  // largest u_n - mu |u_T| below zero, relative to the largest |u|: 0 to round-off when converged
  int rounds;        // programmes solved
  int edges;         // columns for contacts in the last of them
} ChConeAnswer;

// Never NULL: a failure jumps to the arena's landing. The programme is freed with the arena.
ChConeProgram* ch_cone_program_create(ChArena* arena, const ChConeProgramDef* def);

// Every friction coefficient times `factor`. The edges found so far are kept, so that a bisection finds most of
// them once.
void ch_cone_program_set_friction(ChConeProgram* program, double factor);

ChStatus ch_cone_program_balance(ChContext* context, ChConeProgram* program, ChConeAnswer* out);

// After a balance of value zero.
ChStatus ch_cone_program_load(ChContext* context, ChConeProgram* program, ChConeAnswer* out);

// The reactions, and the velocity v (one per equation) with u = A^T v that belong to the last answer.
void ch_cone_program_reaction(const ChConeProgram* program, double* r);
void ch_cone_program_velocity(const ChConeProgram* program, double* v);

#endif
