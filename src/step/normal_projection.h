// What is left to do where an island missed its tolerance (004 section 5.4.2): friction is frozen as the best iterate
// has it and the normal reactions are solved for, a convex problem, so that Signorini's law and with it
// non-penetration hold even then. Friction that its new normal reaction cannot carry is cut back and the normals are
// solved for again, a few times; they have the last word. Graded again as what it is: an answer to the problem with
// friction.
#ifndef CH_STEP_NORMAL_PROJECTION_H
#define CH_STEP_NORMAL_PROJECTION_H

#include "cardhouse/solve.h"

// Improves (v, u, r) in place and writes the new certificate. Where the convex problem cannot be solved either, what
// was there stays.
ChStatus ch_normal_projection(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v,
                              double* u, double* r, ChSolveInfo* info);

#endif
