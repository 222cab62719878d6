// two-step: the predictor and corrector of 004 section 4.7, (4.63)-(4.71).
//
//   qp = q + h/4 v,   vp = v + h M^-1 k(qp)                                                   predictor
//   v+ = argmin 1/2 v'M v - v'(f + M vp)   subject to N(qp)'v >= 0                            corrector
//   f  = argmin 1/2 f'M^-1 f + f'(M^-1 c + vp),  f in F(alpha, q)
//   q+ = q + h/2 (v + v+)
//
// Corrected are qp, of which (4.63) loses half of q, and the factor 1/2 of v'M v in (4.66). Contacts are those with
// Phi(qp) <= 0; N'v+ >= 0 is plastic, unlike the half-step's N'd >= 0. Stiff forces are taken linearly implicitly about
// qp, as 004 (5.1)-(5.4) leaves open. The same problem in (alpha, beta), (4.69)-(4.71), is its dual: which of the two
// is solved is the method's matter (theory/variational.md).
#include "step/integrator.h"

const ChIntegrator ch_two_step = {.name = "two-step",
                                  .summary = "predictor at a quarter step; a corrector with plastic contacts",
                                  .weight = 0.5,
                                  .forces = CH_FORCES_PREDICTOR,
                                  .contacts = CH_CONTACTS_CLOSED,
                                  .passes = 1,
                                  .impacts = true,
                                  .joints = CH_JOINTS_STABILIZED};
