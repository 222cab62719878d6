// Newton's method where friction depends on the speed of slip: see curve_newton.c.
#ifndef CH_SOLVE_CURVE_NEWTON_H
#define CH_SOLVE_CURVE_NEWTON_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/solve.h"

typedef struct ChCurveNewton ChCurveNewton;

// Prepares a problem with curves; *out is NULL where contacts with a curve obey a law that this does not know (all but
// Coulomb's cone with one coefficient). Lives in the arena, which must have a landing; so must the problem.
ChStatus ch_curve_newton_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                                ChCurveNewton** out);

// Goes on from r, and leaves there what was best by its own map; at most so much work. Returns the steps done.
long ch_curve_newton_run(ChCurveNewton* newton, double tolerance, double work, double* r);

#endif
