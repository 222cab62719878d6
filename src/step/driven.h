// Work that bodies which move as told do through springs and dampers.
//
// A step takes its forces with driven bodies at a place Xa of their way from X to X+: at its beginning (euler), halfway
// (midpoint rules), a quarter on (two-step). So it is the step of a world in which they stand at Xa, and gains or loses
// what that one would. What their motion adds is what it does to springs before and after:
//
//   V(q, Xa) - V(q, X)  +  V(q+, X+) - V(q+, Xa)
//
// (trapezoidal rules take forces at X and at X+: the mean of V there stands for V at Xa.) A damper pulls with f, found
// from the velocities that the step takes, implicit ones included; an end that moves with w works h f . w. It keeps w
// over the step, so that seen from it the rest is what a damper on fixed ground takes.
//
// What is left unexplained is the spring's own integration, the same as on fixed ground. Where V is quadratic in q and
// X midpoint rules leave round-off and euler a loss, 1/2 |v+ - v|_M^2 + 1/2 |q+ - q|_K^2, of order h^2 a step. Springs
// that turn or stiffen leave terms of order h^3 a step more, of either sign; linearly implicit rules also lose, in
// order h^2, by what ch_force_implicit leaves out.
#ifndef CH_STEP_DRIVEN_H
#define CH_STEP_DRIVEN_H

#include "step/force_place.h"

// h f . w of all dampers; s->velocities are the new ones, s->states have the old ones.
double ch_driven_damping(const ChForcePlace* place);
// Energy of all springs with a driven end, the free ends where s->states have them. Driven ends are there as well, or
// at Xa: the latter while s->states still have them at X.
double ch_driven_stored(const ChSimulation* s);
double ch_driven_stored_ahead(const ChForcePlace* place);

#endif
