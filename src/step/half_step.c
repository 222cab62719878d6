// half-step: the symmetric variational integrator of 004 section 4.5, (4.51)-(4.55).
//
//   d = argmin 1/2 d'M d - d'(p + f/2) + V(q + h d/2)   subject to N(q)'d >= 0        multiplier alpha / 2
//   f = argmin f'(2 d - v),  f in F(alpha, q)
//   q+ = q + h d,    p+ = 2 M d - p
//
// With v+ = 2 d - v the optimality conditions are M (v+ - v) = - h grad V(q + h d/2) + N alpha + f, and d_n >= 0 reads
// v+_n + v_n >= 0: one contact problem with w_n = n'v, solved as any other. (004 (4.47) lacks a sign: a = - M^-1 grad
// V.)
//
// Contacts are those with Phi <= 0. They do no work, alpha . N'd = 0: whatever touches bounces elastically, and where
// gravity is the only force K + V stays as it is, to round-off. Restitutions of materials are not looked at.
#include "step/integrator.h"

const ChIntegrator ch_half_step = {.name = "half-step",
                                   .summary = "symmetric variational scheme with elastic contacts, which keeps energy",
                                   .weight = 0.5,
                                   .forces = CH_FORCES_MIDPOINT,
                                   .contacts = CH_CONTACTS_REFLECT,
                                   .passes = CH_NEWTON_PASSES,
                                   .joints = CH_JOINTS_HELD};
