// The pair correlation (cardhouse/measure.h) in an arena.
#ifndef CH_MEASURE_PAIR_CORRELATION_H
#define CH_MEASURE_PAIR_CORRELATION_H

#include "measure/grains.h"

// Up to `reach`; both in metres.
ChPairCorrelation ch_pair_correlation_begin_in(ChArena* arena, int dimension, double width, double reach);
// Grains whose centres lie in the region. Distances beyond ch_region_width(region) come out too small.
void ch_pair_correlation_add_in(ChArena* arena, ChPairCorrelation* c, const ChGrains* grains, const ChRegion* region);

#endif
