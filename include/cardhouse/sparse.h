// Sparse matrices as they come in and as they are kept.
#ifndef CARDHOUSE_SPARSE_H
#define CARDHOUSE_SPARSE_H

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

#endif
