// The two-point correlation function: see pair_correlation.h.
#include "measure/pair_correlation.h"

#include <math.h>

#include "base/vector.h"
#include "measure/near_pairs.h"
#include "measure/region.h"

ChPairCorrelation ch_pair_correlation_begin_in(ChArena* arena, int dimension, double width, double reach) {
  int bins = 1 + (int)floor(reach / width + 1e-9);
  return (ChPairCorrelation){
      .dimension = dimension, .bins = bins, .width = width, .weight = CH_TAKE(arena, bins, double)};
}

typedef struct Sum {
  ChPairCorrelation* c;
  const ChRegion* region;
} Sum;

static void add_pair(void* state, int a, int b, ChVec3 shift) {
  (void)a, (void)b;
  Sum* sum = state;
  int bin = (int)floor(ch_norm(shift) / sum->c->width + 0.5);
  double shared = ch_region_shared(sum->region, shift);
  if (bin < sum->c->bins && shared > 0.0) sum->c->weight[bin] += 2.0 / shared;
}

void ch_pair_correlation_add_in(ChArena* arena, ChPairCorrelation* c, const ChGrains* grains, const ChRegion* region) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChVec3* inside = CH_TAKE(arena, grains->count, ChVec3);
  int count = 0;
  for (int k = 0; k < grains->count; ++k)
    if (ch_region_holds(region, grains->at[k])) inside[count++] = grains->at[k];
  Sum sum = {c, region};
  ch_near_pairs(arena, count, inside, (c->bins - 0.5) * c->width, region, add_pair, &sum);
  double volume = ch_region_volume(region);
  if (volume > 0.0) {
    c->expected += count * (count - 1.0) / (volume * volume);
    c->density += count / volume;
  }
  ++c->moments;
  ch_arena_release(arena, mark);
}

double ch_pair_correlation_distance(const ChPairCorrelation* c, int bin) { return bin * c->width; }

double ch_pair_correlation_value(const ChPairCorrelation* c, int bin) {
  double inner = fmax(0.0, (bin - 0.5) * c->width), outer = (bin + 0.5) * c->width;
  double shell = ch_ball_volume(c->dimension, outer) - ch_ball_volume(c->dimension, inner);
  return c->expected > 0.0 ? c->weight[bin] / (c->expected * shell) : 0.0;
}

double ch_pair_correlation_neighbours(const ChPairCorrelation* c, int bin) {
  double sum = 0.0;
  for (int k = 0; k <= bin; ++k) sum += c->weight[k];
  return c->expected > 0.0 ? sum * (c->density / (double)c->moments) / c->expected : 0.0;
}

int ch_pair_correlation_peak(const ChPairCorrelation* c) {
  int peak = 0;
  for (int k = 1; k < c->bins; ++k)
    if (ch_pair_correlation_value(c, k) > ch_pair_correlation_value(c, peak)) peak = k;
  return peak;
}
