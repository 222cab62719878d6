// Block-sparse square matrices: rows of small dense blocks of mixed size, blocks stored row-major.
#ifndef CH_LINALG_BLOCK_CSR_H
#define CH_LINALG_BLOCK_CSR_H

#include "base/arena.h"

typedef struct ChBlockCsr {
  int n;           // block rows
  const int* dim;  // rows of each block
  const int* row;  // first scalar row of each block; row[n] = number of scalar rows
  int* start;      // n + 1
  int* column;     // block column of each entry, ascending in a row
  long* offset;    // where the entry's values begin; offset[start[n]] = number of values
  int* diagonal;   // the entry (i, i) of each row: always present
  double* value;
} ChBlockCsr;

// Lays out values for a given pattern (start, column): offsets, diagonal positions and zeroed values.
void ch_block_csr_layout(ChArena* arena, ChBlockCsr* A);

// y = A x + b (b may be NULL)
void ch_block_csr_multiply(const ChBlockCsr* A, const double* x, const double* b, double* y);

// y = sum over the row's off-diagonal blocks + b: what Gauss-Seidel sees at row i
void ch_block_csr_row_without_diagonal(const ChBlockCsr* A, int i, const double* x, const double* b, double* y);

// max |A - A^T| / max |A|
double ch_block_csr_asymmetry(const ChBlockCsr* A);

// Same pattern, values (A + A^T) / 2.
ChBlockCsr ch_block_csr_symmetric_part(ChArena* arena, const ChBlockCsr* A);

// The entry (i, j), or NULL.
const double* ch_block_csr_find(const ChBlockCsr* A, int i, int j);

#endif
