// Dense matrices, columns first: singular values, and the angle between two spans.
#ifndef CARDHOUSE_DENSE_H
#define CARDHOUSE_DENSE_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Computes the singular values of the n x n matrix A, in no particular order. For a symmetric matrix they are computed
// from its eigenvalues, at half the cost. A is overwritten. Returns false if the iteration fails or memory runs out.
CH_API bool ch_singular_values(int n, double* A, bool symmetric, double* sigma);

// The group to which a vector belongs.
typedef enum ChSpan {
  CH_SPAN_FIRST,
  CH_SPAN_SECOND,
  CH_SPAN_REMOVED,  // the angle is measured in the orthogonal complement of these vectors
  CH_SPAN_IGNORED
} ChSpan;

// Computes the cosine of the smallest angle between two spans. G (n x n, symmetric, overwritten) holds the inner
// products of n vectors; span[i] is the ChSpan of vector i. The result is the largest product x . y of a unit vector x
// in the first span and y in the second. It is 1 if they share a direction, 0 if they are orthogonal or one of them is
// empty, and NaN if LAPACK fails. Fails if memory runs out.
CH_API ChStatus ch_span_cosine(ChContext* context, int n, double* G, const unsigned char* span, double* cosine);

#ifdef __cplusplus
}
#endif
#endif
