// Some rows of a system as a system of its own: the normal and the tangential half of a staggered step.
//
//   normal       one half line per contact; bilateral, unilateral and limit rows as they are
//   tangential   one disc or polygon (space) or interval (plane) per contact, of radius mu r_n
//
// W is cut out block by block, and the bodies' Jacobians where there are bodies, so that either half can be solved in
// the space of reactions or of velocities. What the two halves do to each other stays with the caller, who writes q.
#ifndef CH_SOLVE_STAGGERED_HALF_SYSTEM_H
#define CH_SOLVE_STAGGERED_HALF_SYSTEM_H

#include "system/system.h"

typedef struct ChHalfSystem {
  ChSystem system;
  int* block;   // block of the whole, per block
  int* source;  // row of the whole, per row
} ChHalfSystem;

// The whole system must have W formed.
void ch_half_normal(ChArena* arena, const ChSystem* whole, ChHalfSystem* half);
void ch_half_tangential(ChArena* arena, const ChSystem* whole, ChHalfSystem* half);
// The same for some contacts only: `keep` has one entry per block of the whole.
void ch_half_normal_of(ChArena* arena, const ChSystem* whole, const unsigned char* keep, ChHalfSystem* half);
void ch_half_tangential_of(ChArena* arena, const ChSystem* whole, const unsigned char* keep, ChHalfSystem* half);

void ch_half_gather(const ChHalfSystem* half, const double* whole, double* part);
void ch_half_scatter(const ChHalfSystem* half, const double* part, double* whole);

#endif
