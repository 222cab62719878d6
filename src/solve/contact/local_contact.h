// The exact solution of one block with everything else frozen: u = W r + b and (u, r) obey the law. How is the law's
// own business: see problem/laws.
#ifndef CH_SOLVE_CONTACT_LOCAL_CONTACT_H
#define CH_SOLVE_CONTACT_LOCAL_CONTACT_H

#include "system/system.h"

static inline void ch_local_prepare(ChArena* arena, const ChSystem* s, int i, ChLocalBlock* local) {
  *local = (ChLocalBlock){0};
  s->block[i].law->prepare_local(arena, &s->block[i], s->diagonal + s->diagonal_at[i], local);
}

// r: in the current reaction of block i (used by skew blocks), out the solution. b = u - W_ii r at the block.
static inline void ch_local_solve(const ChSystem* s, int i, ChLocalBlock* local, const double* b, double* r) {
  s->block[i].law->solve_local(&s->block[i], s->relaxed, s->diagonal + s->diagonal_at[i], local, b, r);
}

#endif
