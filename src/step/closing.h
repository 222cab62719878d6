// What is left to do where an island missed its tolerance by far: an answer that is safe whatever else is wrong with
// it. Safe is: friction is in its cone, nobody approaches, contacts do no work (r . u <= 0). Three answers are looked
// at.
//
//   pushed    the best iterate, pushed apart (push_apart.h)
//   convex    its slip on the right-hand side (000 LCP2 and its Gamma): K contains r _|_ u + Gamma n in K*, Gamma_i =
//             mu_i |u_T,i|; whatever Gamma is, r . u = -Gamma . r_n <= 0. Pushed apart as well
//   relaxed   the same with Gamma = 0, where u_n >= mu |u_T|: always safe, and the last resort
//
// The one that the certificate likes best is taken. (004 section 5.4.2 closes with normal reactions under frozen
// friction; these can leave a cone behind, and gain energy.)
#ifndef CH_STEP_CLOSING_H
#define CH_STEP_CLOSING_H

#include "cardhouse/solve.h"

// Puts the answer in place of (v, u, r), and its certificate as one of the problem with friction. Where no convex
// problem can be solved either, what was there stays, and `safe` is false: what is left then is brake.h.
ChStatus ch_close_missed(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v,
                         double* u, double* r, ChSolveInfo* info, bool* safe);

#endif
