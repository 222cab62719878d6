// trapezoidal: the scheme that 002 names as in progress, linearly implicit.
//
//   M (v+ - v) = h/2 (k(q, v) + k(q+, v+)) + H r,   n'v+ >= 0 where Phi <= 0,   q+ = q + h/2 (v + v+)
//
// k(q+, v+) is linearised about (q + h v, v). Second order between collisions; over a collision it is not, for half of
// v, which still approaches, goes into q+. So contacts must close where a step ends, and the fixed step is lost: steps
// are halved until bodies overlap by no more than the gap tolerance.
#include "step/integrator.h"

const ChIntegrator ch_trapezoidal = {.name = "trapezoidal",
                                     .summary = "second order between collisions; needs adaptive steps",
                                     .weight = 0.5,
                                     .forces = CH_FORCES_TRAPEZOID,
                                     .contacts = CH_CONTACTS_CLOSED,
                                     .passes = 1,
                                     .impacts = true,
                                     .joints = CH_JOINTS_HELD,
                                     .needs_adaptive = true};
