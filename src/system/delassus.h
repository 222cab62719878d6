// The Delassus form of a problem: u = W r + q with W = H^T M^-1 H and q = H^T M^-1 f + w.
#ifndef CH_SYSTEM_DELASSUS_H
#define CH_SYSTEM_DELASSUS_H

#include "base/arena.h"
#include "problem/contact_problem.h"

// q for either form.
void ch_delassus_q(ChArena* arena, const ChProblem* problem, double* q);

// Upper bound on the entries of W, without forming it.
double ch_delassus_size(ChArena* arena, const ChProblem* problem);
// A W with more entries than this is not formed but applied through bodies. A function, so that a test can put its own
// in place and have a small problem treated like a large one.
double ch_delassus_largest(void);

// W as a sparse matrix. For the local form this is the problem's own.
ChSparse ch_delassus_form(ChArena* arena, const ChProblem* problem);

// The diagonal of W, without forming it.
void ch_delassus_diagonal(ChArena* arena, const ChProblem* problem, double* diagonal);

// trace(W_ii) of every block.
void ch_delassus_traces(ChArena* arena, const ChProblem* problem, double* trace);

#endif
