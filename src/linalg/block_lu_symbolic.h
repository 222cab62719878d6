// The analysis behind block_lu.c: order, elimination tree, fronts.
#ifndef CH_LINALG_BLOCK_LU_SYMBOLIC_H
#define CH_LINALG_BLOCK_LU_SYMBOLIC_H

#include "base/arena.h"
#include "linalg/block_csr.h"

// A front eliminates `pivots` blocks; its index list holds them first, then the blocks it updates, in elimination
// order.
typedef struct ChFront {
  int pivots, size;      // blocks
  int list;              // where its index list begins in ChSymbolic.index
  int parent;            // front, or -1
  int child, sibling;    // last child and the sibling before this one, or -1
  int entry, entry_end;  // its matrix entries in ChSymbolic.entry*
} ChFront;

typedef struct ChSymbolic {
  int n, fronts;
  ChFront* front;    // children before parents
  int* index;        // block numbers of the matrix
  int* parent_slot;  // beside index: where the block sits in the parent's list (for updated blocks)
  int* entry;        // matrix entry
  int* entry_row;    // slot of its row and column in the front's list
  int* entry_column;
  long largest_front;  // scalars in a front, squared
  long stack;          // scalars of waiting update matrices at worst
  long factor;         // scalars of the factors at worst
  double flops;
} ChSymbolic;

ChSymbolic ch_symbolic_analyze(ChArena* arena, const ChBlockCsr* A);

#endif
