// Contacts that are held in configuration space (004 (4.41); requirements B14, E12, L17): the gap of the configuration
// at the end of the step, and not what its start says of it. With a step vj of the velocities that leads from q to qj,
//
//   0 <= Phi(qj) + h N'(d - dj)  _|_  r_n >= 0,     N = grad Phi((q + qj) / 2)
//
// is linear in v+; where v+ comes back as vj, Phi(q+) >= 0 _|_ r_n is met, with reactions along the normals of the
// middle. Contacts are looked for at both places, as near as the margin allows: shapes prune what is far, no pair of
// boundaries is listed beforehand.
#ifndef CH_STEP_HELD_GAPS_H
#define CH_STEP_HELD_GAPS_H

#include "assemble/rows.h"
#include "step/state.h"

typedef struct ChHeldGaps {
  ChSimulation* s;
  double h, a;  // d = a v + (1 - a) v+
  ChBodyState *middle, *end;
  ChVec3 *velocity, *turn;  // dj of frames: of their origins; of them, in their own frames
  double* rates;            // and of amplitudes
  double* ends;             // Phi(qj) of the moment's gaps
} ChHeldGaps;

ChHeldGaps ch_held_gaps_open(ChSimulation* s, double h, double a);

// vj: s->velocities. The moment gets the states of the middle and the contacts there, with Phi(qj) - h N'dj as gaps.
ChStatus ch_held_gaps_find(ChContext* context, ChHeldGaps* held, ChMoment* moment);

#endif
