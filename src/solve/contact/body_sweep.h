// Gauss-Seidel sweeps in the velocities of the bodies, laid out for speed: the rows of a block lie one after the other,
// each with six entries per body, and v = M^-1 H r is kept up to date at every visit,
//
//   b = q_i + H_i^T v + C_i r_i - W_ii r_i,   r_i+ = solution of law i,   v += M^-1 H_i (r_i+ - r_i)
//
// W itself is never needed. A contact of two spheres, whose block of W is diagonal, is solved in closed form.
#ifndef CH_SOLVE_CONTACT_BODY_SWEEP_H
#define CH_SOLVE_CONTACT_BODY_SWEEP_H

#include "system/system.h"

typedef struct ChBodySweep ChBodySweep;

#define CH_SWEEP_STRIDE 8  // velocities of a body lie this far apart; bodies have at most six degrees of freedom

// NULL where the system does not know its bodies, or one of them has more than six degrees of freedom.
ChBodySweep* ch_body_sweep_create(ChArena* arena, const ChSystem* system);

// Numbers in a vector of all bodies' velocities.
long ch_body_sweep_size(const ChBodySweep* sweep);

// v = M^-1 H r
void ch_body_sweep_velocity(const ChBodySweep* sweep, const double* r, double* v);

// u = H^T v + C r + q, where v is that of r
void ch_body_sweep_contact(const ChBodySweep* sweep, const double* r, const double* v, double* u);

// One sweep over all blocks; returns |change of r|^2.
double ch_body_sweep_run(ChBodySweep* sweep, double* r, double* v);

#endif
