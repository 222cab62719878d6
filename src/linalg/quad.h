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

// The first n of four, then zeros; 0 < n < 4.
#define CH_QUAD_HEAD(x, n) ((ChQuad){(x)[0], (n) > 1 ? (x)[1] : 0.0, (n) > 2 ? (x)[2] : 0.0, 0.0})

// The sums of four.
static inline void ch_quad_sums(const ChQuad* a, const ChQuad* b, const ChQuad* c, const ChQuad* d, ChQuad* out) {
  ChQuad ab = __builtin_shufflevector(*a, *b, 0, 4, 2, 6) + __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
  ChQuad cd = __builtin_shufflevector(*c, *d, 0, 4, 2, 6) + __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
  *out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// And of three.
static inline void ch_quad_sums_three(const ChQuad* a, const ChQuad* b, const ChQuad* c, ChQuad* out) {
  const ChQuad none = {0.0};
  ch_quad_sums(a, b, c, &none, out);
}

#endif
