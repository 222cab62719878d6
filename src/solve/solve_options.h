// Options of a solve that outlive the caller's: names and settings are copied, the rest is as given.
#ifndef CH_SOLVE_SOLVE_OPTIONS_H
#define CH_SOLVE_SOLVE_OPTIONS_H

#include "cardhouse/solve.h"

// `out` names nothing of the caller's method, inner method and settings. All of it lies in one block, *owned, which the
// caller frees; NULL and false when out of memory.
bool ch_solve_options_copy(const ChSolveOptions* from, ChSolveOptions* out, void** owned);

#endif
