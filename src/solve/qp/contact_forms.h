// The contact problem as the quadratic programmes of the documents, matrices and all, in the problem's own units.
//
//   minimise 1/2 x'H x + c'x   subject to   A x >= b,   the first `equalities` rows with =
//
// Contacts are polygonal (ChBlock.sides; in the plane d = +1, -1) with one mu each; n, D are columns of the problem's
// H, joints are equations, unilateral rows contacts without friction. Limits and compliance have no counterpart in the
// documents.
#ifndef CH_SOLVE_QP_CONTACT_FORMS_H
#define CH_SOLVE_QP_CONTACT_FORMS_H

#include "base/arena.h"
#include "cardhouse/problem.h"

typedef struct ChQp {
  int n;           // variables
  int rows;        // constraints
  int equalities;  // of them
  ChSparse H, A;
  double *c, *b;
} ChQp;

// 000 (14): x = (v, lambda), lambda one a contact. Rows, after the joints: n'v - mu lambda >= -Gamma - Delta of
// contacts and unilaterals, D'v + lambda e >= 0 contact by contact, lambda >= 0. Its optimality conditions are the
// relaxed complementarity problem 000 (12)-(13). gamma has an entry a block (read for contacts), or is NULL for zero.
ChStatus ch_qp_slip(ChContext* context, ChArena* arena, const ChProblem* problem, const double* gamma, ChQp* out);

// 000 (15) and, with the gap in w, 002 (1): x = v. Rows, after the joints: n'v >= -Delta of unilaterals and
// n'v + mu d_j'v >= -Gamma - Delta, block by block, one a direction.
ChStatus ch_qp_velocity(ChContext* context, ChArena* arena, const ChProblem* problem, const double* gamma, ChQp* out);

// 004 (5.11): x = v with the friction impulses given in r (tangent rows; others are not read). Rows: joints, then
// N'v >= -Delta.
ChStatus ch_qp_contact_primal(ChContext* context, ChArena* arena, const ChProblem* problem, const double* r, ChQp* out);

// 004 (5.23): the same from the other side, x = the reactions of all rows but tangent ones in their order, alpha >= 0
// of contacts and unilaterals.
ChStatus ch_qp_contact_dual(ChContext* context, ChArena* arena, const ChProblem* problem, const double* r, ChQp* out);

// 004 (5.24): x = beta, one a direction, with all other reactions given in r. Rows: beta >= 0, then mu alpha - E'beta
// >= 0, one a contact.
ChStatus ch_qp_friction(ChContext* context, ChArena* arena, const ChProblem* problem, const double* r, ChQp* out);

// Directions of a contact, and the j-th of them in its tangent rows (the second entry is 0 in the plane).
int ch_direction_count(const ChBlock* block);
void ch_direction(const ChBlock* block, int j, double d[2]);

// Lambda(v)_i = max_j d_j . u_T of 000 (17), u the velocities of the block's rows; 0 where there is no friction to
// speak of.
double ch_slip_bound(const ChBlock* block, const double* u);

// How far (x, y) is from a solution with multipliers y: the largest entry of H x + c - A'y, of what A x >= b lacks, of
// what y lacks to be >= 0, and of y_i (A x - b)_i. Zero exactly at solutions where H is positive semidefinite.
double ch_qp_residual(ChArena* arena, const ChQp* qp, const double* x, const double* y);

#endif
