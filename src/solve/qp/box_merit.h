// A mixed complementarity problem as a bound-constrained least-squares problem (003, eq. (2), with upper bounds):
//
//   minimise  Phi(x, z, y) = 1/2 [ |F(x) - z + y|^2 + omega (sigma^2 + tau^2) ]
//   over      lower <= x <= upper,   z >= 0,   y >= 0
//   with      sigma = sum (x_i - lower_i) z_i,   tau = sum (upper_i - x_i) y_i
//
// z_i exists where lower_i is finite, y_i where upper_i is. Phi = 0 exactly at solutions. omega is 1, as in 003, up to
// a hundred pairs, and 1/sqrt(pairs) beyond, where sigma, a sum over all pairs, would outweigh the rest and shrink the
// trust region. Bounds are the only constraints, so the augmented Lagrangian around the trust region would stop after
// its first round: there is none.
#ifndef CH_SOLVE_QP_BOX_MERIT_H
#define CH_SOLVE_QP_BOX_MERIT_H

#include "solve/lcp/complementarity.h"
#include "solve/qp/box_trust_region.h"

typedef struct ChBoxMerit ChBoxMerit;

ChBoxMerit* ch_box_merit_create(ChArena* arena, const ChMcp* mcp);

// The problem for the trust region in X = (x, z, y); x comes first. With an affine F it has a preconditioner.
ChBoxProblem ch_box_merit_problem(ChArena* arena, ChBoxMerit* merit);

// What suits the merit: stops at an objective of 1e-22, which leaves a natural residual near 1e-11.
ChBoxOptions ch_box_merit_options(const ChBoxMerit* merit);

// Starting point number `run` of a sequence that is the same every time: 0 is the problem's own start, later ones are
// spread around it. z = y = 0, so that sigma = tau = 0 and the model is a good one at first.
void ch_box_merit_start(const ChBoxMerit* merit, int run, double* X);

// Factorisations that the preconditioner took.
long ch_box_merit_factorizations(const ChBoxMerit* merit);

#endif
