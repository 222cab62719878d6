// What of reading trajectories stays inside: see cardhouse/trajectory.h.
#ifndef CH_RECORD_TRAJECTORY_READ_H
#define CH_RECORD_TRAJECTORY_READ_H

#include "base/whole_file.h"
#include "cardhouse/soft.h"
#include "cardhouse/trajectory.h"

// A run stretches its file before it fills it, and HDF5's head, with the signature, comes last: a file that begins with
// zeros is what a run left that ended before, on a full disk for one.
bool ch_trajectory_is_headless(const ChWholeFile* file);

// The deformable bodies of a trajectory, which belong into the world of its scene; the caller destroys them.
ChStatus ch_trajectory_softs(ChContext* context, const char* path, ChRecordedSofts** softs);
void ch_recorded_softs_destroy(ChRecordedSofts* softs);

#endif
