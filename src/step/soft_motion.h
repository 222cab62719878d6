// A deformable body by itself over one step: spin, vibration, internal damping, no contact (model/soft/soft.h). With
// V = (w, qd), weight a (1/2 unless the options say otherwise) and means over the step,
//
//   q+ = q + h qa,                           qa = (1 - a) qd + a qd+
//   L+ - L = - h wm x (L + L+) / 2,          L = J(q) w + C(q) qd,   wm = (w + w+) / 2,   R+ = R cay(h wm)
//   P+ - P = h (G - F - D qa + S'R'g),       P = qd + C(q)'w
//   G_a = 1/2 w.J_a(qm) w+ + 1/2 (w.C2_a qd+ + w+.C2_a qd),   qm = (q + q+) / 2
//   F   = int_0^1 dV/dq(q + s (q+ - q)) ds + (a - 1/2) (dV/dq(q+) - dV/dq(q))
//
// Cayley's map turns the second line into R+ L+ = R L: angular momentum is kept to round-off. Kinetic energy changes by
// Vm . (p+ - p) - 1/2 V.(M(q+) - M(q)) V+, p = M V; M is quadratic in q, so that its difference is its slope at qm
// times q+ - q, and G takes back exactly that. F does the work V(q) - V(q+), since dV/dq is a cubic and two points of
// Gauss integrate cubics. So with a = 1/2 and D = 0 energy is kept to round-off as well; a > 1/2 takes energy from what
// is fast. Solved by Newton's method from V+ = V.
//
// Arms of a viscoelastic body add b z to F, and to D what their stretches gain within it.
//
// In contact the body answers with M^ (V+ - V0) = c + H r, V0 the free motion's. M^ is the symmetric part of the
// equations' derivative at V+ = V, M + a h D + a^2 h^2 K, and c their curvature from there to V0, which is next
// to nothing unless the body is bent far: so V+ = V = 0 balances exactly the forces H r = h dV/dq(q), and what stands
// still does not depend on h.
#ifndef CH_STEP_SOFT_MOTION_H
#define CH_STEP_SOFT_MOTION_H

#include "base/arena.h"
#include "model/soft/soft.h"

typedef struct ChSoftStart {
  const ChSoft* soft;
  double h, weight;
  bool turns;         // whether its frame does; w = 0 where not
  ChVec3 gravity, w;  // body's frame
  const double *q, *qd;
  const double* stretches;  // of a viscoelastic body (model/soft/soft_arms.h)
} ChSoftStart;

typedef struct ChSoftEnd {
  ChVec3 w;           // w+
  double* rates;      // modes: qd+
  double* M;          // (6 + modes) square: M^
  double* curvature;  // 3 + modes: c
} ChSoftEnd;

// `rates`, `M` and `curvature` are the caller's. False where no solution was found: h is too long for how fast it
// spins.
bool ch_soft_motion(ChArena* scratch, const ChSoftStart* start, ChSoftEnd* end);

#endif
