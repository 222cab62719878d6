// Extrapolation of a fixed-point iteration from what it did at several points (Anderson 1965).
//
//   f_j = g_j - y_j,  g_j = G(y_j)         least |sum_j a_j f_j|  with  sum_j a_j = 1         x = sum_j a_j g_j
//
// The points may come from any iteration that evaluates G, one with momentum as well. Where G is nearly linear between
// them and few modes are slow, x is much nearer to the fixed point than the last of them.
#ifndef CH_SOLVE_CONTACT_SECANTS_H
#define CH_SOLVE_CONTACT_SECANTS_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct ChSecants ChSecants;

// Of `most` vectors, at most 16, of this length.
ChSecants* ch_secants_create(ChArena* arena, long length, int most);

// Where the next f and g go, aligned to 32 bytes; they count from ch_secants_keep on. Not while it is full.
void ch_secants_next(const ChSecants* secants, double** f, double** g);
void ch_secants_keep(ChSecants* secants);
bool ch_secants_full(const ChSecants* secants);
void ch_secants_clear(ChSecants* secants);

// The g that was kept last.
const double* ch_secants_last(const ChSecants* secants);

// x from at least two pairs. It is the last g where the differences of the others to it say nothing. The same bits for
// any number of threads.
void ch_secants_extrapolate(const ChSecants* secants, int threads, double* x);

#endif
