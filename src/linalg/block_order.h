// Fill-reducing elimination order of a structurally symmetric block matrix.
//
// Ordering whole blocks instead of scalars costs a fraction and loses nothing: rows of a block have the same pattern.
#ifndef CH_LINALG_BLOCK_ORDER_H
#define CH_LINALG_BLOCK_ORDER_H

#include "base/arena.h"
#include "linalg/block_csr.h"

// order[k] = block that is eliminated k-th
void ch_block_order(ChArena* arena, const ChBlockCsr* A, int* order);

#endif
