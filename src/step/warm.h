// Warm starts: impulses of contacts and joints from one step to the next.
#ifndef CH_STEP_WARM_H
#define CH_STEP_WARM_H

#include "step/state.h"

// Impulses of the last step, for the rows at hand: r (rows), as for a step of length h.
void ch_memory_recall(const ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h, double* r);
// Keeps r for the next step.
ChStatus ch_memory_store(ChContext* context, ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h,
                         const double* r);
// Room for so many contacts.
ChStatus ch_memory_reserve(ChContext* context, ChSimulation* s, int contacts);

// Whether the last step had this contact; `past` is the ChMemory.
bool ch_memory_holds(const void* past, int shape_a, int shape_b, uint64_t key);

#endif
