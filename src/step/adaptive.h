// Steps that miss their tolerance are undone and taken in halves. docs/theory/adaptive_steps.md
//
// A step h is 2^K units long, K = options.halvings. It is made of substeps of 2^(K - level) units:
//
//   a substep that misses, level < K    is undone to the last bit, level + 1
//   one that meets                      is kept; after N of them in a row, where a longer one would fit,  level - 1
//
// Lengths are powers of two and a substep begins at a multiple of its own length, so that the step ends where it would
// have ended: times are counted in units, and never summed. The level stays from step to step.
#ifndef CH_STEP_ADAPTIVE_H
#define CH_STEP_ADAPTIVE_H

#include "step/undo.h"

// Whether steps of these options may be halved for a miss. A limit on the clock leaves no time for it, and a baseline
// method misses as a rule.
bool ch_adaptive_halves(const ChSimulation* s);

// What a substep adds to the step that it is part of.
void ch_step_add(ChStepInfo* sum, const ChStepInfo* part);

// One step that ends at `end`, of as many substeps as it takes. Where it returns an error, or CH_STOPPED, `undo` leads
// back to where the step began.
ChStatus ch_adaptive_step(ChContext* context, ChSimulation* s, double end, ChUndo* undo, ChStepInfo* info);

// Of a try, once it is known how many contacts it has: small problems have no try, where the options say so, unless
// somebody cares how deep bodies end.
void ch_trial_settle(ChSimulation* s, int contacts, bool cares);

#endif
