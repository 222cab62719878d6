// A dataset that grows by rows: rows gather in memory and go to the file in blocks.
#ifndef CH_RECORD_COLUMN_H
#define CH_RECORD_COLUMN_H

#include <hdf5.h>
#include <stdbool.h>

#include "files/hdf5_file.h"

enum { CH_CHUNK_BYTES = 1 << 16, CH_CHUNK_ROWS = 1024 };
// Rows of this size that lie together in the file, and that are best read together.
long ch_chunk_rows(size_t row_bytes);

typedef struct ChColumn {
  hid_t set, type;     // type of a number, in memory
  int rank;            // with the rows
  hsize_t extents[3];  // extents[0]: rows in the file
  size_t row_bytes;
  char* pending;
  size_t used, room;  // bytes
  bool starved;       // out of memory: rows were lost, and the next write says so
} ChColumn;

// Makes the dataset; `row` says what a row is.
bool ch_column_create(ChColumn* column, hid_t file, const char* name, const ChHdf5Rows* row);
// The place of so many more rows, to be filled; NULL when out of memory.
void* ch_column_rows(ChColumn* column, size_t count);
void* ch_column_row(ChColumn* column);
// Appends the pending rows to the file.
bool ch_column_write(ChColumn* column);
void ch_column_close(ChColumn* column);

#endif
