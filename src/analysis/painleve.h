// Painleve's indicator of every contact, from the diagonal blocks of W.
#ifndef CH_ANALYSIS_PAINLEVE_H
#define CH_ANALYSIS_PAINLEVE_H

#include "cardhouse/problem.h"

// W_ii: what ch_problem_diagonal_blocks gives. Arrays of block_count entries: W_nn, W_nn - sigma(W_nT) with the support
// function of the contact's section, and the mu of a circular section at which that vanishes. NaN where the block is no
// contact or W_nn = 0.
void ch_painleve_find(const ChProblemView* problem, const double* W_ii, double* normal, double* indicator,
                      double* critical_mu);

#endif
