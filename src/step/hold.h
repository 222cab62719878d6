// The bodies of joints, or all of them where the step must be symmetric (composed.h), in a step whose joints hold at
// its end (assemble/held_joints.h): where a guess of v+ leads them. Their gyroscopic term is part of the problem, with
// the same mean of w as everything else, for only then is the work of a joint nothing:
//
//   J (w+ - w) = - h wm x J wm + (1 - [h wm / 2]) R' T,   R+ = R cay(h wm)
#ifndef CH_STEP_HOLD_H
#define CH_STEP_HOLD_H

#include "assemble/held_joints.h"
#include "step/integrator.h"
#include "step/state.h"

typedef struct ChHold {
  ChSimulation* s;
  ChHoldRule rule;
  bool* held;           // of each body; NULL: there is none
  const double* guess;  // vj
  ChBodyState *end, *middle;
  ChVec3* turn;
  double* asked;  // of each row, from the first pass
} ChHold;

// `guess` is read whenever something is asked.
ChHold ch_hold_open(ChSimulation* s, const ChIntegrator* integrator, double h, double a, const double* guess);

static inline bool ch_hold_has(const ChHold* hold, int body) { return hold->held && hold->held[body]; }

// h times the gyroscopic torque on a body, its own frame, at the mean of w and the guess.
ChVec3 ch_hold_spin(const ChHold* hold, int body);

// Rows of joints as the guess makes them.
void ch_hold_rows(ChHold* hold, const ChMoment* moment, ChRows* rows);

// Largest difference of the new velocities from the guess among bodies of joints, relative to both.
double ch_hold_change(const ChHold* hold);

#endif
