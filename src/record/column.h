// A dataset that grows by rows: rows gather in memory and go to the file in blocks.
#ifndef CH_RECORD_COLUMN_H
#define CH_RECORD_COLUMN_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct ChColumn {
  hid_t set, type;     // type of a number, in memory
  int rank;            // with the rows
  hsize_t extents[3];  // extents[0]: rows in the file
  size_t row_bytes;
  char* pending;
  size_t used, room;  // bytes
  bool starved;       // out of memory: rows were lost, and the next write says so
} ChColumn;

// `extents[1]`, `extents[2]` say what a row is. Makes the dataset, or opens it and checks that it is so.
bool ch_column_create(ChColumn* column, hid_t file, const char* name, hid_t type, int rank, const hsize_t extents[3]);
bool ch_column_open(ChColumn* column, hid_t file, const char* name, hid_t type, int rank, const hsize_t extents[3]);
// The place of one more row, to be filled; NULL when out of memory.
void* ch_column_row(ChColumn* column);
// Appends the pending rows to the file.
bool ch_column_write(ChColumn* column);
bool ch_column_cut(ChColumn* column, hsize_t rows);
bool ch_column_read(const ChColumn* column, hsize_t first, hsize_t count, void* out);
void ch_column_close(ChColumn* column);

#endif
