// LU of a small block matrix that is nearly full, as a full one. The same contract as block_lu.h: rows may be pinned
// for one factorisation and leave the system.
#ifndef CH_LINALG_DENSE_LU_H
#define CH_LINALG_DENSE_LU_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/block_csr.h"

typedef struct ChDenseLu ChDenseLu;

// Whether A is small and full enough for this to be faster than a sparse factorisation.
bool ch_dense_lu_suits(const ChBlockCsr* A);

ChDenseLu* ch_dense_lu_create(ChArena* arena, const ChBlockCsr* A);

// False when A is zero or not finite; pivots of nothing are shifted, and the caller refines.
bool ch_dense_lu_factor(ChDenseLu* lu, const ChBlockCsr* A, const unsigned char* pinned);

// Solves A x = b for the blocks that are not pinned; entries of pinned blocks are left alone.
void ch_dense_lu_solve(const ChDenseLu* lu, const double* b, double* x);

#endif
