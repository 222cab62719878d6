// See hdf5_descriptor.h.
#include "files/hdf5_descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/hdf5_driver.h"

// The number of the descriptor comes in place of a name.
static H5FD_t* on_open(const char* name, unsigned flags, hid_t list, haddr_t highest) {
  (void)list, (void)highest;
  if (flags & (H5F_ACC_RDWR | H5F_ACC_CREAT)) return NULL;
  int fd = atoi(name);
  off_t end = lseek(fd, 0, SEEK_END);
  ChHdf5File* file = end < 0 ? NULL : calloc(1, sizeof *file);
  if (!file) return NULL;
  file->fd = fd;
  file->eof = (haddr_t)end;
  return &file->base;
}

static herr_t on_close(H5FD_t* base) {
  free(base);
  return 0;
}

static herr_t on_query(const H5FD_t* base, unsigned long* flags) {
  (void)base;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA_READ | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

static herr_t on_write(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, const void* data) {
  (void)base, (void)type, (void)list, (void)at, (void)size, (void)data;
  return -1;
}

static const H5FD_class_t reader = {CH_HDF5_DRIVER_COMMON, .name = "descriptor", .open = on_open,
                                    .close = on_close,     .query = on_query,    .write = on_write};

hid_t ch_hdf5_open_descriptor(int fd, hid_t* driver) {
  char name[16];
  snprintf(name, sizeof name, "%d", fd);
  hid_t list = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
  *driver = H5FDregister(&reader);
  // Metadata whose checksum is wrong stay wrong: reading them a hundred times, as HDF5 does where a writer may be at
  // work, takes minutes.
  if (*driver >= 0 && list >= 0 && H5Pset_driver(list, *driver, NULL) >= 0 &&
      H5Pset_metadata_read_attempts(list, 1) >= 0)
    file = H5Fopen(name, H5F_ACC_RDONLY, list);
  if (list >= 0) H5Pclose(list);
  return file;
}
