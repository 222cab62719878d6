// Friction as Algorithm 1 of 004 keeps it from step to step: the generalised impulse f = D beta on the bodies, not a
// reaction for each contact. Contacts that come and go, as feet slide over samples, change its parts and not the whole.
#ifndef CH_REPRODUCE_KEPT_IMPULSE_H
#define CH_REPRODUCE_KEPT_IMPULSE_H

#include "cardhouse/problem.h"

// f = H r with the normal parts of r left out; `room` has one entry a row.
void ch_kept_impulse(const ChProblem* problem, const double* r, double* room, double* f);

// Reactions of this problem's contacts that make up f as nearly as they can, the smallest of them; normal parts are
// such that all are in their cones.
ChStatus ch_spread_impulse(ChContext* context, const ChProblem* problem, const double* f, double* r);

#endif
