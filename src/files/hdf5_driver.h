// What drivers of HDF5's virtual file layer have in common here: a POSIX file, the space that HDF5 has given away in
// it, and how it is read.
#ifndef CH_FILES_HDF5_DRIVER_H
#define CH_FILES_HDF5_DRIVER_H

#include <hdf5.h>
#include <stdint.h>

typedef struct ChHdf5File {
  H5FD_t base;  // HDF5's part, must be first
  int fd;
  haddr_t eoa;  // what HDF5 has allocated
  haddr_t eof;  // what the file holds
} ChHdf5File;

// Callbacks of a driver whose file begins with a ChHdf5File.
haddr_t ch_hdf5_file_eoa(const H5FD_t* base, H5FD_mem_t type);
herr_t ch_hdf5_file_set_eoa(H5FD_t* base, H5FD_mem_t type, haddr_t eoa);
haddr_t ch_hdf5_file_eof(const H5FD_t* base, H5FD_mem_t type);
// Behind the end of the file there are zeros.
herr_t ch_hdf5_file_read(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, void* out);

// The members of an H5FD_class_t that are the same for all of them.
#define CH_HDF5_DRIVER_COMMON                                                                                        \
  .maxaddr = INT64_MAX, .fc_degree = H5F_CLOSE_STRONG, .get_eoa = ch_hdf5_file_eoa, .set_eoa = ch_hdf5_file_set_eoa, \
  .get_eof = ch_hdf5_file_eof, .read = ch_hdf5_file_read, .fl_map = H5FD_FLMAP_DICHOTOMY

#endif
