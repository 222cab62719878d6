// Checked access to an HDF5 file: see hdf5_file.h.
#include "problem/hdf5_file.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "problem/hdf5_apart.h"

// Deflate, the strongest filter in common use, cannot shrink data more than this.
static const double MAX_COMPRESSION = 1100.0;

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
  *h = (ChHdf5){
      .context = context, .path = path, .arena = arena, .file = H5I_INVALID_HID, .status = CH_OK, .channel = -1};
}

static void silence(ChHdf5* h) {
  H5Eget_auto2(H5E_DEFAULT, &h->handler, &h->handler_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  h->silenced = true;
}

ChStatus ch_hdf5_open(ChHdf5* h, ChContext* context, const char* path, ChArena* arena) {
  begin(h, context, path, arena);
  H5open();  // its set-up, most of the time of a small read, is then done once and not in every child
  if (ch_hdf5_apart_start(h)) return h->status;
  return ch_hdf5_open_here(h, context, path, arena);
}

ChStatus ch_hdf5_open_here(ChHdf5* h, ChContext* context, const char* path, ChArena* arena) {
  begin(h, context, path, arena);
  silence(h);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // A reader needs no lock, and file systems mounted read-only often refuse one.
  H5Pset_file_locking(access, false, true);
  h->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  hsize_t bytes = 0;
  if (h->file < 0 || H5Fget_filesize(h->file, &bytes) < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "HDF5 cannot open the file: it is truncated or damaged");
  h->bytes = (double)bytes;
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
  if (h->file >= 0) H5Fclose(h->file);
  h->file = H5I_INVALID_HID;
  if (h->silenced) H5Eset_auto2(H5E_DEFAULT, h->handler, h->handler_data);
  h->silenced = false;
}

// ---------------------------------------------------------------------------------------------------------- reading

// True when `name` up to `end` is a hard link; a link of another kind is a failure.
static bool link_exists(ChHdf5* h, const char* name) {
  if (H5Lexists(h->file, name, H5P_DEFAULT) <= 0) return false;
  H5L_info_t info;
  if (H5Lget_info(h->file, name, &info, H5P_DEFAULT) < 0) return false;
  if (info.type == H5L_TYPE_HARD) return true;
  ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is a soft or external link; only what lies in the file itself is read", name);
  return false;
}

bool ch_hdf5_has(ChHdf5* h, const char* name) {
  if (h->channel >= 0) return ch_hdf5_apart_ask(h, CH_HDF5_ASK_HAS, name, NULL) != 0;
  char part[CH_HDF5_NAME_SIZE];
  for (const char* end = strchr(name, '/'); h->status == CH_OK; end = strchr(end + 1, '/')) {
    int length = end ? (int)(end - name) : (int)strlen(name);
    snprintf(part, sizeof part, "%.*s", length, name);
    if (!link_exists(h, part)) return false;
    if (!end) return true;
  }
  return false;
}

bool ch_hdf5_storage_holds(ChHdf5* h, const char* name, hid_t set, double bytes) {
  hid_t creation = H5Dget_create_plist(set);
  H5D_layout_t layout = creation >= 0 ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
  int filters = creation >= 0 ? H5Pget_nfilters(creation) : -1;
  int external = layout == H5D_CONTIGUOUS ? H5Pget_external_count(creation) : 0;
  if (creation >= 0) H5Pclose(creation);
  if (external != 0 || layout == H5D_VIRTUAL || layout == H5D_LAYOUT_ERROR || filters < 0) {
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s keeps its data outside of the file; only what lies in the file is read", name);
    return false;
  }
  double stored = fmin((double)H5Dget_storage_size(set), h->bytes);
  double largest = layout == H5D_CHUNKED && filters > 0 ? stored * MAX_COMPRESSION : stored;
  if (!(bytes <= largest)) {
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s declares %.0f bytes of data, but the file stores only %.0f", name, bytes,
                 stored);
    return false;
  }
  return true;
}

