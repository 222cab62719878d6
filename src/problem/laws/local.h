// One block with everything else frozen: what laws of one row share, and a solution for sets that have no exact one.
#ifndef CH_PROBLEM_LAWS_LOCAL_H
#define CH_PROBLEM_LAWS_LOCAL_H

#include "problem/laws/law.h"

// `prepare_local` of a law of one row: 1 / W, or 1 where nothing moves.
void ch_local_prepare_row(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l);

// min 1/2 r W r + q r over the set, from r, by accelerated projected gradient; W is scaled to 1.
void ch_local_minimize(const ChScaledBlock* b, const double* W, const double* q, double* r);

#endif
