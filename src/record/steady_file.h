// An HDF5 file that opens again after its writer was killed, at any moment, with any reader.
//
// HDF5's single-writer mode orders metadata so that whatever points at data is written after them. Two things of it do
// not survive a kill: the superblock stays marked as being written, which plain readers refuse, and it may tell of a
// shorter file than the one its pointers reach into. The driver here, a plain POSIX file, mends both on the way to the
// disk: the mark is left out, and the length that the superblock tells is that to which the file was stretched before.
//
// After a write that failed (disk full) nothing more reaches the file: what is there is the good state before.
#ifndef CH_RECORD_STEADY_FILE_H
#define CH_RECORD_STEADY_FILE_H

#include <hdf5.h>
#include <stdbool.h>

// Opens (or, with `create`, makes anew) a file for writing; negative on a failure, and errno says why where the system
// knows. A file that another writer has open is refused with EWOULDBLOCK.
hid_t ch_steady_open(const char* path, bool create);

// errno of the first write that failed, or 0.
int ch_steady_error(hid_t file);

#endif
