// A Gauss-Seidel sweep over the blocks of a system, through W or through the bodies' velocities, whichever is there.
#ifndef CH_SOLVE_SWEEPER_H
#define CH_SOLVE_SWEEPER_H

#include <stdbool.h>

#include "problem/system.h"

typedef struct ChSweeper ChSweeper;

ChSweeper* ch_sweeper_create(ChArena* arena, const ChSystem* system, bool colors, int threads);

// r <- r + omega (solution of each block in turn - r)
void ch_sweeper_sweep(ChSweeper* sweeper, double omega, double* r);

#endif
