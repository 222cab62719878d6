// What a cone and its section, a disc, share: the exact solution of one block, and derivatives of projections.
//
// A section with everything else frozen, r_T stationary in it: with eigenvalues of Wt and a >= 0
//   r_T(a) = -(Wt + a I)^-1 qt,  r_n(a) = base + lever . r_T,  phi(a) = |r_T| - mu r_n
// phi(0) <= 0 is sticking; else sliding, with a > 0 the root of phi: a bracket always exists. Wt is diagonalised once,
// so that a solve is a scalar iteration, started from the last root.
#ifndef CH_PROBLEM_LAWS_SECTION_H
#define CH_PROBLEM_LAWS_SECTION_H

#include <math.h>

#include "linalg/small.h"
#include "problem/laws/law.h"

enum { CH_SECTION_MAX = 3 };  // rows of a cone in space

// S = the symmetric part of W, d x d; the rest goes into l where there is any.
void ch_section_split(ChArena* arena, const double* W, int d, double* S, ChLocalBlock* l);

// Diagonalises W_TT - w w^T / W_nn; W points at the section's first entry in rows of `stride`.
void ch_section_prepare(const double* W, int stride, const double* w, double normal_inverse, ChLocalBlock* l);

// |r_T| <= mu (base + lever . r_T) with r_T stationary: n = r_n, t = r_T.
void ch_section_solve(const ChLocalBlock* l, double q0, double q1, double base, double mu, double* root, double* n,
                      double* t);

// A block with an asymmetric part: out = q + (W - S) r.
static inline const double* ch_section_carry(const ChLocalBlock* l, int d, const double* q, const double* r,
                                             double* out) {
  if (!l->asymmetry) return q;
  ch_small_multiply(d, l->asymmetry, r, out);
  for (int k = 0; k < d; ++k) out[k] = q[k] + out[k];
  return out;
}

// D += k (I - e e^T) on the rows from `first`; e = x_T / |x_T|
static inline void ch_section_add_turning(int d, int first, double k, const double* e, double* D) {
  for (int a = first; a < d; ++a)
    for (int b = first; b < d; ++b) D[a * d + b] += k * ((a == b) - e[a] * e[b]);
}

static inline void ch_section_direction(int d, int first, const double* x, double size, double* e) {
  for (int a = first; a < d; ++a) e[a] = x[a] / size;
}

#endif
