// euler: half-implicit Euler with constraints linearised at the beginning of the step (000 (5)-(7), 001 (9), 002).
//
//   M^ v+ = M v + h (k - dk/dv v) + H r,  M^ = M - h^2 dk/dq - h dk/dv                   implicit in stiff forces
//   u = H^T v+ + w,  w_n = gamma Phi / h,  joints gamma g / h + dg/dt,                   (u, r) in their laws
//   q+ = q + h v+
//
// Collisions with restitution come first.
#include "step/integrator.h"

const ChIntegrator ch_euler = {.name = "euler",
                               .summary = "half-implicit, stabilised, with look-ahead for contacts",
                               .weight = 0.0,
                               .forces = CH_FORCES_START,
                               .contacts = CH_CONTACTS_STABILIZED,
                               .passes = 1,
                               .impacts = true,
                               .joints = CH_JOINTS_STABILIZED};
