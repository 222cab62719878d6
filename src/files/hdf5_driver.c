// See hdf5_driver.h.
#include "files/hdf5_driver.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

haddr_t ch_hdf5_file_eoa(const H5FD_t* base, H5FD_mem_t type) {
  (void)type;
  return ((const ChHdf5File*)base)->eoa;
}

herr_t ch_hdf5_file_set_eoa(H5FD_t* base, H5FD_mem_t type, haddr_t eoa) {
  (void)type;
  ((ChHdf5File*)base)->eoa = eoa;
  return 0;
}

haddr_t ch_hdf5_file_eof(const H5FD_t* base, H5FD_mem_t type) {
  (void)type;
  return ((const ChHdf5File*)base)->eof;
}

herr_t ch_hdf5_file_read(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, void* out) {
  (void)type, (void)list;
  const ChHdf5File* file = (const ChHdf5File*)base;
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
