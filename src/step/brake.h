// An answer where time has run out: one that brakes. Reactions are in their cones and energy is not gained, however
// early it has to end; what approaches is slowed down as far as time allows.
//
// With the slip of the best iterate on the right-hand side, Gamma_i = mu_i |u_T,i|, block Gauss-Seidel descends in
//
//   phi(r) = 1/2 r'W r + r . (q + Gamma n),   r in K,     q: velocities without reactions
//
// block by block, from a start with phi <= 0: the best iterate times the s in [0, 1] at which phi is least. Gamma
// follows the slip where that falls, and phi falls with it. Reactions raise the energy of the bodies by r . (q + W r /
// 2) = phi - Gamma . r_n <= 0, if w asks for no motion by itself. So overlaps are undone gently at most (relief), and
// the next step that is solved undoes the rest. A best iterate that gains no energy itself and lets nothing approach
// fast stays as it is.
#ifndef CH_STEP_BRAKE_H
#define CH_STEP_BRAKE_H

#include "cardhouse/solve.h"

typedef struct ChBrake {
  const ChProblem* problem;
  ChPose pose;
  const double* relief;  // rows: added to w, against what it asks of contacts that overlap; NULL: none
  double ends;           // on ch_clock_seconds, but for its first few sweeps; 0: after its own number of them
} ChBrake;

// In: the best iterate and its certificate, NaN where it was not graded. Out: the braking answer with its own
// certificate. A problem whose masses are no small bodies keeps the direction of its reactions and gets the factor s
// alone.
ChStatus ch_brake(ChContext* context, const ChBrake* brake, double* v, double* u, double* r, ChSolveInfo* info);

#endif
