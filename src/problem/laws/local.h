// One block with everything else frozen: what laws of one row share, and a solution for sets that have no exact one.
#ifndef CH_PROBLEM_LAWS_LOCAL_H
#define CH_PROBLEM_LAWS_LOCAL_H

#include "problem/laws/law.h"

// `prepare_local` of a law of one row: 1 / W, or 1 where nothing moves.
void ch_local_prepare_row(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l);

// min 1/2 r W r + q r over the set, from r, by accelerated projected gradient; W is scaled to 1.
void ch_local_minimize(const ChScaledBlock* b, const double* W, const double* q, double* r);

// Newton's method on the law's own maps of one block, from r to r: F = y(r - (W r + q)) - r, with Alart and Curnier's
// map or, where `relaxed`, the projection. r is moved only where the solution was found, to rounding.
bool ch_local_newton(const ChScaledBlock* b, bool relaxed, const double* W, const double* q, double* r);

// r <- the solution, where u_0 = q_0 >= 0 does not give r = 0 at once: Newton's method, else `slow` from r and Newton's
// method once more, at last projected onto the set.
typedef void (*ChSlowLocal)(const ChScaledBlock* b, const double* W, const double* q, double* r);
void ch_local_solve_cone(const ChScaledBlock* b, bool relaxed, const double* W, const double* q, ChSlowLocal slow,
                         double* r);

#endif
