// Four numbers side by side, wherever they stand: for sums over the long rows of bodies with modes, which a compiler
// that must keep the order of a sum does not take four at a time by itself.
#ifndef CH_LINALG_QUAD_H
#define CH_LINALG_QUAD_H

#include <stdint.h>

typedef double ChQuad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t ChQuadBits __attribute__((vector_size(4 * sizeof(int64_t))));

#define CH_QUAD_AT(x) (*(const ChQuad*)(x))
#define CH_QUAD_SUM(q) (((q)[0] + (q)[2]) + ((q)[1] + (q)[3]))
#define CH_QUAD_ABS(q) ((ChQuad)((ChQuadBits)(q)&INT64_MAX))

#endif