// The number of entries of an open dataset of a numeric class, or -1 with a failure recorded.
static long check_dataset(ChHdf5* h, const char* name, hid_t set, bool want_integer) {
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  size_t size = type >= 0 ? H5Tget_size(type) : 0;
  hssize_t entries = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  bool numeric = class == H5T_INTEGER || (class == H5T_FLOAT && !want_integer);
  if (!numeric || size < 1 || size > 16)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not a dataset of %s", name, want_integer ? "integers" : "real numbers");
  else if (rank < 0 || rank > 1 || entries < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s has %d dimensions, must be a vector", name, rank);
  else if (entries > INT_MAX)
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s has %lld entries, at most %d are supported", name, (long long)entries, INT_MAX);
  else if (entries == 0 || ch_hdf5_storage_holds(h, name, set, (double)entries * (double)size))
    return (long)entries;
  return -1;
}

static hid_t open_dataset(ChHdf5* h, const char* name) {
  if (h->status != CH_OK) return H5I_INVALID_HID;
  if (!ch_hdf5_has(h, name)) {
    ch_hdf5_fail(h, CH_ERR_FORMAT, "dataset /%s is missing", name);
    return H5I_INVALID_HID;
  }
  hid_t set = H5Dopen2(h->file, name, H5P_DEFAULT);
  if (set < 0) ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not a readable dataset", name);
  return set;
}

// Entries converted to `memory` type, which is `size` bytes wide; NULL on a failure.
static void* read_dataset(ChHdf5* h, const char* name, hid_t memory, size_t size, bool want_integer, long* count) {
  *count = 0;
  hid_t set = open_dataset(h, name);
  if (set < 0) return NULL;
  long entries = check_dataset(h, name, set, want_integer);
  void* data = NULL;
  if (entries >= 0) {
    data = ch_arena_take(h->arena, (size_t)entries + 1, size);
    if (!data) {
      ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory reading %ld entries of /%s", entries, name);
    } else if (entries > 0 && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
      ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s cannot be read: the file is truncated or damaged", name);
      data = NULL;
    } else {
      *count = entries;
    }
  }
  H5Dclose(set);
  return data;
}

long ch_hdf5_length(ChHdf5* h, const char* name) {
  if (h->channel >= 0) return ch_hdf5_apart_ask(h, CH_HDF5_ASK_LENGTH, name, NULL);
  hid_t set = open_dataset(h, name);
  if (set < 0) return 0;
  long entries = check_dataset(h, name, set, false);
  H5Dclose(set);
  return entries < 0 ? 0 : entries;
}

int* ch_hdf5_ints(ChHdf5* h, const char* name, long* count) {
  if (h->channel >= 0) {
    void* data = NULL;
    *count = ch_hdf5_apart_ask(h, CH_HDF5_ASK_INTS, name, &data);
    return data;
  }
  // Wide first: HDF5 would clip a wider integer to the nearest int without a word.
  long long* wide = read_dataset(h, name, H5T_NATIVE_LLONG, sizeof *wide, true, count);
  if (!wide) return NULL;
  int* narrow = CH_TAKE(h->arena, *count + 1, int);
  if (!narrow) {
    ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory reading %ld entries of /%s", *count, name);
    return NULL;
  }
  for (long k = 0; k < *count; ++k) {
    if (wide[k] < INT_MIN || wide[k] > INT_MAX) {
      ch_hdf5_fail(h, CH_ERR_RANGE, "/%s[%ld] is %lld, must fit 32 bits", name, k, wide[k]);
      return NULL;
    }
    narrow[k] = (int)wide[k];
  }
  return narrow;
}

int ch_hdf5_int(ChHdf5* h, const char* name) {
  long count = 0;
  const int* value = ch_hdf5_ints(h, name, &count);
  if (value && count != 1) ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s has %ld entries, must have one", name, count);
  return value && count == 1 ? value[0] : 0;
}

double* ch_hdf5_doubles(ChHdf5* h, const char* name, bool infinite_allowed, long* count) {
  if (h->channel >= 0) {
    void* data = NULL;
    *count = ch_hdf5_apart_ask(h, infinite_allowed ? CH_HDF5_ASK_REALS_OR_INF : CH_HDF5_ASK_REALS, name, &data);
    return data;
  }
  double* data = read_dataset(h, name, H5T_NATIVE_DOUBLE, sizeof *data, false, count);
  for (long k = 0; data && k < *count; ++k) {
    if (isfinite(data[k]) || (infinite_allowed && isinf(data[k]))) continue;
    ch_hdf5_fail(h, CH_ERR_RANGE, "/%s[%ld] is %g, must be %s", name, k, data[k],
                 infinite_allowed ? "a number" : "finite");
    data = NULL;
  }
  return data;
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

void ch_hdf5_save(ChHdf5* h) {
  if (h->status != CH_OK) return;
  ssize_t size = H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(h->file, NULL, 0);
  void* image = size > 0 ? ch_arena_take(h->arena, (size_t)size, 1) : NULL;
  if (!image || H5Fget_file_image(h->file, image, (size_t)size) != size)
    ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory for the file's %zd bytes", size);
  else
    h->status = ch_whole_file_write(h->context, h->path, image, (size_t)size);
}
