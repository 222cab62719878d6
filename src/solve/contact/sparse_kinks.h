// The tableau of a kink path over many contacts: a sparse factorisation, and the kinks since then.
//
//   D0 at the factorisation:   A = I + D0 V,   V = W + eps - I        (linear_system.h: B = I - (1 - eps) D0, E = D0)
//   y = (I + V D)^-1 G        at first  G - V A^-1 D0 G
//   a kink, D + c b^T         p = V A^-1 c,  made newer by the kinks before:  p -= p_j (b_j^T p) / f_j,   j = 1, 2, ...
//                             f = 1 + b^T p,   y -= p (b^T y) / f
//
// A kink so costs one solve with the factors and a product with each kink since these were made, where a full tableau
// costs the square of the rows. After so many kinks it is factored anew.
#ifndef CH_SOLVE_CONTACT_SPARSE_KINKS_H
#define CH_SOLVE_CONTACT_SPARSE_KINKS_H

#include "solve/contact/kink_frames.h"
#include "solve/linear/linear_system.h"

typedef struct ChSparseKinks ChSparseKinks;

// Factors anew after `renew` kinks; counts factorisations in `factorizations`.
ChSparseKinks* ch_sparse_kinks_create(ChArena* arena, const ChSystem* system, ChLinearSystem* linear, int renew,
                                      long* factorizations);

// One walk on  G(x) = u + eps (r - c) + x - r,  r = y(x):  from x, at which G is, to where the map as it is there has
// its zero. Over `most` kinks at most; `kinks` is added to. x and G are in the system's own coordinates.
ChKinkEnd ch_sparse_kinks_walk(ChSparseKinks* kinks, double eps, const double* G, double* x, long most,
                               ChDeadline deadline, long* count);

#endif
