// Hard disks of diameter 1 in equilibrium, by Metropolis' moves; and points that are given a correlation function.
#ifndef CH_REPRODUCE_HARD_DISKS_H
#define CH_REPRODUCE_HARD_DISKS_H

#include <stdint.h>

#include "cardhouse/measure.h"

// The square of which side x side disks cover this fraction, and these on a lattice in it. Without periodicity it has
// walls.
ChRegion ch_hard_disks_region(int side, double fraction, bool periodic);
void ch_hard_disks_lattice(int side, const ChRegion* region, ChVec3* at);

// A sweep is one tried move a disk, each coordinate by up to `stride`: accepted where no disks overlap, which is all of
// Metropolis' rule when all allowed states have the same energy. Returns the share of moves that were accepted.
double ch_hard_disks_sweep(int count, ChVec3* at, const ChRegion* region, double stride, uint64_t* seed);

// Moves points in a periodic square until their g(r) is the one given, by annealing of E = sum (g - target)^2 over the
// bins (Yeong and Torquato 1998, with points in place of pixels). Starts from points without order. Returns the root
// of the mean square of g - target; NaN when out of memory.
double ch_points_reconstruct(ChMeasureRoom* room, int count, ChVec3* at, const ChRegion* region, int bins, double width,
                             const double* target, long moves, uint64_t seed);

#endif
