// Jacobians of blocks as dense matrices, body by body, and what a block moves by itself:
//
//   W_ii = sum over its bodies b of H_ib^T M_b^-1 H_ib
//
// M must be known as small bodies (mass.h).
#ifndef CH_SYSTEM_BLOCK_JACOBIANS_H
#define CH_SYSTEM_BLOCK_JACOBIANS_H

#include "base/arena.h"
#include "problem/contact_problem.h"

typedef struct ChBlockJacobians {
  int* start;  // blocks + 1: block i touches entries start[i] .. start[i + 1] - 1
  int* body;   // of each entry
  long* at;    // where it begins in H: size of the body x dimension of the block, row-major
  double* H;
  long size;  // numbers in H
  // Of bodies with modes: where row a of an entry stands in the problem's H, at source[3 entry + a]; H is not written
  // then. -1: it is. NULL where there are no such bodies.
  int* source;
  int* square_at;  // blocks + 1: where W_ii begins
  double* square;
} ChBlockJacobians;

enum { CH_SOURCE_ROWS = 3 };  // rows of a block that may have one

// Of row a of an entry, or NULL.
static inline const double* ch_jacobian_source(const ChBlockJacobians* j, const ChProblem* problem, int entry, int a) {
  if (!j->source || j->source[CH_SOURCE_ROWS * entry] < 0) return NULL;
  return problem->H.value + j->source[CH_SOURCE_ROWS * entry + a];
}

// Blocks that `skip` marks (may be NULL) have no entries, and W_ii = 0.
ChBlockJacobians ch_block_jacobians(ChArena* arena, const ChProblem* problem, const unsigned char* skip);

#endif
