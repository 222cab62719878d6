// LU of a full matrix whose rows stand in blocks, one a body: blocks that do not meet are zero and passed over.
//
// Blocks begin at multiples of four, so that all sums run over whole vectors; rows between a block's end and the next
// one's beginning are the identity's. Rows are exchanged inside of a block only, which keeps the zeros and serves
// matrices M + H C H^T, whose blocks on the diagonal outweigh the others.
#ifndef CH_LINALG_WIDE_LU_H
#define CH_LINALG_WIDE_LU_H

#include <stdbool.h>

enum { CH_WIDE_LU_STEP = 4, CH_WIDE_LU_BLOCKS = 32, CH_WIDE_LU_ROWS = 64 };  // most blocks, most rows of a block

typedef struct ChWidePattern {
  int count;
  int first[CH_WIDE_LU_BLOCKS + 1];   // row of each block, in the order of elimination; the last: the matrix's size
  unsigned meets[CH_WIDE_LU_BLOCKS];  // bits of the others that it is not zero with when its turn comes, both ways
} ChWidePattern;

// A: by columns, overwritten; pivot: one for each row. False when a pivot is not finite; pivots of nothing are shifted.
bool ch_wide_lu_factor(const ChWidePattern* pattern, double* A, int* pivot);

// b <- A^-1 b
void ch_wide_lu_solve(const ChWidePattern* pattern, const double* LU, const int* pivot, double* b);

#endif
