// A product of balls over one normal, in scaled variables: what rolling, drilling and ellipsoidal are to solvers.
//
//   K = { r : |r_k| <= mu_k r_0 for every ball k },  r = (r_0, r_1, .., r_m), ball k of 1 to 3 rows
//   K* = { u : u_0 >= sum_k mu_k |u_k| };            K contains r, K* contains u + sum_k mu_k |u_k| e_0, orthogonal
//
// The projection is explicit: with the normal y_0 given, y_k is x_k cut to mu_k y_0, and
//   y_0 = (x_0 + sum_A mu_k |x_k|) / (1 + sum_A mu_k^2),   A = { k : |x_k| > mu_k y_0 }
// where A is found by adding balls in the order of falling |x_k| / mu_k. y_0 <= 0 is the polar cone.
//
// The exact solution of one block: b_0 >= 0 gives r = 0. Otherwise u_0 = 0, and Newton's method on Alart and Curnier's
// map of the block alone finds r in a few steps from the last one. Where it does not, with r_0 given the rest is
// a strictly convex programme over balls of known size, solved ball by ball, and r_0 is the root of one function of one
// variable that is bracketed: this always ends.
#ifndef CH_PROBLEM_LAWS_BALLS_H
#define CH_PROBLEM_LAWS_BALLS_H

#include "problem/laws/law.h"

// Adds a ball of `rows` rows and this radius over r_0 = 1 to a block whose `dim` counts the rows before it. The first
// one gives the block's mu, in which slips are measured.
void ch_balls_add(ChScaledBlock* b, int rows, double radius);

void ch_balls_interval(const ChScaledBlock* b, double* lo, double* hi);
double ch_balls_clamp(const ChScaledBlock* b, int row, double x, const double* r);
void ch_balls_project(const ChScaledBlock* b, const double* x, double* y);
void ch_balls_derivative(const ChScaledBlock* b, const double* x, double* D);
void ch_balls_alart_curnier(const ChScaledBlock* b, const double* x, double* y);
void ch_balls_alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D);

// sum_k mu_k |u_k| / mu
double ch_balls_slip(const ChScaledBlock* b, const double* u, double* gradient);

void ch_balls_prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l);
void ch_balls_solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                          double* r);

// What the exact solution falls back on, from any r; see above. W need not be symmetric.
void ch_balls_solve_bracketed(const ChScaledBlock* b, const double* W, const double* q, double* r);

#endif
