// Growing datasets: see column.h.
#include "record/column.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, CHUNK_ROWS = 1024 };

static void describe(ChColumn* column, hid_t type, int rank, const hsize_t extents[3]) {
  *column = (ChColumn){.set = H5I_INVALID_HID, .type = type, .rank = rank, .row_bytes = H5Tget_size(type)};
  for (int k = 1; k < rank; ++k) {
    column->extents[k] = extents[k];
    column->row_bytes *= extents[k];
  }
}

bool ch_column_create(ChColumn* column, hid_t file, const char* name, hid_t type, int rank, const hsize_t extents[3]) {
  describe(column, type, rank, extents);
  hsize_t most[3] = {H5S_UNLIMITED, extents[1], extents[2]};
  hsize_t rows = CHUNK_BYTES / column->row_bytes;
  hsize_t chunk[3] = {rows < 1 ? 1 : rows > CHUNK_ROWS ? CHUNK_ROWS : rows, extents[1], extents[2]};
  hid_t space = H5Screate_simple(rank, column->extents, most);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunk) >= 0)
    column->set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (list >= 0) H5Pclose(list);
  if (space >= 0) H5Sclose(space);
  return column->set >= 0;
}

bool ch_column_open(ChColumn* column, hid_t file, const char* name, hid_t type, int rank, const hsize_t extents[3]) {
  describe(column, type, rank, extents);
  column->set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = column->set < 0 ? H5I_INVALID_HID : H5Dget_space(column->set);
  bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
              H5Sget_simple_extent_dims(space, column->extents, NULL) == rank;
  for (int k = 1; k < rank; ++k) fits = fits && column->extents[k] == extents[k];
  if (space >= 0) H5Sclose(space);
  return fits;
}

void* ch_column_row(ChColumn* column) {
  size_t needed = column->used + column->row_bytes;
  if (needed > column->room) {
    char* larger = realloc(column->pending, 2 * needed);
    if (!larger) {
      column->starved = true;
      return NULL;
    }
    column->pending = larger;
    column->room = 2 * needed;
  }
  void* row = column->pending + column->used;
  column->used = needed;
  return row;
}

// Selects `count` rows from `first` in the file and a block of that size in memory.
static bool select_rows(const ChColumn* column, hsize_t first, hsize_t count, hid_t* file, hid_t* memory) {
  hsize_t start[3] = {first, 0, 0}, size[3] = {count, column->extents[1], column->extents[2]};
  *file = H5Dget_space(column->set);
  *memory = H5Screate_simple(column->rank, size, NULL);
  return *file >= 0 && *memory >= 0 && H5Sselect_hyperslab(*file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0;
}

static void close_spaces(hid_t file, hid_t memory) {
  if (file >= 0) H5Sclose(file);
  if (memory >= 0) H5Sclose(memory);
}

bool ch_column_write(ChColumn* column) {
  if (column->starved) return false;
  if (column->used == 0) return true;  // also where it was never opened
  hsize_t count = column->used / column->row_bytes, before = column->extents[0];
  column->extents[0] += count;
  hid_t file = H5I_INVALID_HID, memory = H5I_INVALID_HID;
  bool done = H5Dset_extent(column->set, column->extents) >= 0 && select_rows(column, before, count, &file, &memory) &&
              H5Dwrite(column->set, column->type, memory, file, H5P_DEFAULT, column->pending) >= 0;
  close_spaces(file, memory);
  column->used = 0;
  return done;
}

bool ch_column_cut(ChColumn* column, hsize_t rows) {
  if (column->extents[0] == rows) return true;
  column->extents[0] = rows;
  return H5Dset_extent(column->set, column->extents) >= 0;
}

bool ch_column_read(const ChColumn* column, hsize_t first, hsize_t count, void* out) {
  hid_t file = H5I_INVALID_HID, memory = H5I_INVALID_HID;
  bool done = select_rows(column, first, count, &file, &memory) &&
              H5Dread(column->set, column->type, memory, file, H5P_DEFAULT, out) >= 0;
  close_spaces(file, memory);
  return done;
}

void ch_column_close(ChColumn* column) {
  if (column->set > 0) H5Dclose(column->set);
  free(column->pending);
  *column = (ChColumn){.set = H5I_INVALID_HID};
}
