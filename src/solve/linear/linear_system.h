// The linear system of every Newton-like method:  (B + E W) x = h,  B and E block diagonal.
//
//   r-space:  K = B + E W, one block per contact
//   v-space:  (M + H C H^T) y = H B^-1 h,  x = B^-1 h - C H^T y,  C = B^-1 E      (Woodbury: the same x)
//
// Where laws have a compliance, W = H^T M^-1 H + diag(c): in v-space B + E diag(c) takes the place of B.
//
// The cheaper space is chosen once, by the operations of a factorisation. Blocks with E_i = 0 cost nothing in either.
#ifndef CH_SOLVE_LINEAR_LINEAR_SYSTEM_H
#define CH_SOLVE_LINEAR_LINEAR_SYSTEM_H

#include <stdbool.h>

#include "system/system.h"

typedef struct ChLinearSystem ChLinearSystem;

typedef enum ChSpace { CH_SPACE_AUTO, CH_SPACE_R, CH_SPACE_V } ChSpace;

// `symmetric` promises that every K will be symmetric positive definite (E = I, B symmetric, W symmetric): then
// Cholesky.
ChLinearSystem* ch_linear_create(ChArena* arena, const ChSystem* system, ChSpace space, bool symmetric);

// B and E hold the diagonal blocks row-major at system->diagonal_at; they must stay in place until the last solve.
bool ch_linear_factor(ChLinearSystem* linear, const double* B, const double* E);

// The same for a caller who knows which blocks are open, B_i = I and E_i = 0: these are not looked at.
bool ch_linear_factor_loaded(ChLinearSystem* linear, const double* B, const double* E, const unsigned char* open);

// x = (B + E W)^-1 h, refined until the residual stops falling. h and x may not overlap.
void ch_linear_solve(ChLinearSystem* linear, const double* h, double* x);

// The same without refinement, for iterations that correct themselves; and W x, which the space of velocities has by
// the way (Wx may be NULL).
void ch_linear_solve_fast(ChLinearSystem* linear, const double* h, double* x, double* Wx);

// What some blocks feel of all others: u_C = S r_C + ..., where the others answer as the factored system has them; S is
// full, by rows. B_i = I and E_i = 0 for the members. In the space of velocities S = H_C^T (M + H C H^T)^-1 H_C, of
// which many columns cost as much as a few solves.
void ch_linear_condense(ChArena* arena, ChLinearSystem* linear, int count, const int* members, double* S);

// K = W + rho I
bool ch_linear_factor_shifted(ChLinearSystem* linear, double rho);

// Counted work of a factorisation, as far as the analysis tells; 0 where it does not.
double ch_linear_work(const ChLinearSystem* linear);

// Which space was chosen.
ChSpace ch_linear_space(const ChLinearSystem* linear);

#endif
