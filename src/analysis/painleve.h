// Painleve's indicator of every contact, from the diagonal blocks of W.
#ifndef CH_ANALYSIS_PAINLEVE_H
#define CH_ANALYSIS_PAINLEVE_H

#include "base/arena.h"
#include "cardhouse/problem.h"

// Arrays of block_count entries: W_nn, W_nn - sigma(W_nT) with the support function of the contact's section, and the
// mu of a circular section at which that vanishes. NaN where the block is no contact or W_nn = 0.
void ch_painleve_find(ChArena* arena, const ChProblem* problem, double* normal, double* indicator, double* critical_mu);

#endif
