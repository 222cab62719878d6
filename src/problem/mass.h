// The mass matrix seen as bodies: those that the caller names, or connected parts of M, each inverted densely when all
// are small (rigid and reduced bodies), or one sparse factorisation when some are not (meshes).
#ifndef CH_PROBLEM_MASS_H
#define CH_PROBLEM_MASS_H

#include "base/arena.h"
#include "linalg/sparse_lu.h"
#include "problem/contact_problem.h"
#include "problem/hub_inverse.h"

enum { CH_BODY_MAX = 64 };  // most degrees of freedom of a body that is handled densely

typedef struct ChMass {
  const ChSparse* M;
  int bodies;
  int* body_of;  // body of each degree of freedom
  int* slot;     // its place in the body
  int* start;    // bodies + 1: the body's degrees of freedom are dof[start[b]] ..
  int* dof;
  long* offset;               // where the body's dense blocks begin
  double* matrix;             // row-major blocks of M; NULL when a body is too large
  double* inverse;            // row-major blocks of M^-1
  bool* diagonal;             // whether the body's block is
  ChHubInverse* hub_inverse;  // of bodies that have one
  ChSparseLu* lu;             // instead of the blocks
} ChMass;

// `body` (may be NULL) puts degrees of freedom that M does not couple into one body: larger blocks, fewer of them.
// NULL, with a message, when M is singular.
ChMass* ch_mass_create(ChContext* context, ChArena* arena, const ChSparse* M, const int* body);

// max |M - M^T| / max |M|
double ch_mass_asymmetry(ChArena* arena, const ChMass* mass);

static inline int ch_mass_size(const ChMass* mass, int body) { return mass->start[body + 1] - mass->start[body]; }

// x = M^-1 b, to the factors' round-off: ch_problem_velocity, which wants more, refines
void ch_mass_solve(const ChMass* mass, const double* b, double* x);

#endif
