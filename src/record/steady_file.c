// A driver of HDF5's virtual file layer: see steady_file.h.
#include "record/steady_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/file_lock.h"
#include "files/hdf5_driver.h"

// Superblock of version 2 and 3: signature (8), version, two sizes, flags, four addresses of 8 bytes, checksum.
enum { SUPER_SIZE = 48, AT_VERSION = 8, AT_FLAGS = 11, AT_END = 28, AT_SUM = 44 };
#define SMALLEST_STRETCH ((haddr_t)1 << 18)

typedef struct SteadyFile {
  ChHdf5File on_disk;  // eof: to which it is stretched; the superblock on disk tells this or less
  dev_t device;
  ino_t inode;
  bool has_super;
  unsigned char super[SUPER_SIZE];  // as HDF5 wrote it last
  int error;
} SteadyFile;

// --- the superblock ------------------------------------------------------------------------------------------------

static uint32_t turn(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

static uint32_t word(const unsigned char* p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// Jenkins' lookup3, HDF5's checksum of metadata, of a text whose last words are filled up with zeros.
static uint32_t checksum(const unsigned char* text, size_t size) {
  static const int stir[6] = {4, 6, 8, 16, 19, 4}, end[7] = {14, 11, 25, 16, 4, 14, 24};
  unsigned char block[12];
  uint32_t x[3] = {0xdeadbeef + (uint32_t)size, 0xdeadbeef + (uint32_t)size, 0xdeadbeef + (uint32_t)size};
  for (;; text += 12, size -= 12) {
    memset(block, 0, sizeof block);
    memcpy(block, text, size < 12 ? size : 12);
    for (int i = 0; i < 3; ++i) x[i] += word(block + 4 * i);
    if (size <= 12) break;
    for (int i = 0; i < 6; ++i) {
      uint32_t *a = &x[i % 3], *b = &x[(i + 1) % 3], *c = &x[(i + 2) % 3];
      *a -= *c, *a ^= turn(*c, stir[i]), *c += *b;
    }
  }
  for (int i = 0; i < 7; ++i) {
    uint32_t *c = &x[(i + 2) % 3], *b = &x[(i + 1) % 3];
    *c ^= *b, *c -= turn(*b, end[i]);
  }
  return x[2];
}

static void put_little(unsigned char* at, uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) at[k] = (unsigned char)(value >> (8 * k));
}

static bool is_super(haddr_t at, size_t size, const unsigned char* data) {
  return at == 0 && size == SUPER_SIZE && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0 && data[AT_VERSION] >= 2;
}

// --- writing -------------------------------------------------------------------------------------------------------

static void write_at(SteadyFile* file, haddr_t at, size_t size, const unsigned char* data) {
  while (size > 0 && !file->error) {
    ssize_t put = pwrite(file->on_disk.fd, data, size, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      file->error = put < 0 ? errno : EIO;
    } else {
      data += put;
      at += (haddr_t)put;
      size -= (size_t)put;
    }
  }
}

static void write_super(SteadyFile* file, haddr_t end) {
  if (!file->has_super) return;
  unsigned char super[SUPER_SIZE];
  memcpy(super, file->super, sizeof super);
  super[AT_FLAGS] = 0;
  put_little(super + AT_END, end, 8);
  put_little(super + AT_SUM, checksum(super, AT_SUM), 4);
  write_at(file, 0, sizeof super, super);
}

// Makes room up to `end` and some, before anything is written there.
static void stretch(SteadyFile* file, haddr_t end) {
  if (end <= file->on_disk.eof || file->error) return;
  haddr_t extent = end + end / 16 + SMALLEST_STRETCH;
  if (ftruncate(file->on_disk.fd, (off_t)extent) != 0) {
    file->error = errno;
    return;
  }
  file->on_disk.eof = extent;
  write_super(file, extent);
}

static herr_t on_write(H5FD_t* base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, const void* data) {
  (void)type, (void)list;
  SteadyFile* file = (SteadyFile*)base;
  stretch(file, at + size > file->on_disk.eoa ? at + size : file->on_disk.eoa);
  if (is_super(at, size, data)) {
    memcpy(file->super, data, sizeof file->super);
    file->has_super = true;
    write_super(file, file->on_disk.eof);
  } else {
    write_at(file, at, size, data);
  }
  return 0;  // after a failure HDF5 may go on and close in peace; nothing reaches the file
}

// --- life ----------------------------------------------------------------------------------------------------------

// The file is emptied only once it is known that nobody else writes it.
static int create_locked(const char* path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT, 0666);
  if (fd < 0) return -1;
  if (ch_file_lock(fd) && ftruncate(fd, 0) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static H5FD_t* on_open(const char* path, unsigned flags, hid_t list, haddr_t highest) {
  (void)flags, (void)list, (void)highest;
  SteadyFile* file = calloc(1, sizeof *file);
  if (!file) return NULL;
  struct stat info;
  file->on_disk.fd = create_locked(path);
  if (file->on_disk.fd < 0 || fstat(file->on_disk.fd, &info) != 0) {
    int error = errno;
    if (file->on_disk.fd >= 0) close(file->on_disk.fd);
    free(file);
    errno = error;
    return NULL;
  }
  file->device = info.st_dev;
  file->inode = info.st_ino;
  return &file->on_disk.base;
}

// What was stretched too far is given back: first the superblock tells of the shorter file.
static herr_t on_close(H5FD_t* base) {
  SteadyFile* file = (SteadyFile*)base;
  if (!file->error && file->has_super && file->on_disk.eoa < file->on_disk.eof) {
    write_super(file, file->on_disk.eoa);
    if (!file->error && ftruncate(file->on_disk.fd, (off_t)file->on_disk.eoa) != 0) file->error = errno;
  }
  close(file->on_disk.fd);
  free(file);
  return 0;
}

static int on_compare(const H5FD_t* a, const H5FD_t* b) {
  const SteadyFile *x = (const SteadyFile*)a, *y = (const SteadyFile*)b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static herr_t on_query(const H5FD_t* base, unsigned long* flags) {
  (void)base;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

static herr_t on_get_handle(H5FD_t* base, hid_t list, void** handle) {
  (void)list;
  *handle = base;
  return 0;
}

static const H5FD_class_t driver = {CH_HDF5_DRIVER_COMMON,       .name = "steady",  .open = on_open,
                                    .close = on_close,           .cmp = on_compare, .query = on_query,
                                    .get_handle = on_get_handle, .write = on_write};

bool ch_steady_create(ChSteady* steady, const char* path) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  *steady = (ChSteady){H5I_INVALID_HID, H5FDregister(&driver)};
  errno = 0;
  if (steady->driver >= 0 && list >= 0 && H5Pset_driver(list, steady->driver, NULL) >= 0 &&
      H5Pset_metadata_read_attempts(list, 1) >= 0 &&
      H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0)
    steady->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  int error = errno;
  if (list >= 0) H5Pclose(list);
  errno = error;
  return steady->file >= 0;
}

// HDF5 1.10 drops a file's hold on its driver before it calls the driver's close: the last hold must be ours.
void ch_steady_close(ChSteady* steady) {
  if (steady->file >= 0) H5Fclose(steady->file);
  if (steady->driver >= 0) H5FDunregister(steady->driver);
  *steady = CH_STEADY_CLOSED;
}

static SteadyFile* inside(const ChSteady* steady) {
  void* handle = NULL;
  return H5Fget_vfd_handle(steady->file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

int ch_steady_error(const ChSteady* steady) {
  const SteadyFile* file = inside(steady);
  return file ? file->error : 0;
}

bool ch_steady_sync(const ChSteady* steady) {
  SteadyFile* file = inside(steady);
  if (!file) return false;
  if (!file->error) file->error = ch_durable_file(file->on_disk.fd);
  return !file->error;
}
