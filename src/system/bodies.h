// W = H^T M^-1 H applied through bodies, in scaled variables: the road that costs memory in the number of contacts
// only, however many of them meet on one body.
#ifndef CH_SYSTEM_BODIES_H
#define CH_SYSTEM_BODIES_H

#include "base/arena.h"
#include "cardhouse/problem.h"
#include "linalg/block_csr.h"
#include "problem/mass.h"

typedef struct ChBodies {
  int n, dofs;               // bodies, degrees of freedom
  int *dim, *row;            // n, n + 1
  double *matrix, *inverse;  // row-major blocks, scaled so that diag(M) = 1
  long* offset;
  int* start;      // blocks + 1: block i touches entries start[i] .. start[i+1]-1
  int* body;       // body of each entry
  long* jacobian;  // where the entry's block begins in H: dim[body] x dim_i, row-major
  double* H;
  double* scratch;  // dofs
  int* source;      // dofs: degree of freedom of the problem
  double* root;     // dofs: root of the diagonal of M; impulses of the problem are those here times root and c
  int threads;      // that products with many blocks may take; 0: one
} ChBodies;

// v = M^-1 H r
void ch_bodies_impulse_to_velocity(const ChBodies* b, const int* dim, const int* row, int blocks, const double* r,
                                   double* v);

// The same of some blocks, which alone have reactions; r is that of all.
void ch_bodies_impulse_of(const ChBodies* b, const int* dim, const int* row, int count, const int* members,
                          const double* r, double* v);

// u = H^T v + q; q may be NULL
void ch_bodies_velocity_to_contact(const ChBodies* b, const int* dim, const int* row, int blocks, const double* v,
                                   const double* q, double* u);

// The same of block i, whose rows u and q point at
void ch_bodies_block_velocity(const ChBodies* b, int dim, int i, const double* v, const double* q, double* u);

// W itself, block by block; where M is symmetric only half of it is computed and W is symmetric to the last bit.
ChBlockCsr ch_bodies_delassus(ChArena* arena, const ChBodies* b, int n, const int* dim, const int* row, bool symmetric);

#endif
