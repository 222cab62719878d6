// What a sweep varies: values of a scene's parameters, each with each.
//
//   mu=0.1:0.8:15     15 values from 0.1 to 0.8, evenly apart
//   n=5,10,20         these
//   form=catenary     one
#ifndef CH_CLI_SWEEP_GRID_H
#define CH_CLI_SWEEP_GRID_H

#include "cli/arguments.h"

enum { CH_SWEEP_AXES = 8, CH_SWEEP_TEXT = 64, CH_SWEEP_POINTS = 100000 };

typedef struct ChSweepAxis {
  char name[CH_SWEEP_TEXT];
  int count;
  char (*value)[CH_SWEEP_TEXT];  // as text: what a run is given, and what stands in the table
} ChSweepAxis;

typedef struct ChSweepGrid {
  int axis_count, point_count;
  ChSweepAxis axis[CH_SWEEP_AXES];
} ChSweepGrid;

// Complains by itself; frees nothing but by ch_sweep_grid_reset, which is legal after a failure, too.
ChExit ch_sweep_grid_read(const ChCommand* command, const ChTextList* param, ChSweepGrid* out);
void ch_sweep_grid_reset(ChSweepGrid* grid);

// The value of an axis at a point; the last axis runs fastest.
const char* ch_sweep_value(const ChSweepGrid* grid, int point, int axis);

#endif
