// One block with everything else frozen, for sets that have no exact solution of their own.
#ifndef CH_PROBLEM_LAWS_LOCAL_H
#define CH_PROBLEM_LAWS_LOCAL_H

#include "problem/laws/law.h"

// min 1/2 r W r + q r over the set, from r, by accelerated projected gradient; W is scaled to 1.
void ch_local_minimize(const ChScaledBlock* b, const double* W, const double* q, double* r);

#endif
