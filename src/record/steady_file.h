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

typedef struct ChSteady {
  hid_t file;    // negative: not open
  hid_t driver;  // the file uses it to its very end
} ChSteady;

#define CH_STEADY_CLOSED ((ChSteady){H5I_INVALID_HID, H5I_INVALID_HID})

// Makes a file anew, or an empty one out of what is there; false on a failure, and errno says why where the system
// knows. A file that another writer has open is refused with EWOULDBLOCK.
bool ch_steady_create(ChSteady* steady, const char* path);
void ch_steady_close(ChSteady* steady);

// errno of the first write that failed, or 0.
int ch_steady_error(const ChSteady* steady);
// Waits until everything that HDF5 has written is on the disk; false on a failure, which ch_steady_error then tells.
bool ch_steady_sync(const ChSteady* steady);

#endif
