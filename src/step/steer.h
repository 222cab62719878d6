// Commands from outside between two steps: what poke.c, steer.c and the step itself share.
#ifndef CH_STEP_STEER_H
#define CH_STEP_STEER_H

#include "step/state.h"

// The row of a body that forces move, or a sentence.
ChStatus ch_free_body_find(ChContext* context, const ChSimulation* s, ChBodyId id, int* row);
// Commands that were for one step are over.
void ch_control_end_step(ChSimulation* s);

// What locks leave of a velocity along world axes.
static inline ChVec3 ch_unlocked(unsigned locks, ChVec3 v) {
  return ch_vec(locks & 1u ? 0.0 : v.x, locks & 2u ? 0.0 : v.y, locks & 4u ? 0.0 : v.z);
}

#endif
