// The smallest angle between two subspaces, from a Gram matrix alone.
#ifndef CH_LINALG_PRINCIPAL_ANGLE_H
#define CH_LINALG_PRINCIPAL_ANGLE_H

#include "base/arena.h"

// To which group a vector belongs.
typedef enum ChSpan {
  CH_SPAN_FIRST,
  CH_SPAN_SECOND,
  CH_SPAN_REMOVED,  // the angle is taken in the orthogonal complement of these
  CH_SPAN_IGNORED
} ChSpan;

// G (n x n, symmetric, overwritten) holds the inner products of n vectors. The result is the largest x . y over unit
// vectors x of the first and y of the second span, between 0 and 1: 1 where they share a direction, 0 where they are
// orthogonal or one of them is empty. NaN when LAPACK fails.
double ch_principal_cosine(ChArena* arena, int n, double* G, const unsigned char* span);

#endif
