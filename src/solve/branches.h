// Problems whose friction depends on the speed of slip: see branches.c.
#ifndef CH_SOLVE_BRANCHES_H
#define CH_SOLVE_BRANCHES_H

#include "cardhouse/diagnostics.h"

// As ch_solve_staggered, for a problem with curves of friction: many solves of one without.
ChStatus ch_solve_branches(ChContext* context, const ChProblem* problem, const ChSolveOptions* options,
                           const ChStaggeredWatch* watch, double* v, double* u, double* r, ChSolveInfo* info);

#endif
