// Checked access to an HDF5 file: see hdf5_file.h.
#include "files/hdf5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "files/hdf5_apart.h"
#include "files/hdf5_descriptor.h"

void ch_hdf5_fail(ChHdf5* h, ChStatus status, const char* format, ...) {
  if (h->status != CH_OK) return;
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  h->status = ch_fail(h->context, status, "%s: %s", h->path, text);
}

char* ch_hdf5_join(char* buffer, const char* a, const char* b) {
  snprintf(buffer, CH_HDF5_NAME_SIZE, "%s/%s", a, b);
  return buffer;
}

void* ch_hdf5_take(ChHdf5* h, long count, size_t size) {
  if (h->status != CH_OK) return NULL;
  void* data = ch_arena_take(h->arena, (size_t)count + 1, size);
  if (!data) ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory");
  return data;
}

static void begin(ChHdf5* h, ChContext* context, const char* path, ChArena* arena) {
  *h = CH_HDF5_CLOSED;
  h->context = context;
  h->path = path;
  h->arena = arena;
}

static void silence(ChHdf5* h) {
  H5Eget_auto2(H5E_DEFAULT, &h->handler, &h->handler_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  h->silenced = true;
}

// -1 with a failure recorded.
static int open_to_read(ChHdf5* h) {
  int fd = open(h->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) ch_hdf5_fail(h, CH_ERR_FILE, "cannot be opened: %s", strerror(errno));
  return fd;
}

static bool read_here;
void ch_hdf5_read_here(bool on) { read_here = on; }

ChStatus ch_hdf5_open(ChHdf5* h, ChContext* context, const char* path, ChArena* arena) {
  if (read_here) return ch_hdf5_open_here(h, context, path, arena);
  begin(h, context, path, arena);
  H5open();  // its set-up, most of the time of a small read, is then done once and not in every child
  int fd = open_to_read(h);
  if (fd < 0) return h->status;
  ch_hdf5_apart_start(h, fd);
  close(fd);
  return h->status;
}

ChStatus ch_hdf5_open_at(ChHdf5* h, ChContext* context, const char* path, ChArena* arena, int fd) {
  begin(h, context, path, arena);
  silence(h);
  h->file = ch_hdf5_open_descriptor(fd, &h->driver);
  h->bytes = (double)lseek(fd, 0, SEEK_END);
  if (h->file < 0) ch_hdf5_fail(h, CH_ERR_FORMAT, "HDF5 cannot open the file: it is truncated or damaged");
  return h->status;
}

ChStatus ch_hdf5_open_here(ChHdf5* h, ChContext* context, const char* path, ChArena* arena) {
  begin(h, context, path, arena);
  int fd = open_to_read(h);
  if (fd < 0) return h->status;
  ch_hdf5_open_at(h, context, path, arena, fd);
  h->descriptor = fd;
  return h->status;
}

ChStatus ch_hdf5_open_image(ChHdf5* h, ChContext* context, const char* path, ChArena* arena, void* image, size_t size) {
  begin(h, context, path, arena);
  silence(h);
  // HDF5 takes files in memory for the same by their names, and refuses an image named like a file on disk.
  char name[CH_HDF5_NAME_SIZE];
  snprintf(name, sizeof name, "image %p in memory of process %ld", (void*)h, (long)getpid());
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  bool ready = H5Pset_fapl_core(access, 1 << 20, false) >= 0;
  if (image) {
    ready = ready && H5Pset_file_image(access, image, size) >= 0;
    h->file = ready ? H5Fopen(name, H5F_ACC_RDWR, access) : H5I_INVALID_HID;
  } else {
    h->file = ready ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5I_INVALID_HID;
  }
  H5Pclose(access);
  h->bytes = (double)size;
  if (h->file < 0 && image) ch_hdf5_fail(h, CH_ERR_FORMAT, "HDF5 cannot open the file: it is truncated or damaged");
  if (h->file < 0) ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory for a new HDF5 file");
  return h->status;
}

void ch_hdf5_close(ChHdf5* h) {
  ch_hdf5_apart_stop(h);
  free(h->held);  // the datasets are closed with the file
  h->held = NULL;
  h->held_count = 0;
  if (h->file >= 0) H5Fclose(h->file);
  if (h->driver >= 0) H5FDunregister(h->driver);
  if (h->descriptor > 0) close(h->descriptor);
  h->file = h->driver = H5I_INVALID_HID;
  h->descriptor = 0;
  if (h->silenced) H5Eset_auto2(H5E_DEFAULT, h->handler, h->handler_data);
  h->silenced = false;
}

// ---------------------------------------------------------------------------------------------------------- writing

void ch_hdf5_put_group(ChHdf5* h, const char* name) {
  if (h->status != CH_OK) return;
  hid_t group = H5Gcreate2(h->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0)
    ch_hdf5_fail(h, CH_ERR_MEMORY, "group /%s cannot be created", name);
  else
    H5Gclose(group);
}

static void put(ChHdf5* h, const char* name, hid_t stored, hid_t memory, hid_t space, const void* values) {
  hid_t set =
      space < 0 ? H5I_INVALID_HID : H5Dcreate2(h->file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (set < 0 || (values && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    ch_hdf5_fail(h, CH_ERR_MEMORY, "dataset /%s cannot be created", name);
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
}

static hid_t vector_space(long count) {
  hsize_t extent = (hsize_t)count;
  return H5Screate_simple(1, &extent, NULL);
}

void ch_hdf5_put_ints(ChHdf5* h, const char* name, long count, const int* values) {
  if (h->status != CH_OK) return;
  put(h, name, H5T_STD_I32LE, H5T_NATIVE_INT, vector_space(count), count > 0 ? values : NULL);
}

void ch_hdf5_put_int(ChHdf5* h, const char* name, int value) { ch_hdf5_put_ints(h, name, 1, &value); }

void ch_hdf5_put_doubles(ChHdf5* h, const char* name, long count, const double* values) {
  if (h->status != CH_OK) return;
  put(h, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, vector_space(count), count > 0 ? values : NULL);
}

void ch_hdf5_put_text(ChHdf5* h, const char* name, const char* text) {
  if (h->status != CH_OK) return;
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  put(h, name, type, type, H5Screate(H5S_SCALAR), text);
  H5Tclose(type);
}

void* ch_hdf5_image(ChHdf5* h, size_t* size) {
  *size = 0;
  if (h->status != CH_OK) return NULL;
  ssize_t bytes = H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(h->file, NULL, 0);
  void* image = bytes > 0 ? ch_arena_take_raw(h->arena, (size_t)bytes, 1) : NULL;
  if (image && H5Fget_file_image(h->file, image, (size_t)bytes) == bytes) {
    *size = (size_t)bytes;
    return image;
  }
  ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory for the file's %zd bytes", bytes);
  return NULL;
}

void ch_hdf5_save(ChHdf5* h) {
  size_t size;
  void* image = ch_hdf5_image(h, &size);
  if (image) h->status = ch_whole_file_write(h->context, h->path, image, size);
}
