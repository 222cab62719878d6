// Growing datasets: see column.h.
#include "record/column.h"

#include <stdlib.h>
#include <string.h>

long ch_chunk_rows(size_t row_bytes) {
  size_t rows = row_bytes > 0 ? CH_CHUNK_BYTES / row_bytes : CH_CHUNK_ROWS;
  return rows < 1 ? 1 : rows > CH_CHUNK_ROWS ? CH_CHUNK_ROWS : (long)rows;
}

static hid_t type_of(ChHdf5Number number) {
  return number == CH_HDF5_REAL ? H5T_IEEE_F64LE : number == CH_HDF5_INT64 ? H5T_STD_I64LE : H5T_STD_I32LE;
}

bool ch_column_create(ChColumn* column, hid_t file, const char* name, const ChHdf5Rows* row) {
  *column = (ChColumn){
      .set = H5I_INVALID_HID, .type = type_of(row->number), .rank = row->rank, .row_bytes = ch_hdf5_row_bytes(row)};
  hsize_t most[3] = {H5S_UNLIMITED}, chunk[3] = {(hsize_t)ch_chunk_rows(column->row_bytes)};
  for (int k = 1; k < row->rank; ++k) column->extents[k] = most[k] = chunk[k] = (hsize_t)row->extents[k];
  hid_t space = H5Screate_simple(row->rank, column->extents, most);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (space >= 0 && list >= 0 && H5Pset_chunk(list, row->rank, chunk) >= 0)
    column->set = H5Dcreate2(file, name, column->type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (list >= 0) H5Pclose(list);
  if (space >= 0) H5Sclose(space);
  return column->set >= 0;
}

void* ch_column_rows(ChColumn* column, size_t count) {
  size_t needed = column->used + count * column->row_bytes;
  if (needed > column->room) {
    char* larger = realloc(column->pending, 2 * needed);
    if (!larger) {
      column->starved = true;
      return NULL;
    }
    column->pending = larger;
    column->room = 2 * needed;
  }
  void* rows = column->pending + column->used;
  column->used = needed;
  return rows;
}

void* ch_column_row(ChColumn* column) { return ch_column_rows(column, 1); }

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

void ch_column_close(ChColumn* column) {
  if (column->set > 0) H5Dclose(column->set);
  free(column->pending);
  *column = (ChColumn){.set = H5I_INVALID_HID};
}
