// M^-1 for the certificate: M falls into connected parts (one a body, for rigid bodies), and each is factored alone.
//
// Kept apart from the factorisations that the solvers use, so that a fault of theirs cannot hide itself.
#ifndef CH_PROBLEM_COMPLIANCE_H
#define CH_PROBLEM_COMPLIANCE_H

#include "base/arena.h"
#include "cardhouse/problem.h"

typedef struct ChCompliance ChCompliance;

// Factors M. Scratch and result live in the arena, which must have a landing.
ChStatus ch_compliance_factor(ChContext* context, ChArena* arena, const ChSparse* M, ChCompliance** out);

// Whether several threads may solve with it at the same time, each with an arena of its own.
bool ch_compliance_shares(const ChCompliance* mass);

// x = M^-1 b; x may be b. Scratch lives in the arena, which must have a landing.
ChStatus ch_compliance_solve(ChContext* context, ChArena* arena, const ChCompliance* mass, const double* b, double* x);

// diagonal[c] = h_c^T M^-1 h_c for every column h_c of H.
ChStatus ch_compliance_diagonal(ChContext* context, const ChCompliance* mass, const ChSparse* H, double* diagonal);

#endif
