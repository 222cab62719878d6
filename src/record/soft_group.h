// The group /soft of a trajectory: what deforms its deformable bodies, once a file. docs/trajectory.md describes it.
//
//   x(t) = p + R (rest + shape a)      a: the body's amplitudes of the row
#ifndef CH_RECORD_SOFT_GROUP_H
#define CH_RECORD_SOFT_GROUP_H

#include <hdf5.h>
#include <stdbool.h>

#include "cardhouse/soft.h"
#include "files/hdf5_file.h"

// Nothing where no body is deformable. Bodies of equal mesh and material share a skin.
bool ch_soft_group_put(hid_t file, const ChWorld* world);

// What lies there, in the file's arena, and where the bodies are in the first row. None where there is no such group.
void ch_soft_group_get(ChHdf5* file, ChRecordedSofts* out);

#endif
