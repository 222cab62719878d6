// Anderson acceleration (type II) of a fixed-point iteration x <- g(x).
//
//   f_k = g_k - x_k,  x_{k+1} = g_k - dG gamma,  gamma = argmin | f_k - dF gamma |
#ifndef CH_LINALG_ANDERSON_H
#define CH_LINALG_ANDERSON_H

#include "base/arena.h"

typedef struct ChAnderson ChAnderson;

ChAnderson* ch_anderson_create(ChArena* arena, int n, int depth);
void ch_anderson_reset(ChAnderson* anderson);

// Remembers (x, g) and writes the next x; out may be x or g.
void ch_anderson_step(ChAnderson* anderson, const double* x, const double* g, double* out);

#endif
