// The dense tableau of  w - A y - d y0 = b:  n basic variables as affine functions of the n + 1 others.
//
//   x_B = t + T x_N        variables are numbered w_0 .. w_{n-1}, y_0 .. y_{n-1}, y0 = 2n
//
// A pivot exchanges one of each in n^2 operations; the tableau is made anew from A now and then, against round-off.
#ifndef CH_SOLVE_LCP_TABLEAU_H
#define CH_SOLVE_LCP_TABLEAU_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/sparse.h"

typedef struct ChTableau {
  int n;
  const ChSparse* A;
  const double *b, *d;
  int *basic, *other;  // variables of the n rows and n + 1 columns
  double* T;           // by columns: T[j * n + i]
  double* x;           // values of all 2n + 1 variables
  double* basis;       // scratch, n x n
  double* row;         // scratch, n + 1
  int* pivot;
  int exchanges;  // since the tableau was made
} ChTableau;

// All w basic, x_N = 0.
ChTableau ch_tableau(ChArena* arena, const ChSparse* A, const double* b, const double* d);

// Exchanges the basic variable of a row with that of a column; their values stay.
void ch_tableau_exchange(ChTableau* t, int row, int column);

// Makes T anew for the variables that are basic now. False when they are no basis.
bool ch_tableau_renew(ChTableau* t);

// x_B from x_N with another right-hand side; T is not touched. False when the basis is singular.
bool ch_tableau_values(ChTableau* t, const double* b);

#endif
