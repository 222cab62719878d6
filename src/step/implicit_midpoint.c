// implicit-midpoint: the midpoint rule with contacts that hold at the end of the step, for comparison (004 Fig 4.1
// (a)).
//
//   M (v+ - v) = h k(q + h d/2, d) + H r,   d = (v + v+) / 2,   0 <= Phi + h n'd _|_ r_n >= 0,   q+ = q + h d
//
// Symplectic without contacts, and not what its energy is worth with them: a body that would pass the surface is put
// onto it, v+_n = - v_n - 2 Phi / h, so that its restitution |1 - 2 Phi / (h |v_n|)| is anything from 0 to 1, by
// chance.
#include "step/integrator.h"

const ChIntegrator ch_implicit_midpoint = {.name = "implicit-midpoint",
                                           .summary = "midpoint rule with gaps closed at the end, for comparison",
                                           .weight = 0.5,
                                           .forces = CH_FORCES_MIDPOINT,
                                           .contacts = CH_CONTACTS_ARRIVE,
                                           .passes = CH_NEWTON_PASSES,
                                           .joints = CH_JOINTS_HELD};
