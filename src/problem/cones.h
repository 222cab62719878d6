// Cones and intervals of the laws: projections in the Euclidean metric, and support functions.
//
//   circular   K = { r : |r_T| <= mu r_n }
//   elliptic   K = { r : sqrt((r_1/mu_1)^2 + (r_2/mu_2)^2) <= r_n }, a coefficient of zero forbids that direction
//   support    sigma(u_T) = max { -r_T . u_T : r in K, r_n = 1 } = mu |u_T| or sqrt((mu_1 u_1)^2 + (mu_2 u_2)^2)
//
// A NaN in x gives NaN in y, never a point of the cone.
#ifndef CH_PROBLEM_CONES_H
#define CH_PROBLEM_CONES_H

#include <math.h>

#include "cardhouse/problem.h"
#include "problem/laws/grade.h"

// x may be y in every projection below.
static inline void ch_project_circular2(double mu, const double x[2], double y[2]) {
  const double n = x[0], t = fabs(x[1]);
  if (n >= 0.0 && t <= mu * n) {
    y[0] = x[0], y[1] = x[1];
  } else if (mu * t <= -n) {
    y[0] = y[1] = 0.0;
  } else {
    const double normal = (n + mu * t) / (1.0 + mu * mu);
    y[1] = copysign(mu * normal, x[1]);
    y[0] = normal;
  }
}

// t > 0 in the last branch: with t = 0 one of the first two holds, and a NaN only spreads.
static inline void ch_project_circular3(double mu, const double x[3], double y[3]) {
  const double n = x[0], t = sqrt(x[1] * x[1] + x[2] * x[2]);
  if (n >= 0.0 && t <= mu * n) {
    y[0] = x[0], y[1] = x[1], y[2] = x[2];
  } else if (mu * t <= -n) {
    y[0] = y[1] = y[2] = 0.0;
  } else {
    const double normal = (n + mu * t) / (1.0 + mu * mu);
    const double shrink = mu * normal / t;
    y[0] = normal, y[1] = shrink * x[1], y[2] = shrink * x[2];
  }
}

void ch_project_elliptic(const double mu[2], const double x[3], double y[3]);

static inline double ch_project_interval(double lo, double hi, double x) { return x < lo ? lo : x > hi ? hi : x; }

// The projection onto the set of the block's law, x and y of the block's dimension. A bilateral block's set is the
// whole space; pose `frictionless` puts mu = 0.
static inline void ch_block_project(const ChBlock* block, ChPose pose, const double* x, double* y) {
  ch_law_grade(block)->project(block, pose, x, y);
}

// sigma(u_T) of a contact with the friction of this pose; 0 for every other law.
static inline double ch_block_support(const ChBlock* block, ChPose pose, const double* u) {
  const ChLawGrade* grade = ch_law_grade(block);
  return grade->support ? grade->support(block, pose, u) : 0.0;
}

// The velocity that the cone law speaks of: u + sigma(u_T) n in pose `coulomb`, u otherwise. u may be out.
static inline void ch_block_shift(const ChBlock* block, ChPose pose, const double* u, double* out) {
  const double slip = pose == CH_POSE_COULOMB ? ch_block_support(block, pose, u) : 0.0;
  for (int k = 0; k < block->dimension; ++k) out[k] = u[k];
  if (ch_law_grade(block)->support) out[0] += slip;
}

#endif
