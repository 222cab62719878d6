// fourth-order: five half-steps, the middle one backwards, for smooth motion (Suzuki 1990; Marsden and West 2001, 2.5).
//
//   q_{k+1} = half-step over c_k h,   c = (p, p, 1 - 4 p, p, p),   p = 1 / (4 - 4^(1/3)) = 0.4145
//
// The discrete Lagrangian is the sum of those of the parts, a quadrature of the action over five intervals. The
// half-step is symmetric, so that its error has odd powers of h alone, and 4 p^3 + (1 - 4 p)^3 = 0 takes the first one
// away. What the half-step keeps, it keeps in each part.
#include "step/integrator.h"

const ChIntegrator ch_fourth_order = {.name = "fourth-order",
                                      .summary = "five half-steps, one backwards: order 4, for smooth motion",
                                      .weight = 0.5,
                                      .forces = CH_FORCES_MIDPOINT,
                                      .contacts = CH_CONTACTS_REFLECT,
                                      .passes = CH_NEWTON_PASSES,
                                      .joints = CH_JOINTS_HELD,
                                      .composed = true};
