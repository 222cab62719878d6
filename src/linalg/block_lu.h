// Sparse LU of a structurally symmetric block matrix by the multifrontal method.
//
// The pattern is analysed once (fill-reducing order, elimination tree, supernodes) and factored many times, as a
// Newton method does. Rows may be pinned for one factorisation: a pinned row reads x_i = h_i, leaves the system and
// costs nothing, which is how open contacts are skipped. Pivots are searched inside a front's pivot block only, tiny
// ones are shifted, and the caller refines: see docs/theory/linear_systems.md for why this is enough here.
#ifndef CH_LINALG_BLOCK_LU_H
#define CH_LINALG_BLOCK_LU_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/block_csr.h"

typedef struct ChBlockLu ChBlockLu;

// Analyses the pattern of A, whose pattern must be symmetric. The object lives in the arena.
ChBlockLu* ch_block_lu_analyze(ChArena* arena, const ChBlockCsr* A);

// Takes the memory of the factors; to be called once, before the first factorisation.
void ch_block_lu_reserve(ChBlockLu* lu);

// Floating-point operations of a factorisation without pinned rows.
double ch_block_lu_flops(const ChBlockLu* lu);

// Factors A (same pattern as analysed). pinned[i] != 0 leaves block i out; NULL pins none.
// False when a pivot is NaN.
bool ch_block_lu_factor(ChBlockLu* lu, const ChBlockCsr* A, const unsigned char* pinned);

// Solves A x = b for the blocks that are not pinned; entries of pinned blocks are left alone.
// The caller has moved the pinned blocks' share to the right-hand side.
void ch_block_lu_solve(const ChBlockLu* lu, const double* b, double* x);

// The same for CH_LU_LANES right-hand sides at once, in place: entry (i, lane) at CH_LU_LANES i + lane. The factors are
// read once, so that one costs a small part of a solve alone.
enum { CH_LU_LANES = 16 };
void ch_block_lu_solve_lanes(const ChBlockLu* lu, double* x);

#endif
