// See hdf5_descriptor.h.
#include "files/hdf5_descriptor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Descriptor {
  H5FD_t base;  // HDF5's part, must be first
  int fd;
  haddr_t eoa, eof;
} Descriptor;

// The number of the descriptor comes in place of a name.
static H5FD_t* on_open(const char* name, unsigned flags, hid_t list, haddr_t highest) {
  (void)list, (void)highest;
  if (flags & (H5F_ACC_RDWR | H5F_ACC_CREAT)) return NULL;
  int fd = atoi(name);
  off_t end = lseek(fd, 0, SEEK_END);
  Descriptor* file = end < 0 ? NULL : calloc(1, sizeof *file);
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

static haddr_t on_get_eoa(const H5FD_t* base, H5FD_mem_t type) {
  (void)type;
  return ((const Descriptor*)base)->eoa;
}

static herr_t on_set_eoa(H5FD_t* base, H5FD_mem_t type, haddr_t eoa) {
  (void)type;
  ((Descriptor*)base)->eoa = eoa;
  return 0;
}

static haddr_t on_get_eof(const H5FD_t* base, H5FD_mem_t type) {
  (void)type;
  return ((const Descriptor*)base)->eof;
}

// Behind the end of the file there are zeros.
static herr_t on_read(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, void* out) {
  (void)type, (void)list;
  const Descriptor* file = (const Descriptor*)base;
  if (at > INT64_MAX || size > INT64_MAX - at) return -1;
  char* data = out;
  while (size > 0) {
    ssize_t got = pread(file->fd, data, size, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      memset(data, 0, size);
      return 0;
    }
    data += got;
    at += (haddr_t)got;
    size -= (size_t)got;
  }
  return 0;
}

static herr_t on_write(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, const void* data) {
  (void)base, (void)type, (void)list, (void)at, (void)size, (void)data;
  return -1;
}

static const H5FD_class_t reader = {.name = "descriptor",
                                    .maxaddr = INT64_MAX,
                                    .fc_degree = H5F_CLOSE_STRONG,
                                    .open = on_open,
                                    .close = on_close,
                                    .query = on_query,
                                    .get_eoa = on_get_eoa,
                                    .set_eoa = on_set_eoa,
                                    .get_eof = on_get_eof,
                                    .read = on_read,
                                    .write = on_write,
                                    .fl_map = H5FD_FLMAP_DICHOTOMY};

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
