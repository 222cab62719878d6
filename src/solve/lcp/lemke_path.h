// Lemke's path from a complementary basis: y0 enters with a covering vector that lifts every basic variable, then the
// complement of whatever left enters, until y0 leaves.
//
// From the basis of all slacks this is Lemke's method as it stands in books; from the basis of a point near a solution
// it needs few pivots, or none.
#ifndef CH_SOLVE_LCP_LEMKE_PATH_H
#define CH_SOLVE_LCP_LEMKE_PATH_H

#include "base/work.h"
#include "solve/lcp/lcp_basis.h"

typedef enum ChPathEnd {
  CH_PATH_SOLVED,   // y0 left, or nothing was negative
  CH_PATH_RAY,      // nothing blocks the entering variable
  CH_PATH_LIMIT,    // of pivots
  CH_PATH_LATE,     // the clock
  CH_PATH_SINGULAR  // round-off has made the basis singular
} ChPathEnd;

typedef struct ChPathLimits {
  double tol_pivot;     // smallest pivot, relative to its column
  double perturbation;  // of the basic variables, against cycling, relative to |b|
  long pivots;          // 0 = no limit
  ChDeadline deadline;
} ChPathLimits;

// Follows the path from the basis at hand, which it changes; `pivots` is added to.
ChPathEnd ch_lemke_path(ChLcpBasis* basis, const ChPathLimits* limits, long* pivots);

// Brings the variables of equations into a basis of slacks as far as they are independent; false when the basis broke.
bool ch_lemke_enter_free(ChLcpBasis* basis);

// y of the basis for b itself; y0 counts as zero. False when the basis is singular.
bool ch_lemke_point(ChLcpBasis* basis, double* y);

#endif
