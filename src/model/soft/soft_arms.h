// Viscoelastic materials: the generalised Maxwell model. Beside the elastic law of the body, arms of a spring and a
// dashpot in series act on every amplitude:
//
//   force  sum_k s_k K0 z_k,   z_k' = q' - z_k / tau_k      z_k: stretch of the springs of arm k, one number a mode
//   E(t) = E (1 + sum_k s_k exp(-t / tau_k))                the modulus t seconds after a sudden strain
//
// s_k is the arm's modulus over Young's, so bulk and shear relax alike and Poisson's ratio stays. In the time h of a
// step amplitudes move at a constant rate u. The equation of z has a closed form then, and its mean over the step too:
//
//   z+ = exp(-p) z + b h u,   mean = b z + c h u,   p = h / tau,  b = (1 - exp(-p)) / p,  c = (1 - b) / p
//
// With the mean as its force an arm takes exactly the work s K0 mean . h u. What of it is not stored,
// 1/2 s K0 (|z+|^2 - |z|^2), became heat: the integral of s K0 |z|^2 / tau, never negative. So a step of any length is
// stable. A weight a above 1/2 adds (a - 1/2) b h u to the mean, as it does to the body's own spring; that part is
// numerical.
#ifndef CH_MODEL_SOFT_SOFT_ARMS_H
#define CH_MODEL_SOFT_SOFT_ARMS_H

#include "model/soft/soft.h"

// How many stretches a body has: arms times modes.
static inline int ch_soft_stretches(const ChSoft* soft) { return soft->arms * soft->modes; }

// Adds the arms' forces over a step to a load and a damping: force_a = load_a + damping_a u_a. Both have a number a
// mode.
void ch_soft_arms_resist(const ChSoft* soft, double h, double weight, const double* z, double* load, double* damping);

// z+ of z.
void ch_soft_arms_move(const ChSoft* soft, double h, const double* u, double* z);

// What the arms' springs hold, joules.
double ch_soft_arms_energy(const ChSoft* soft, const double* z);

// What the arms' dashpots turn into heat in a step from z, joules.
double ch_soft_arms_heat(const ChSoft* soft, double h, const double* u, const double* z);

#endif
