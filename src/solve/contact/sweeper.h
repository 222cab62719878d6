// A Gauss-Seidel sweep over the blocks of a system, through W or through the bodies' velocities, whichever is there.
#ifndef CH_SOLVE_CONTACT_SWEEPER_H
#define CH_SOLVE_CONTACT_SWEEPER_H

#include <stdbool.h>

#include "system/system.h"

typedef struct ChSweeper ChSweeper;

ChSweeper* ch_sweeper_create(ChArena* arena, const ChSystem* system, bool colors, int threads);

// What a visit does to block i: r in and out, b = u - W_ii r with everything else frozen.
typedef void (*ChBlockRule)(void* user, int i, double omega, const double* b, double* r);

// Replaces the exact local solution by another rule. `user` is the rule's own; it must outlive the sweeper.
void ch_sweeper_set_rule(ChSweeper* sweeper, ChBlockRule rule, void* user);

// r <- r + omega (solution of each block in turn - r)
void ch_sweeper_sweep(ChSweeper* sweeper, double omega, double* r);

#endif
