// HDF5 files are read in a child process: libhdf5 may crash or loop for ever on a damaged file (of files with a few
// random bytes overwritten, about one in ten thousand), and a library must not take its caller down with it.
//
// The child opens the file and answers requests over a socket with plain data; when it dies or falls silent, the file
// is reported as damaged. It runs nothing but HDF5 and prints nothing.
#ifndef CH_PROBLEM_HDF5_APART_H
#define CH_PROBLEM_HDF5_APART_H

#include <stdbool.h>

#include "problem/hdf5_file.h"

typedef enum ChHdf5Ask {
  CH_HDF5_ASK_HAS,
  CH_HDF5_ASK_LENGTH,
  CH_HDF5_ASK_INTS,
  CH_HDF5_ASK_REALS,        // all finite
  CH_HDF5_ASK_REALS_OR_INF  // infinities allowed
} ChHdf5Ask;

// Starts the child, which opens h->path. False when there can be no child: the file is then read in this process.
bool ch_hdf5_apart_start(ChHdf5* h);
void ch_hdf5_apart_stop(ChHdf5* h);

// Asks for `name`. The count (has: 0 or 1) is returned, and the data, which belong to the arena, put into *data where
// the request is for data. On a failure, also of the child, the status of h is set and 0 returned.
long ch_hdf5_apart_ask(ChHdf5* h, ChHdf5Ask ask, const char* name, void** data);

#endif
