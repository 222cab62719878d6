// M^-1 of a body whose degrees of freedom are coupled with a few of them, its hubs, and not with each other: modes of
// vibration, which the body's turning holds together. It is a diagonal and a matrix of low rank,
//
//   M^-1 = diag(weight) + T T^T
//
// The certificate has a road of its own to the same (compliance_arrow.c).
#ifndef CH_PROBLEM_HUB_INVERSE_H
#define CH_PROBLEM_HUB_INVERSE_H

#include <stdbool.h>

#include "base/arena.h"

enum { CH_HUBS_MAX = 6, CH_HUBBED_SIZE = 12 };  // most hubs, and least degrees of freedom of a body that may have them

typedef struct ChHubInverse {
  int hubs;        // 0: the body is not of this kind
  double* weight;  // size
  double* T;       // size x hubs, by columns
} ChHubInverse;

// Of the size x size block M of a body. No hubs where they are too many, or M is not symmetric and positive definite.
ChHubInverse ch_hub_inverse_find(ChArena* arena, int size, const double* M);

// The same matrix, size x size.
void ch_hub_inverse_write(const ChHubInverse* inverse, int size, double* out);

// W += H^T M^-1 H, H size x d by rows, W d x d; and the same from the columns of H, of which there are at most
// CH_BLOCK_MAX.
void ch_hub_inverse_square(const ChHubInverse* inverse, int size, int d, const double* H, double* W);
void ch_hub_inverse_square_columns(const ChHubInverse* inverse, int size, int d, const double* const* column,
                                   double* W);

#endif
