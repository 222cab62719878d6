// Crossover: from a point near a solution of a complementarity problem to a complementary basis at or near it.
//
// A solution from elsewhere lies anywhere in its face of solutions (reactions of a pile are not unique): its positive
// columns are dependent, and no basis holds them. Moving along null vectors of these columns until a variable reaches
// zero ends at a vertex of the face; the vertex has a basis.
#ifndef CH_SOLVE_LCP_LCP_CROSSOVER_H
#define CH_SOLVE_LCP_LCP_CROSSOVER_H

#include "solve/lcp/lcp_basis.h"

// `basis` is one of slacks, free variables entered. `point` holds w and y (2n): of each pair the smaller is set to
// zero, and so is what is below `noise`. On return the point is a vertex and the basis one of its bases, perhaps with
// both variables of a pair, one of them zero. The variables are pushed in their order, beginning with y_first: another
// beginning ends at another vertex. False when the basis broke.
bool ch_lcp_push(ChLcpBasis* basis, double noise, int first, double* point);

// Makes the basis of a vertex complementary, which the path (lemke_path.h) needs. Returns how many positive variables
// had to leave for that (0: it is still a basis of the vertex), -1 when the basis broke.
int ch_lcp_complete(ChLcpBasis* basis, double* point);

#endif
