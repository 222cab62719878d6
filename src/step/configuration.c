// configuration: the midpoint rule with contacts held in configuration space (004 (4.41), Kane et al. 1999; B14).
//
//   M (v+ - v) = h k(q + h d/2, d) + N r_n + T r_T,   d = (v + v+) / 2,   q+ = q + h d
//   0 <= Phi(q+) _|_ r_n >= 0,   N, T where the step is half done
//
// The constraint is the gap itself and no linear form of it, so that the problem is not convex: Newton's method about
// the last answer (held_gaps.h), each time a contact problem as any other. Its certificate is that of the last one; how
// far gaps are from what it says of them is the penetration that the step reports. What slides along something curved
// is followed to second order. What arrives bounces by chance, as in `implicit-midpoint`.
#include "step/integrator.h"

const ChIntegrator ch_configuration = {
    .name = "configuration",
    .summary = "midpoint rule whose gaps hold at the end themselves, for small scenes",
    .weight = 0.5,
    .forces = CH_FORCES_MIDPOINT,
    .contacts = CH_CONTACTS_ARRIVE,
    .passes = CH_NEWTON_PASSES,
    .joints = CH_JOINTS_HELD,
    .nonlinear = true};
