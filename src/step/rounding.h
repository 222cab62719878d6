// Overlaps at the start that are the rounding of coordinates: files with six or seven digits put a wall of blocks 46 m
// long into each other by micrometres, and apart by as much. Nobody meant them; undone, they would set the wall in
// motion, and closed one after the other they would make it stand on few of its contacts. So they stay: an overlap and
// a gap up to the largest such overlap, d0, are as good as none, and deeper ones are undone as far as d0,
//
//   w_n = gamma (Phi + d0) / h where Phi < -d0,    0 where |Phi| <= d0,    gamma (Phi - d0) / h beyond
//
// for all contacts of the run. d0 is 0 in a scene that starts without.
#ifndef CH_STEP_ROUNDING_H
#define CH_STEP_ROUNDING_H

#include "cardhouse/world.h"

// d0 of a sealed world, in metres.
ChStatus ch_rounding_at_start(ChContext* context, const ChWorld* world, double* d0);

#endif
