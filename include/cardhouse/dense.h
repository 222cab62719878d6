// Dense matrices, columns first: singular values, and the angle between two spans.
#ifndef CARDHOUSE_DENSE_H
#define CARDHOUSE_DENSE_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Singular values of the n x n matrix A, in no particular order. A symmetric matrix is treated by its eigenvalues,
// which costs half as much. A is overwritten. False when the iteration fails or memory runs out.
CH_API bool ch_singular_values(int n, double* A, bool symmetric, double* sigma);

// To which group a vector belongs.
typedef enum ChSpan {
  CH_SPAN_FIRST,
  CH_SPAN_SECOND,
  CH_SPAN_REMOVED,  // the angle is taken in the orthogonal complement of these
  CH_SPAN_IGNORED
} ChSpan;

// The cosine of the smallest angle between two spans. G (n x n, symmetric, overwritten) holds the inner products of n
// vectors, span[i] is the ChSpan of vector i. *cosine is the largest x . y over unit vectors x of the first and y of
// the second span, between 0 and 1: 1 where they share a direction, 0 where they are orthogonal or one of them is
// empty; NaN where LAPACK fails. Fails where memory runs out.
CH_API ChStatus ch_span_cosine(ChContext* context, int n, double* G, const unsigned char* span, double* cosine);

#ifdef __cplusplus
}
#endif
#endif
