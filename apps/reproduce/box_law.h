// Sweeps of projected Gauss-Seidel over boxes of friction, judged by the law that they solve: that of the box
// (004 section 5.7.2). The certificate speaks of the circle, which a solution for the box misses for good.
#ifndef CH_REPRODUCE_BOX_LAW_H
#define CH_REPRODUCE_BOX_LAW_H

#include "cardhouse/problem.h"

// The largest |r - P(r - u / diag W)| after so many sweeps from nothing, P onto r_n >= 0, |r_t| <= mu r_n row by row,
// relative to that of r = 0. Contacts only.
ChStatus ch_box_law_residual(ChContext* context, const ChProblem* problem, long sweeps, double* out);

#endif
