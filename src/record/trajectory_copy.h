// Going on with a trajectory file, which may be anybody's: HDF5 never opens it for writing.
//
// Its rows are read as those of any recording, in a process apart, and written into a new file beside it, which then
// takes its place. Rows that the simulation has not reached yet, and those of columns that a kill left longer than
// others, are left out. A kill meanwhile leaves the old file as it was.
#ifndef CH_RECORD_TRAJECTORY_COPY_H
#define CH_RECORD_TRAJECTORY_COPY_H

#include "record/steady_file.h"
#include "record/trajectory_file.h"

// The new file is open for more rows, with how many contacts it lists. On a failure nothing has changed.
ChStatus ch_trajectory_copy(ChContext* context, const char* path, const ChWorld* world, double time, ChSteady* file,
                            ChColumn* columns, long* contacts);

#endif
