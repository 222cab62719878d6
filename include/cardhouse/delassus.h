// The Delassus matrix W = H^T M^-1 H of a contact problem: how reactions move the contacts.
#ifndef CARDHOUSE_DELASSUS_H
#define CARDHOUSE_DELASSUS_H

#include "cardhouse/api.h"
#include "cardhouse/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the local form of a problem, u = W r + q, with the same blocks: W = H^T M^-1 H and q = H^T M^-1 f + w. A local
// problem is copied. W is sparse, but every two blocks of a body have an entry in it, so W can be large. The caller
// owns *out; NULL if memory runs out.
CH_API ChStatus ch_problem_condense(ChContext* context, const ChProblem* problem, ChProblem** out);

// Computes the diagonal blocks W_ii without the rest of W: block after block, each row-major with dimension^2 entries.
CH_API ChStatus ch_problem_diagonal_blocks(ChContext* context, const ChProblem* problem, double* W_ii);

// Gives every contact the law `compliant` with c = relative trace(W_ii) / dimension. The contact then yields `relative`
// times as much as its bodies do. 0 is rigid, to the last bit; 1e-2 is easy for every method, 1e-3 for most. Refuses a
// number that is negative, not finite or above 1e12, and then changes nothing.
CH_API ChStatus ch_problem_set_compliance(ChContext* context, ChProblem* problem, double relative);

#ifdef __cplusplus
}
#endif
#endif
