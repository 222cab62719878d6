// The ledger of energy: work done in a step, and what of a rise is not explained.
#ifndef CH_STEP_LEDGER_H
#define CH_STEP_LEDGER_H

#include "step/state.h"

// Work that prescriptions and motors (rows) and applied forces k did. Called when s->velocities are the new velocities
// and s->states still have the old ones; `before`: driven bodies as contacts saw them then.
double ch_ledger_rows(const ChSimulation* s, const ChMoment* moment, const ChRows* rows, const double* r,
                      const ChBodyState* before);
double ch_ledger_applied(const ChSimulation* s, const double* k, double h);
// What compliant contacts hold at the start of the step, and at its end, once s->contacts are this step's. 0 in rigid
// worlds.
double ch_ledger_stored_before(const ChRows* rows);
double ch_ledger_stored_after(const ChSimulation* s, const ChRows* rows, double h);
double ch_ledger_half_step(const ChSimulation* s, double h);

// What contacts that bend add for a step.
double ch_ledger_bends(const ChMoment* moment, const ChRows* rows, const double* r, double h);
// Energies at the end of the step, and what of their rise is not explained.
ChStatus ch_ledger_close(ChContext* context, ChSimulation* s, double half_step, ChStepInfo* info);

#endif
