// The two-point correlation function of grains in a region W of volume V, edges corrected by translation (Ohser 1983):
//
//   g(r) = sum over ordered pairs at distance r of  1 / |W n (W + x_j - x_i)|  /  (N (N - 1) / V^2 * shell(r))
//
// It is 1 for points without any order, whatever the shape of W, and counts: the mean number of neighbours within R is
// the integral of rho g over the ball. Bins are centred on multiples of their width, so that grains that touch, at r =
// D, fall in the middle of one when D is such a multiple.
#ifndef CH_MEASURE_PAIR_CORRELATION_H
#define CH_MEASURE_PAIR_CORRELATION_H

#include "measure/grains.h"

typedef struct ChPairCorrelation {
  int dimension, bins;
  double width;     // of a bin, m
  double* weight;   // sum of 1 / |W n (W + shift)| over pairs
  double expected;  // sum of N (N - 1) / V^2 over the moments
  double density;   // sum of N / V over the moments
  long moments;
} ChPairCorrelation;

// Up to `reach`; both in metres.
ChPairCorrelation ch_pair_correlation_begin(ChArena* arena, int dimension, double width, double reach);
// Grains whose centres lie in the region. Distances beyond ch_region_width(region) come out too small.
void ch_pair_correlation_add(ChArena* arena, ChPairCorrelation* c, const ChGrains* grains, const ChRegion* region);

double ch_pair_correlation_distance(const ChPairCorrelation* c, int bin);  // middle of the bin, m
double ch_pair_correlation_value(const ChPairCorrelation* c, int bin);
// Mean number of neighbours up to the end of the bin.
double ch_pair_correlation_neighbours(const ChPairCorrelation* c, int bin);
// The bin of the largest value.
int ch_pair_correlation_peak(const ChPairCorrelation* c);

#endif
