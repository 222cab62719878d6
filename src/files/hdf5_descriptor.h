// HDF5 on a descriptor that is open already: a driver of its virtual file layer that reads and can do nothing else.
// The process that parses a file need not be able to open one.
#ifndef CH_FILES_HDF5_DESCRIPTOR_H
#define CH_FILES_HDF5_DESCRIPTOR_H

#include <hdf5.h>

// Negative on a failure. The descriptor stays the caller's. The driver is to be unregistered after the file is closed,
// not before: files use it to the end.
hid_t ch_hdf5_open_descriptor(int fd, hid_t* driver);

#endif
