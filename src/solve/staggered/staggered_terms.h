// The terms of Kaufman's convergence analysis along a staggered run (2009, section 6.5), for whoever asks for them.
//
// With d the change from one iteration to the next of the answers (alpha, beta, lambda) and g that of what the two
// projections were given (alpha to friction, beta to contact), the conditions of optimality of the four problems give
//
//   0 >= gamma + delta + nu        (6.23)
//   gamma = d.B d    delta = d.C g    nu = d_lambda . mu g_alpha          B = diag(W_NN, W_TT), C = W - B on (N, T)
//
// In the parallel iteration g is the last d and these are the terms as printed; serially each iteration is two steps of
// a parallel one, in which one half stands still, and the terms are the sums of the two. lambda_k is the support
// function of the unit section at the slip: the multiplier of sum_j beta_j <= mu alpha, where it is unique, and the
// smallest one elsewhere.
#ifndef CH_SOLVE_STAGGERED_STAGGERED_TERMS_H
#define CH_SOLVE_STAGGERED_STAGGERED_TERMS_H

#include "cardhouse/diagnostics.h"
#include "solve/methods/staggered.h"

typedef struct ChStaggeredTerms {
  ChStaggered* g;
  ChStaggeredStep step;
  double *r_n, *f, *x, *a;      // of the iteration before
  double *lambda, *lambda_old;  // per block
  double lambda_moved;          // |change of lambda|^2 of the iteration before
  double *d_n, *d_f, *d_x, *d_a, *Wd;
} ChStaggeredTerms;

// NULL when nobody listens.
ChStaggeredTerms* ch_staggered_terms_create(ChStaggered* g);

// After an iteration: its terms, to the listener. terms may be NULL.
void ch_staggered_terms_tell(ChStaggeredTerms* terms, int iteration, int best, double rel_err, double residual);

#endif
