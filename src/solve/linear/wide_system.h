// (M + H C H^T) y = g where bodies have modes: one small full matrix, whatever the number of contacts.
//
// What a loaded contact adds is of rank three, over rows as long as its bodies have freedoms; open ones add nothing.
#ifndef CH_SOLVE_LINEAR_WIDE_SYSTEM_H
#define CH_SOLVE_LINEAR_WIDE_SYSTEM_H

#include <stdbool.h>

#include "system/system.h"

typedef struct ChWideSystem ChWideSystem;

// Whether bodies are wide and few enough.
bool ch_wide_suits(const ChSystem* system);

ChWideSystem* ch_wide_create(ChArena* arena, const ChSystem* system);

// C: the blocks' compliances, row-major at system->diagonal_at; those of `open` blocks are zero and not looked at.
// False when the matrix is not finite; pivots of nothing are shifted, and the caller refines.
bool ch_wide_factor(ChWideSystem* wide, const double* C, const unsigned char* open);

// Hy = H^T (M + H C H^T)^-1 H x, by blocks
void ch_wide_solve(ChWideSystem* wide, const double* x, double* Hy);

#endif
