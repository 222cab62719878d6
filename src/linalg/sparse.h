// Compressed-column sparse matrices: building, transposing, multiplying.
#ifndef CH_LINALG_SPARSE_H
#define CH_LINALG_SPARSE_H

#include "base/arena.h"
#include "cardhouse/sparse.h"

// Sorts entries by column and row and adds duplicates up. Indices must be in range.
ChSparse ch_sparse_from_triplets(ChArena* arena, const ChTriplets* triplets);
ChSparse ch_sparse_transpose(ChArena* arena, const ChSparse* A);

// y += A^T x for Jacobians: columns longer than those of two rigid bodies are summed run by run, several terms at once.
void ch_sparse_transposed_by_runs_add(const ChSparse* A, const double* x, double* y);

// How many of `count` ascending indices follow each other without a gap, from the first on.
// All of them mostly; else by doubling and halving.
int ch_sparse_search_run(const int* index, int count);
static inline int ch_sparse_run(const int* index, int count) {
  return index[count - 1] - index[0] == count - 1 ? count : ch_sparse_search_run(index, count);
}

// Whether columns j, j + 1 and j + 2 are long, and each one run of the same rows, as those of a contact of a body with
// modes: their length, else 0.
int ch_sparse_three_alike(const ChSparse* A, int j);

// max |A - A^T| / max |A|; 0 for an empty matrix
double ch_sparse_asymmetry(ChArena* arena, const ChSparse* A);

// Labels the connected parts of the undirected graph of a square A: label[i] in 0 .. count-1, numbered by first member.
// Neighbours i, i + 1 of the same group are connected, too; `group` may be NULL.
int ch_sparse_components(ChArena* arena, const ChSparse* A, const int* group, int* label);

#endif
