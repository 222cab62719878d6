// What one step leaves for the next.
#ifndef CH_STEP_REMEMBER_H
#define CH_STEP_REMEMBER_H

#include "step/state.h"

// Certified rest from step to step: islands that come again unchanged, bit for bit, keep their reactions; sets
// stage->kept and writes into stage->r.
void ch_rest_recall(ChSimulation* s, ChStage* stage);
// What the next step may need of this one, and the contacts as the caller sees them.
ChStatus ch_step_remember(ChContext* context, ChSimulation* s, const ChStage* stage, double h);

#endif
