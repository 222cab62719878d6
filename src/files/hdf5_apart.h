// HDF5 files are read in a child process: libhdf5 may crash, loop for ever or worse on a damaged file, and neither the
// caller nor anything the caller can reach may suffer from it.
//
// The child gets the open file, shuts itself in (sandbox.h) and answers requests over a socket with plain data. When it
// dies, falls silent or says what cannot be, the file is reported as damaged. What it sends is believed no more than
// the file itself: sizes are checked before memory is taken for them.
#ifndef CH_FILES_HDF5_APART_H
#define CH_FILES_HDF5_APART_H

#include <stdbool.h>

#include "files/hdf5_file.h"

typedef enum ChHdf5Ask {
  CH_HDF5_ASK_HAS,
  CH_HDF5_ASK_HAS_ATTRIBUTE,
  CH_HDF5_ASK_LENGTH,
  CH_HDF5_ASK_INTS,            // int
  CH_HDF5_ASK_REALS,           // double
  CH_HDF5_ASK_ATTRIBUTE_INT,   // one int64_t
  CH_HDF5_ASK_ATTRIBUTE_REAL,  // one double
  CH_HDF5_ASK_ATTRIBUTE_TEXT,  // as many as it has letters
  CH_HDF5_ASK_TEXTS,
  CH_HDF5_ASK_EXTENTS,
  CH_HDF5_ASK_ROWS
} ChHdf5Ask;

// Starts the child, which opens the file at the descriptor. The status of h tells of a failure.
void ch_hdf5_apart_start(ChHdf5* h, int fd);
void ch_hdf5_apart_stop(ChHdf5* h);

// Asks for `name`. The count (has: 0 or 1) is returned, and the data, which belong to the arena, put into *data where
// the request is for data. On a failure, also of the child, the status of h is set and 0 returned.
long ch_hdf5_apart_ask(ChHdf5* h, ChHdf5Ask ask, const char* name, void** data);
bool ch_hdf5_apart_extents(ChHdf5* h, const char* name, ChHdf5Number number, int rank, long extents[3]);
bool ch_hdf5_apart_rows(ChHdf5* h, const char* name, const ChHdf5Rows* rows, void* out);

// Lets `change` work on the file whose bytes are `image`, in a child, and writes what comes of it to `path`.
ChStatus ch_hdf5_apart_change(ChContext* context, const char* path, ChArena* arena, void* image, size_t size,
                              void (*change)(ChHdf5* h, void* state), void* state);

#endif
