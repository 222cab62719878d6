// Staggered projections on one contact, in closed form (004 s6.7.1, Figs 5.1, 5.2 and 6.1).
//
// The normal n and the friction segment along d have unit length in the kinetic metric and enclose the angle theta:
// W = [1 c; c 1], c = cos theta, n = (0, 1), d = (sin theta, cos theta). The point (x, y) is the negative of the
// predicted velocity: q_n = -y, q_t = -(x sin theta + y cos theta).
//
//   alpha = max(0, -(q_n + c f))                              (6.55), with the alpha >= 0 that is missing there
//   f     = the point of [-mu alpha, mu alpha] nearest to -(q_t + c alpha)                            (6.56)
#ifndef CH_REPRODUCE_SINGLE_CONTACT_H
#define CH_REPRODUCE_SINGLE_CONTACT_H

#include <stdbool.h>

#include "cardhouse/problem.h"

typedef struct ChSingle {
  double theta, mu;
  double x, y;
} ChSingle;

typedef struct ChSinglePair {
  double alpha, f;
  double lambda;  // slip that is left
} ChSinglePair;

typedef struct ChSingleRun {
  int iterations;
  bool converged;
  ChSinglePair last;
  double change;  // |f - f before| of the last iteration
  double rate;    // that over the change before it; NaN where there is none
} ChSingleRun;

double ch_single_contact(const ChSingle* s, double f);
ChSinglePair ch_single_friction(const ChSingle* s, double alpha);
double ch_single_objective(const ChSingle* s, ChSinglePair pair);  // (5.32)
// The same after the contact projection with which algorithm 1 closes; lambda is then the slip that is left.
double ch_single_closed_objective(const ChSingle* s, double f);

// The solution sticks: (x, y) lies in the friction cone of the two directions.
bool ch_single_sticks(const ChSingle* s);

// From f = 0 until (5.21), squared as printed or its root, is at most eps; 0/0 is no change. What is seen at each
// iteration goes to `rel_err` (squared) and `objective`, arrays of `cap` entries or NULL.
ChSingleRun ch_single_run(const ChSingle* s, double eps, bool squared, int cap, double* rel_err, double* objective);

// The same as a contact problem, for the library's methods.
ChStatus ch_single_problem(ChContext* context, const ChSingle* s, ChProblem** out);

#endif
