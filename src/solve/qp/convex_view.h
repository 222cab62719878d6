// The convex half of an outer loop: K contains r, K* contains W r + q, orthogonal, with a q that the loop keeps
// changing.
//
// A view is a shallow copy of a system in pose relaxed with its own q; an inner method solves it. An inner method that
// needs a symmetric W works on W_sym = (W + W^T) / 2 and the rest goes to the right-hand side,
//
//   K contains r+, K* contains W_sym r+ + q + (W - W_sym) r, orthogonal,
//
// repeated, with Anderson acceleration, until r stands still: what comes out solves the problem as given. A method that
// takes an unsymmetric W gets it.
#ifndef CH_SOLVE_QP_CONVEX_VIEW_H
#define CH_SOLVE_QP_CONVEX_VIEW_H

#include "solve/method.h"

typedef struct ChConvexView {
  ChSystem given;                  // pose relaxed, own q: write it, then solve
  ChSystem convex;                 // what the inner method sees: the same, or W_sym with its own q
  bool carried;                    // W - W_sym is carried on the right-hand side
  const ChMethod *inner, *relief;  // `relief` goes on where `inner` misses; or NULL
  bool asked;                      // the inner method is the user's choice
  long limit, relief_limit;        // iterations; 0 = the method's own
  long solves, relieved;           // how often the view was solved, and how often the relief had to help
  ChRun* outer;                    // whose arena, limits and counters are used
  ChSolveOptions options;          // the outer ones without the history
  double *x, *trial, *u, *v;
  ChShared shared;  // linear systems of the convex system, kept from solve to solve
} ChConvexView;

// The view may not be copied or moved afterwards: it points into itself.
// `system` is the outer run's or a part of it. The inner method is the one asked for where it can take the system. By
// default it is Newton's, and where that stalls accelerated gradient takes over. Where another one falls short
// (interior points end near 1e-7, sweeps may take for ever) Newton's method goes on, and the outer run's note says how
// often.
void ch_convex_view_init(ChConvexView* view, ChRun* outer, const ChSystem* system);

// Improves r (in: start) until the error of the view is at most `tolerance` or `deadline` has passed; returns the
// error. Iterations and factorisations are added to the outer run's.
double ch_convex_view_solve(ChConvexView* view, double tolerance, ChDeadline deadline, double* r);

#endif
