// A basis of the linear complementarity problem with some equations among its rows,
//
//   w - A y - d y0 = b,    w_i, y_i >= 0, w_i y_i = 0;   rows with free[i]: w_i = 0, y_i without sign,
//
// kept as a sparse LU factorisation with product-form updates. Variables are numbered w_0 .. w_{n-1}, y_0 .. y_{n-1},
// y0; a basis holds n of them, and is complementary when it holds one of every pair (w_i, y_i).
#ifndef CH_SOLVE_LCP_LCP_BASIS_H
#define CH_SOLVE_LCP_LCP_BASIS_H

#include <math.h>
#include <stdbool.h>

#include "base/work.h"
#include "linalg/sparse.h"
#include "linalg/sparse_lu.h"

typedef struct ChLcp {
  int n;
  ChSparse A;
  double* b;
  unsigned char* free;  // variable without sign, row an equation
} ChLcp;

typedef struct ChLcpBasis {
  const ChLcp* lcp;
  int n;
  int* basic;         // variable at each place of the basis
  int* place;         // place of each variable, -1 outside the basis
  double* d;          // covering vector
  double* direction;  // the last column asked for, in terms of the basis
  double *b, *x;      // the right-hand side followed, and the values of the basic variables
  long factorizations;
  ChDeadline deadline;  // after which a crossover gives up
  // what follows is the factorisation's own
  ChArena* arena;
  ChArenaMark mark;
  int updates, refactor;
  double* eta;  // columns of the updates
  int* eta_place;
  double* column;
  ChSparse B;
  ChSparseLu* lu;
} ChLcpBasis;

// All slacks. The basis takes memory from the arena whenever it is factored and gives it back at the next time: nothing
// else may be taken from this arena while the basis lives.
void ch_lcp_basis_init(ChLcpBasis* basis, ChArena* arena, const ChLcp* lcp, int refactor);
void ch_lcp_basis_set_slacks(ChLcpBasis* basis);

static inline int ch_lcp_cover(const ChLcpBasis* basis) { return 2 * basis->n; }
static inline int ch_lcp_complement(const ChLcpBasis* basis, int variable) {
  return variable < basis->n ? variable + basis->n : variable - basis->n;
}
// y_i of an equation
static inline bool ch_lcp_is_free(const ChLcpBasis* basis, int variable) {
  return variable >= basis->n && variable < 2 * basis->n && basis->lcp->free[variable - basis->n];
}
// w_i of an equation: in the basis only where the equation depends on the others
static inline bool ch_lcp_is_fixed(const ChLcpBasis* basis, int variable) {
  return variable < basis->n && basis->lcp->free[variable];
}

// max |x_i|
static inline double ch_lcp_largest(int n, const double* x) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// out += scale times the variable's column of [I, -A, -d]
void ch_lcp_basis_scatter(const ChLcpBasis* basis, int variable, double scale, double* out);

// Factors the basis anew; false when it is singular.
bool ch_lcp_basis_factor(ChLcpBasis* basis);

// out = basis^-1 in
void ch_lcp_basis_solve(const ChLcpBasis* basis, const double* in, double* out);

// basis->direction = basis^-1 times the variable's column
void ch_lcp_basis_direct(ChLcpBasis* basis, int variable);

// row = the place's row of basis^-1; basis->column is used up
void ch_lcp_basis_row(ChLcpBasis* basis, int place, double* row);

// `entering`, whose column is basis->direction, takes a place. False when a due factorisation finds the basis singular.
bool ch_lcp_basis_exchange(ChLcpBasis* basis, int place, int entering);

// Whether updates hang on the factorisation, whose round-off a fresh one would do without.
static inline bool ch_lcp_basis_is_stale(const ChLcpBasis* basis) { return basis->updates > 0; }

#endif
