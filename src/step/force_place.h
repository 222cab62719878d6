// Where and when a step takes its forces k*, and what of them is implicit.
//
// k* is linearised about a guess vj of v+: h k*(v+) = h k*(vj) + (h cq dk/dq + h cv dk/dv) (v+ - vj).
#ifndef CH_STEP_FORCE_PLACE_H
#define CH_STEP_FORCE_PLACE_H

#include "step/integrator.h"
#include "step/state.h"

typedef struct ChForcePlace {
  ChSimulation* s;
  ChForceRule rule;
  double h, a;
  double* guess;        // vj: body_count * width; NULL at the start of the step, where nothing is guessed
  ChBodyState* states;  // where
  double when;
  double cq, cv;
  bool symmetric;  // half a turn is half of the way to the end of the whole one, and not of half its tangent
  ChForceCoupling* couplings;
  int coupling_count;
} ChForcePlace;

// Takes its arrays from the step's arena; the guess is the velocity at hand.
ChForcePlace ch_force_place(ChSimulation* s, ChForceRule rule, double h, double a);
// Moves to where the guess leads, and lists the derivatives there.
void ch_force_place_find(ChForcePlace* place);
void ch_force_place_couple(ChForcePlace* place);

// k*, or the part of it that comes from outside; false, k untouched, when there is none.
bool ch_force_place_sum(const ChForcePlace* place, bool applied, double* k);
// k*(vj) - (cq dk/dq + cv dk/dv) vj
void ch_force_place_explicit(const ChForcePlace* place, double* k);
void ch_force_place_gravity(const ChForcePlace* place, double gravity[3]);

// Largest difference of the new velocities from the guess among bodies that implicit forces act on, relative to both.
double ch_force_place_change(const ChForcePlace* place);

#endif
