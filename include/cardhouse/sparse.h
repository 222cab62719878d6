// Sparse matrices: the form in which callers pass them, and the form in which the library keeps them.
#ifndef CARDHOUSE_SPARSE_H
#define CARDHOUSE_SPARSE_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// A matrix as a list of entries; duplicates add up. Index arrays are 0-based.
typedef struct ChTriplets {
  int rows, columns;
  long count;
  const int* row;
  const int* column;
  const double* value;
} ChTriplets;

// Compressed columns, row indices ascending, no duplicates.
typedef struct ChSparse {
  int rows, columns;
  int* start;  // columns + 1
  int* index;  // row of each entry
  double* value;
} ChSparse;

// y += A x: x has A->columns entries, y has A->rows.
CH_API void ch_sparse_multiply_add(const ChSparse* A, const double* x, double* y);

// y += A^T x: x has A->rows entries, y has A->columns.
CH_API void ch_sparse_multiply_transposed_add(const ChSparse* A, const double* x, double* y);

#ifdef __cplusplus
}
#endif
#endif
