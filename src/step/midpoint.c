// midpoint: the discrete Lagrangians of 004 section 4.3.1, (4.9), with contacts by the recipe of section 4.4.
//
//   Ld(q, q+) = h L((1 - a) q + a q+, (q+ - q) / h),   a the option `midpoint`
//
//   M d = p + (1 - a) (h k* + H r),    p+ = M d + a (h k* + H r),    k* = - grad V(q + a h d),   q+ = q + h d
//
// so that d = a v + (1 - a) v+ and M (v+ - v) = h k* + H r. a = 1/2 is the half-step, of second order; the others are
// of first: a = 0 is symplectic Euler, a = 1 its adjoint. N(q)'d >= 0 reads n'v+ >= - a / (1 - a) n'v: the weight is
// also a restitution, plastic at 0, elastic at 1/2, and beyond that contacts would add energy.
#include "step/integrator.h"

const ChIntegrator ch_midpoint = {
    .name = "midpoint",
    .summary = "generalised midpoint Lagrangians; the option midpoint, 0 to 1, says where forces are evaluated",
    .weight = -1.0,
    .forces = CH_FORCES_MIDPOINT,
    .contacts = CH_CONTACTS_REFLECT,
    .passes = CH_NEWTON_PASSES,
    .joints = CH_JOINTS_HELD};
