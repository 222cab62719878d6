// Reading from an HDF5 file, checked: see hdf5_file.h. Nothing else in the program calls H5Aread or H5Dread.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/hdf5_apart.h"
#include "files/hdf5_file.h"

// Deflate, the strongest filter in common use, cannot shrink data more than this.
static const double MAX_COMPRESSION = 1100.0;

enum { LONGEST_TEXT = 1 << 30 };

size_t ch_hdf5_row_bytes(const ChHdf5Rows* rows) {
  size_t bytes = rows->number == CH_HDF5_INT32 ? sizeof(int32_t) : sizeof(double);
  for (int k = 1; k < rows->rank; ++k) bytes *= (size_t)rows->extents[k];
  return bytes;
}

static hid_t memory_type(ChHdf5Number number) {
  return number == CH_HDF5_REAL ? H5T_NATIVE_DOUBLE : number == CH_HDF5_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
}

// ------------------------------------------------------------------------------------------------- what may be opened

// True when `name` is a hard link; a link of another kind is a failure.
static bool link_exists(ChHdf5* h, const char* name) {
  if (H5Lexists(h->file, name, H5P_DEFAULT) <= 0) return false;
  H5L_info_t info;
  if (H5Lget_info(h->file, name, &info, H5P_DEFAULT) < 0) return false;
  if (info.type == H5L_TYPE_HARD) return true;
  ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is a soft or external link; only data in the file itself are read", name);
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

typedef struct Storage {
  H5D_layout_t layout;
  int filters;
} Storage;

// Refuses datasets that keep their data outside of the file.
static bool lies_inside(ChHdf5* h, const char* name, hid_t set, Storage* storage) {
  hid_t creation = H5Dget_create_plist(set);
  *storage = (Storage){H5D_LAYOUT_ERROR, -1};
  int external = -1;
  if (creation >= 0) {
    *storage = (Storage){H5Pget_layout(creation), H5Pget_nfilters(creation)};
    external = storage->layout == H5D_CONTIGUOUS ? H5Pget_external_count(creation) : 0;
    H5Pclose(creation);
  }
  H5D_layout_t layout = storage->layout;
  bool plain = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
  if (plain && external == 0 && storage->filters >= 0) return true;
  ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s keeps its data outside the file; only data in the file itself are read", name);
  return false;
}

// Refuses sizes that the file cannot hold.
static bool storage_holds(ChHdf5* h, const char* name, hid_t set, double bytes) {
  Storage storage;
  if (!lies_inside(h, name, set, &storage)) return false;
  double stored = fmin((double)H5Dget_storage_size(set), h->bytes);
  double largest = storage.layout == H5D_CHUNKED && storage.filters > 0 ? stored * MAX_COMPRESSION : stored;
  if (bytes <= largest) return true;
  ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s declares %.0f bytes of data, but the file stores only %.0f", name, bytes, stored);
  return false;
}

// Class and size of a type, whether texts are of variable length, rank, extents and their product.
typedef struct Shape {
  H5T_class_t class;
  size_t size;
  bool variable;
  H5T_cset_t letters;
  H5S_class_t kind;
  int rank;
  hsize_t extents[3];  // where the rank is at most 3
  hssize_t entries;
} Shape;

static Shape shape_of(hid_t type, hid_t space) {
  Shape s = {.class = H5T_NO_CLASS, .kind = H5S_NO_CLASS, .rank = -1, .entries = -1};
  if (type >= 0) {
    s.class = H5Tget_class(type);
    s.size = H5Tget_size(type);
    s.variable = s.class == H5T_STRING && H5Tis_variable_str(type) > 0;
    s.letters = s.class == H5T_STRING ? H5Tget_cset(type) : H5T_CSET_ASCII;
    H5Tclose(type);
  }
  if (space >= 0) {
    s.kind = H5Sget_simple_extent_type(space);
    s.rank = H5Sget_simple_extent_ndims(space);
    s.entries = H5Sget_simple_extent_npoints(space);
    if (s.rank >= 0 && s.rank <= 3 && H5Sget_simple_extent_dims(space, s.extents, NULL) != s.rank) s.rank = -1;
    H5Sclose(space);
  }
  return s;
}

static Shape dataset_shape(hid_t set) { return shape_of(H5Dget_type(set), H5Dget_space(set)); }

static bool is_number(const Shape* s, ChHdf5Number number) {
  return s->class == (number == CH_HDF5_REAL ? H5T_FLOAT : H5T_INTEGER) && s->size >= 1 && s->size <= 8;
}

static const char* words_for(ChHdf5Number number) { return number == CH_HDF5_REAL ? "real numbers" : "integers"; }

// -------------------------------------------------------------------------------------------------------- attributes

bool ch_hdf5_has_attribute(ChHdf5* h, const char* name) {
  if (h->channel >= 0) return ch_hdf5_apart_ask(h, CH_HDF5_ASK_HAS_ATTRIBUTE, name, NULL) != 0;
  return h->status == CH_OK && H5Aexists(h->file, name) > 0;
}

static hid_t open_attribute(ChHdf5* h, const char* name, Shape* shape) {
  if (h->status != CH_OK) return H5I_INVALID_HID;
  hid_t attribute = H5Aexists(h->file, name) > 0 ? H5Aopen(h->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (attribute < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' is missing or cannot be read", name);
  else
    *shape = shape_of(H5Aget_type(attribute), H5Aget_space(attribute));
  return attribute;
}

static void attribute_number(ChHdf5* h, const char* name, ChHdf5Number number, void* out) {
  Shape s;
  hid_t attribute = open_attribute(h, name, &s);
  if (attribute < 0) return;
  if (s.kind != H5S_SCALAR || !is_number(&s, number))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' is not one %s", name,
                 number == CH_HDF5_REAL ? "real number" : "integer");
  else if (H5Aread(attribute, memory_type(number), out) < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' cannot be read: the file is damaged", name);
  H5Aclose(attribute);
}

int ch_hdf5_attribute_int(ChHdf5* h, const char* name) {
  int64_t value = 0;
  if (h->channel >= 0) {
    int64_t* sent = NULL;
    if (ch_hdf5_apart_ask(h, CH_HDF5_ASK_ATTRIBUTE_INT, name, (void**)&sent) == 1 && sent) value = *sent;
  } else {
    attribute_number(h, name, CH_HDF5_INT64, &value);
  }
  if (h->status == CH_OK && (value < INT_MIN || value > INT_MAX))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' is %lld, must fit 32 bits", name, (long long)value);
  return h->status == CH_OK ? (int)value : 0;
}

double ch_hdf5_attribute_real(ChHdf5* h, const char* name) {
  double value = 0.0;
  if (h->channel >= 0) {
    double* sent = NULL;
    if (ch_hdf5_apart_ask(h, CH_HDF5_ASK_ATTRIBUTE_REAL, name, (void**)&sent) == 1 && sent) value = *sent;
  } else {
    attribute_number(h, name, CH_HDF5_REAL, &value);
  }
  if (h->status == CH_OK && !isfinite(value))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' is %g, must be finite", name, value);
  return h->status == CH_OK ? value : 0.0;
}

// What texts are read as: variable ones as pointers that HDF5 allocates, fixed ones as they stand.
static hid_t text_type(const Shape* s) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, s->variable ? H5T_VARIABLE : s->size + 1);
  H5Tset_cset(type, s->letters);
  return type;
}

static char* copy_text(ChHdf5* h, const char* text, size_t length) {
  char* copy = ch_hdf5_take(h, (long)length, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

static const char* read_text(ChHdf5* h, const char* name, hid_t attribute, const Shape* s) {
  hid_t type = text_type(s);
  char* text = s->variable ? NULL : ch_hdf5_take(h, (long)s->size + 1, 1);
  bool done = H5Aread(attribute, type, s->variable ? (void*)&text : text) >= 0 && text;
  char* found = done && s->variable ? copy_text(h, text, strlen(text)) : text;
  if (s->variable) H5free_memory(text);
  H5Tclose(type);
  if (!done) ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' cannot be read: the file is damaged", name);
  return done ? found : NULL;
}

const char* ch_hdf5_attribute_text(ChHdf5* h, const char* name) {
  if (h->channel >= 0) {
    void* text = NULL;
    ch_hdf5_apart_ask(h, CH_HDF5_ASK_ATTRIBUTE_TEXT, name, &text);
    return text;
  }
  Shape s;
  const char* text = NULL;
  hid_t attribute = open_attribute(h, name, &s);
  if (attribute < 0) return NULL;
  bool fits = s.variable || (double)s.size <= fmin(h->bytes, LONGEST_TEXT);
  if (s.class != H5T_STRING || s.kind != H5S_SCALAR || !fits)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "attribute '%s' is not one text", name);
  else
    text = read_text(h, name, attribute, &s);
  H5Aclose(attribute);
  return text;
}

// ------------------------------------------------------------------------------------------------------------- texts

// Puts texts of a stride, or those that pointers lead to, one after the other.
static char* join_texts(ChHdf5* h, const char* name, long count, const char* data, const Shape* s, size_t stride) {
  size_t bytes = 0;
  char* const* pointers = (char* const*)(const void*)data;
  for (long k = 0; k < count; ++k) {
    const char* text = s->variable ? pointers[k] : data + (size_t)k * stride;
    bytes += text ? strlen(text) + 1 : LONGEST_TEXT;
    if (bytes < LONGEST_TEXT) continue;
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s[%ld] is not a text, or all texts together are too long", name, k);
    return NULL;
  }
  char *all = ch_hdf5_take(h, (long)bytes, 1), *at = all;
  for (long k = 0; all && k < count; ++k) {
    const char* text = s->variable ? pointers[k] : data + (size_t)k * stride;
    size_t length = strlen(text) + 1;
    memcpy(at, text, length);
    at += length;
  }
  return all;
}

static const char* read_texts(ChHdf5* h, const char* name, hid_t set, const Shape* s) {
  hid_t type = text_type(s);
  size_t stride = s->variable ? sizeof(char*) : s->size + 1;
  char *data = ch_hdf5_take(h, (long)s->entries, stride), *all = NULL;
  if (data && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s cannot be read: the file is truncated or damaged", name);
  else if (data)
    all = join_texts(h, name, (long)s->entries, data, s, stride);
  for (hssize_t k = 0; data && s->variable && k < s->entries; ++k) H5free_memory(((char**)(void*)data)[k]);
  H5Tclose(type);
  return all;
}

const char* ch_hdf5_texts(ChHdf5* h, const char* name, long* count) {
  *count = 0;
  if (h->channel >= 0) {
    void* texts = NULL;
    *count = ch_hdf5_apart_ask(h, CH_HDF5_ASK_TEXTS, name, &texts);
    return texts;
  }
  hid_t set = open_dataset(h, name);
  if (set < 0) return NULL;
  Shape s = dataset_shape(set);
  const char* texts = NULL;
  if (s.class != H5T_STRING || s.rank != 1 || s.entries < 1 || s.entries > INT_MAX || s.size < 1 ||
      s.size > LONGEST_TEXT)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not a vector of texts", name);
  else if (storage_holds(h, name, set, (double)s.entries * (double)s.size))
    texts = read_texts(h, name, set, &s);
  H5Dclose(set);
  *count = texts ? (long)s.entries : 0;
  return texts;
}

// ----------------------------------------------------------------------------------------------------------- vectors

// The number of entries of an open dataset of a numeric class, or -1 with a failure recorded.
static long check_vector(ChHdf5* h, const char* name, hid_t set, bool want_integer) {
  Shape s = dataset_shape(set);
  bool numeric = s.class == H5T_INTEGER || (s.class == H5T_FLOAT && !want_integer);
  if (!numeric || s.size < 1 || s.size > 16)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not a dataset of %s", name, want_integer ? "integers" : "real numbers");
  else if (s.kind == H5S_NULL || s.rank < 0 || s.rank > 1 || s.entries < 0)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s has %d dimensions, must be a vector", name, s.rank);
  else if (s.entries > INT_MAX)
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s has %lld entries, at most %d are supported", name, (long long)s.entries, INT_MAX);
  else if (s.entries == 0 || storage_holds(h, name, set, (double)s.entries * (double)s.size))
    return (long)s.entries;
  return -1;
}

// Entries converted to `memory` type, which is `size` bytes wide; NULL on a failure.
static void* read_vector(ChHdf5* h, const char* name, hid_t memory, size_t size, bool want_integer, long* count) {
  *count = 0;
  hid_t set = open_dataset(h, name);
  if (set < 0) return NULL;
  long entries = check_vector(h, name, set, want_integer);
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
  long entries = check_vector(h, name, set, false);
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
  long long* wide = read_vector(h, name, H5T_NATIVE_LLONG, sizeof *wide, true, count);
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
  double* data;
  if (h->channel >= 0) {
    void* sent = NULL;
    *count = ch_hdf5_apart_ask(h, CH_HDF5_ASK_REALS, name, &sent);
    data = sent;
  } else {
    data = read_vector(h, name, H5T_NATIVE_DOUBLE, sizeof *data, false, count);
  }
  for (long k = 0; data && k < *count; ++k) {
    if (isfinite(data[k]) || (infinite_allowed && isinf(data[k]))) continue;
    ch_hdf5_fail(h, CH_ERR_RANGE, "/%s[%ld] is %g, must be %s", name, k, data[k],
                 infinite_allowed ? "a number" : "finite");
    data = NULL;
  }
  return data;
}

// ------------------------------------------------------------------------------------------------------------ arrays

static bool check_array(ChHdf5* h, const char* name, const Shape* s, ChHdf5Number number, int rank) {
  if (!is_number(s, number))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not a dataset of %s", name, words_for(number));
  else if (s->rank != rank || s->kind != H5S_SIMPLE)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not an array of %d extents", name, rank);
  else if (s->extents[0] > INT64_MAX / 4 || (rank > 1 && s->extents[1] > INT_MAX) ||
           (rank > 2 && s->extents[2] > INT_MAX))
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s is larger than any array that is supported", name);
  else
    return true;
  return false;
}

bool ch_hdf5_extents(ChHdf5* h, const char* name, ChHdf5Number number, int rank, long extents[3]) {
  memset(extents, 0, 3 * sizeof *extents);
  if (h->channel >= 0) return ch_hdf5_apart_extents(h, name, number, rank, extents);
  hid_t set = open_dataset(h, name);
  if (set < 0) return false;
  Shape s = dataset_shape(set);
  double bytes = (double)s.size;
  bool good = check_array(h, name, &s, number, rank);
  for (int k = 0; good && k < rank; ++k) bytes *= (double)s.extents[k];
  Storage storage;
  good = good && (bytes > 0.0 ? storage_holds(h, name, set, bytes) : lies_inside(h, name, set, &storage));
  for (int k = 0; good && k < rank; ++k) extents[k] = (long)s.extents[k];
  H5Dclose(set);
  return good;
}

// Into a buffer that has room for just these rows.
static bool read_block(hid_t set, const ChHdf5Rows* rows, void* out) {
  hsize_t start[3] = {(hsize_t)rows->first, 0, 0};
  hsize_t size[3] = {(hsize_t)rows->count, (hsize_t)rows->extents[1], (hsize_t)rows->extents[2]};
  hid_t file = H5Dget_space(set), memory = H5Screate_simple(rows->rank, size, NULL);
  bool done = file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
              H5Dread(set, memory_type(rows->number), memory, file, H5P_DEFAULT, out) >= 0;
  if (file >= 0) H5Sclose(file);
  if (memory >= 0) H5Sclose(memory);
  return done;
}

static const ChHdf5Held* find_held(const ChHdf5* h, const char* name) {
  for (int k = 0; k < h->held_count; ++k)
    if (strcmp(h->held[k].name, name) == 0) return &h->held[k];
  return NULL;
}

// Opening and checking takes longer than reading a few rows: a dataset is checked once and kept.
static const ChHdf5Held* hold(ChHdf5* h, const char* name, ChHdf5Number number, int rank) {
  if (h->status == CH_OK && !h->held) h->held = calloc(CH_HDF5_HELD, sizeof *h->held);
  if (h->status == CH_OK && (!h->held || h->held_count == CH_HDF5_HELD))
    ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory for one more dataset, /%s", name);
  hid_t set = open_dataset(h, name);
  if (set < 0) return NULL;
  Shape s = dataset_shape(set);
  Storage storage;
  if (!check_array(h, name, &s, number, rank) || !lies_inside(h, name, set, &storage)) {
    H5Dclose(set);
    return NULL;
  }
  ChHdf5Held* held = &h->held[h->held_count++];
  *held = (ChHdf5Held){.set = set, .number = number, .rank = rank};
  snprintf(held->name, sizeof held->name, "%s", name);
  for (int k = 0; k < rank; ++k) held->extents[k] = (long)s.extents[k];
  return held;
}

bool ch_hdf5_rows(ChHdf5* h, const char* name, const ChHdf5Rows* rows, void* out) {
  if (h->channel >= 0) return ch_hdf5_apart_rows(h, name, rows, out);
  if (h->status != CH_OK) return false;
  const ChHdf5Held* held = find_held(h, name);
  if (!held) held = hold(h, name, rows->number, rows->rank);
  if (!held) return false;
  bool good = held->number == (int)rows->number && held->rank == rows->rank;
  for (int k = 1; good && k < rows->rank; ++k) good = held->extents[k] == rows->extents[k];
  good = good && rows->first >= 0 && rows->count >= 0 && rows->count <= held->extents[0] &&
         rows->first <= held->extents[0] - rows->count;
  if (good && rows->count > 0) good = read_block(held->set, rows, out);
  if (!good) ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s cannot be read: the file is damaged", name);
  return good;
}
