// A system as the dual of a quadratic programme in the velocities: reactions as combinations of extreme rays.
//
//   r = G y + base,   A = G'WG,   b = G'(W base + q),   w = A y + b = G'u
//
// w_p >= 0 is a facet of the velocity constraints: e n'v + mu D'v >= -(Gamma + Delta) of Anitescu and Hart (15), for a
// cone with rays (1, mu d_j). Bilateral rows are their own ray without sign, unilateral ones one ray, a limit one ray
// between 0 and hi - lo. What bounds a sum of multipliers belongs to a group:
//
//   sum_{p in g} y_p <= cap_g    a polygonal disc of circumradius cap (rays d_j), or a contact's normal impulse where
//                                the penalty cap_g zeta_g allows w_p + zeta_g >= 0, zeta_g >= 0 (Anitescu 2007)
//
// The primal variable zeta_g (the slip speed of a disc) has no quadratic term: the Hessian is semidefinite. Proximal
// steps add eps/2 (zeta_g - z_g)^2, which makes it strictly convex: with rho = 1/eps and one more ray s_g for
// zeta_g >= 0, the Gram matrix of the group gets rho e e', its b gets z_g - rho cap_g, and
//
//   zeta_g = z_g + rho (sum y_p + s_g - cap_g)
//
// is the next z_g. Few steps are needed, as rho can be large against W.
//
// Where W itself is singular v is unique and r is not. Whoever needs the reactions nearest to a start (the halves of a
// staggered step, whose other half feels all of r) adds delta/2 |r - center|^2 as well, and moves the center along.
#ifndef CH_SOLVE_QP_ACTIVE_SET_RAYS_H
#define CH_SOLVE_QP_ACTIVE_SET_RAYS_H

#include <stdbool.h>

#include "system/system.h"

typedef struct ChRays {
  const ChSystem* s;
  int n, groups, rank_max;
  int* start;  // first ray of each block, n_blocks + 1; the ray s_g is a block's last
  double* G;   // CH_RAY_ROWS entries a ray; where rows are not bound together the first is the row's sign
  unsigned char* free;
  double* bound;          // cap of a single ray
  int* group;             // of each block, -1: none
  double *cap, *rho, *z;  // of each group
  double* base;           // rows
  double delta, *center;  // the proximal term delta/2 |r - center|^2
  ChSparse A;
  double *b, *u;
} ChRays;

typedef struct ChRaysDef {
  double rho;      // of discs; that of penalties is 1, since they hold nothing in the end
  double delta;    // of the proximal term in r; 0: none
  double penalty;  // cap of every contact's normal impulse; infinite: none
} ChRaysDef;

// False where G'WG would be too large.
bool ch_rays_create(ChArena* arena, const ChSystem* system, const ChRaysDef* def, ChRays* rays);

// The same blocks and W with another q, other limits, other radii of discs.
void ch_rays_renew(ChRays* rays, const ChSystem* system);

// The start of the proximal steps: r, and the z that its velocity u suggests. y (may be NULL) gets rays that make up r,
// at most three a cone and two a disc.
void ch_rays_start(ChRays* rays, const double* r, const double* u, double* y);
void ch_rays_to_reaction(const ChRays* rays, const double* y, double* r);

// b of the next proximal step.
void ch_rays_linear_term(ChRays* rays, double* b);
// z <- zeta, center <- r; returns the largest change, as a velocity.
double ch_rays_update(ChRays* rays, const double* y, const double* r);

#endif
