// Friction of contacts that bounce. Coulomb's law is asked at the end of the step (004 (4.52)), where it opposes v+_T;
// the work of a contact over the step is
//
//   f . d_T,   d_T = (v_T + v+_T) / 2
//
// and may be a gain where the slip turned round within the step: Kane's paradox. A deformable body, whose modes answer
// an elastic blow with a slip of their own, met it in hard landings (1.45 J of 6.9 J in one step of a rubber bar). Such
// a contact is asked again, with the law at d_T in place of v+_T: then f . d_T <= 0.
#ifndef CH_STEP_SLIP_BACK_H
#define CH_STEP_SLIP_BACK_H

#include "assemble/rows.h"
#include "step/state.h"

// Where friction of a contact with these reactions gains, asks for the law at d_T from now on; whether it did anywhere.
// Of a contact that was asked so before `turned` is set; one for each block, zero at first. s->states have the old
// velocities, s->velocities the new ones.
bool ch_slip_back(const ChSimulation* s, const ChRows* rows, const double* r, bool* turned);

#endif
