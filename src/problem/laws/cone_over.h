// Cones over a convex section that is known by its functions, in scaled variables: what `section` and laws of a
// program's own are to solvers.
//
//   K = { r : r_0 >= 0, r_T in r_0 D },  D convex, 0 in D;   K contains r, K* contains u + sigma(u_T) e_0, orthogonal
//
// With n given the nearest point of n D to t is n P(t / n), P the projection onto D. Of K it is the one whose n is the
// root of a function that rises,
//
//   f(n) = n - x_0 - (t - n p) . p,   p = P(t / n),   between max(x_0, 0) and x_0 + h,   h = max { t . p : p in D }
//
// x_0 + h <= 0 is the polar cone. With J the derivative of P at t / n and v = (I - J) p the derivative of the whole
// projection is
//
//   [0 0; 0 J] + (1, v) (1, v)^T / (1 + p . v)
#ifndef CH_PROBLEM_LAWS_CONE_OVER_H
#define CH_PROBLEM_LAWS_CONE_OVER_H

#include "problem/laws/law.h"

typedef struct ChConeSection {
  int rows;          // of D: 1 to 5
  const void* data;  // whose it is
  void (*project)(const void* data, const double* t, double* p);
  void (*derivative)(const void* data, const double* t, double* J);
  double (*support)(const void* data, const double* u, double* gradient);  // max { -p . u }, with -p; may be NULL
} ChConeSection;

// x may be y. A NaN in x gives NaN.
void ch_cone_over_project(const ChConeSection* s, const double* x, double* y);
void ch_cone_over_derivative(const ChConeSection* s, const double* x, double* D);

// y_0 = max(0, x_0), y_T = the point of y_0 D nearest to x_T
void ch_cone_over_alart_curnier(const ChConeSection* s, const double* x, double* y);
void ch_cone_over_alart_curnier_derivative(const ChConeSection* s, const double* x, double* D);

// Between the ends of D along a row, times r_0.
double ch_cone_over_clamp(const ChConeSection* s, int row, double x, const double* r);

// The exact solution of one block, from any r, where q_0 < 0: with r_0 given the rest is a convex programme over r_0 D,
// and r_0 the root of one function. Slow; for what Newton's method misses.
void ch_cone_over_solve_bracketed(const ChConeSection* s, const double* W, const double* q, double* r);

#endif
