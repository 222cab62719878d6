// newmark: contact Newmark with gamma = 1/2, beta = 1/4, contact forces fully implicit, for comparison (Kane et al.
// 1999; 004 Fig 4.1 (b)).
//
//   q+ = q + h v + h^2/2 M^-1 ((k(q, v) + k(q+, v+)) / 2 + H r / h),   0 <= Phi(q+) _|_ r_n >= 0, linearised
//   v+ = v + h M^-1 ((k(q, v) + k(q+, v+)) / 2 + H r / h)
//
// that is q+ = q + h/2 (v + v+). Where forces are constant this is the implicit midpoint, restitution by chance
// included.
#include "step/integrator.h"

const ChIntegrator ch_newmark = {.name = "newmark",
                                 .summary = "contact Newmark with gaps closed at the end, for comparison",
                                 .weight = 0.5,
                                 .forces = CH_FORCES_TRAPEZOID,
                                 .contacts = CH_CONTACTS_ARRIVE,
                                 .passes = CH_NEWTON_PASSES,
                                 .joints = CH_JOINTS_HELD};
