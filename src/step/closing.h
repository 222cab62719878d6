// What is left to do where an island missed its tolerance: an answer that is safe whatever else is wrong with it.
//
// The slip of the best iterate is put on the right-hand side, which leaves a convex problem (000 LCP2 and its Gamma):
//
//   K contains r  _|_  u + Gamma n in K*,     Gamma_i = mu_i |u_T,i| of the best iterate
//
// Whatever Gamma >= 0 is, friction stays in its cone and contacts do no work, r . u = -Gamma . r_n <= 0: a missed step
// gains no energy. Bodies approach by at most what slip fell short of, Gamma - mu |u_T|; where that is anything Gamma
// is cut back and the problem solved again. With Gamma = 0, the last resort, u_n >= mu |u_T|: nobody approaches (004
// section 5.4.2 asks for no more than that; normal reactions under frozen friction, as there, can gain energy).
#ifndef CH_STEP_CLOSING_H
#define CH_STEP_CLOSING_H

#include "cardhouse/solve.h"

// Puts the answer in place of (v, u, r), and its certificate as one of the problem with friction. The best iterate
// stays where it is as safe and the better one, or where the convex problem cannot be solved either.
ChStatus ch_close_missed(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v,
                         double* u, double* r, ChSolveInfo* info);

#endif
