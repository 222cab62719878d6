// Pairs of points nearer to each other than a reach.
#ifndef CH_MEASURE_NEAR_PAIRS_H
#define CH_MEASURE_NEAR_PAIRS_H

#include "base/arena.h"
#include "measure/region.h"

// `shift` leads from point a to point b; every pair is told once, a < b, in an order that the points alone decide.
typedef void (*ChNearFn)(void* state, int a, int b, ChVec3 shift);

// `region`: along axes that it wraps, points lie in it and shifts lead to images too, as far as `reach`, at most half
// of its length there; it is not looked at otherwise, and may be NULL.
void ch_near_pairs(ChArena* arena, int count, const ChVec3* at, double reach, const ChRegion* region, ChNearFn tell,
                   void* state);

#endif
