// The nearest velocity at which nothing approaches, by normal impulses on top of those that are there:
//
//   min |v' - v|_M   subject to   H_N^T v' + w_N >= 0,  joints closed        v' = v + M^-1 H_N d,  d >= 0
//
// Normal reactions only grow, so that friction stays in its cone; and where no gap is negative, v' = 0 is allowed, so
// that the projection has no more kinetic energy than v.
#ifndef CH_STEP_PUSH_APART_H
#define CH_STEP_PUSH_APART_H

#include "cardhouse/solve.h"

// Adds d to r. Motors and joint friction keep their reactions. CH_OK, or as ch_solve: then r is as it was.
ChStatus ch_push_apart(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* r);

#endif
