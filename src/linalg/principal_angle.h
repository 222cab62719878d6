// The smallest angle between two subspaces, from a Gram matrix alone: ch_span_cosine of cardhouse/dense.h inside an
// arena.
#ifndef CH_LINALG_PRINCIPAL_ANGLE_H
#define CH_LINALG_PRINCIPAL_ANGLE_H

#include "base/arena.h"
#include "cardhouse/dense.h"

double ch_principal_cosine(ChArena* arena, int n, double* G, const unsigned char* span);

#endif
