// Goldfarb and Idnani's dual active-set method (1983), which needs no more than the Gram matrix of the constraints:
//
//   primal   min 1/2 x'Hx + c'x + sum_p cap_p max(0, b_p - N_p'x)      N_p'x = b_p for rows marked free
//            without a cap: N_p'x >= b_p
//   dual     min 1/2 y'Ay + b'y,   0 <= y_p <= cap_p, y_p free where marked;   A = N'H^-1 N,  w = A y + b = slack
//
// The active set a holds the constraints with w = 0 whose multiplier is inside its bounds; A_aa is kept factored
// (linalg/principal_factor.h). A violated constraint p enters along d = A_aa^-1 A_ap:
//
//   y_p += t,  y_a -= t d,  w_p += t (A_pp - A_pa d)
//
// until w_p = 0 (p becomes active), or a multiplier reaches its bound first (that constraint is dropped, p goes on), or
// y_p reaches its own. A_pp - A_pa d = 0 says that the normal of p depends on those of a: then only multipliers bound
// the step, and where none does the constraints contradict each other. Every step that makes p active lowers the dual
// objective by a positive amount, so that no active set comes back: the method is finite.
#ifndef CH_SOLVE_QP_DUAL_ACTIVE_SET_H
#define CH_SOLVE_QP_DUAL_ACTIVE_SET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/work.h"
#include "cardhouse/sparse.h"

typedef struct ChDualActiveSetDef {
  const ChSparse* A;          // positive semidefinite, both triangles, diagonal stored
  const unsigned char* free;  // n; NULL: none
  const double* cap;          // n, may be infinite; copied; NULL: none
  int rank_max;               // of A, or more
  bool sparse;                // how A_aa is factored
  double tol_dependent;       // Schur complement that is zero, relative to A_pp
} ChDualActiveSetDef;

typedef struct ChDualActiveSet ChDualActiveSet;

typedef enum ChDualEnd {
  CH_DUAL_SOLVED,
  CH_DUAL_INFEASIBLE,  // constraints contradict each other; y is where that was found
  CH_DUAL_LIMIT        // of changes or time
} ChDualEnd;

// y = 0 and nothing is active. The definition's arrays must outlive it. Freed with the arena.
ChDualActiveSet* ch_dual_active_set_create(ChArena* arena, const ChDualActiveSetDef* def);

// Hot start: y is put inside its bounds, and its support, as far as it is independent, becomes active. Where it is not,
// multipliers are moved along the dependence until one is zero: A y stays. To be called before the first solve.
void ch_dual_active_set_start(ChDualActiveSet* set, const double* y);

// Other caps: multipliers at a cap stay at it, all others inside.
void ch_dual_active_set_recap(ChDualActiveSet* set, const double* cap);

typedef struct ChDualLimits {
  double tolerance;  // violation that is none, relative to sqrt(A_pp)
  long max_changes;  // of the active set in this solve
  ChDeadline deadline;
} ChDualLimits;

// From the active set at hand to that of b; to be called again with another b, hot.
ChDualEnd ch_dual_active_set_solve(ChDualActiveSet* set, const double* b, const ChDualLimits* limits);

const double* ch_dual_active_set_multipliers(const ChDualActiveSet* set);
// Additions and removals so far, without those of the start.
long ch_dual_active_set_changes(const ChDualActiveSet* set);

#endif
