// The columns of a trajectory file as they are read back, each with a block of rows in memory: rows are asked for one
// by one, and brought from the file, or the process that reads it, many at a time.
#ifndef CH_RECORD_TRAJECTORY_COLUMNS_H
#define CH_RECORD_TRAJECTORY_COLUMNS_H

#include "record/trajectory_file.h"

typedef struct ChReadColumn {
  bool there;
  ChHdf5Rows row;
  long length;  // rows in the file
  char* block;  // rows in memory, and how many there is room for
  long first, count, room;
} ChReadColumn;

typedef struct ChReadColumns {
  ChHdf5* file;
  ChReadColumn column[CH_TRAJECTORY_COLUMNS];
} ChReadColumns;

// Every column is where it should be, in this file, with the extents that the world asks for. On a failure, here and
// below, the status of the file is set.
bool ch_read_columns_open(ChReadColumns* columns, ChHdf5* file, const ChWorld* world);
void ch_read_columns_close(ChReadColumns* columns);

// Rows that stay valid until others of the column are asked for; NULL on a failure.
const void* ch_read_rows(ChReadColumns* columns, ChTrajectoryColumn c, long first, long count);
// Any number of rows into memory of the caller's.
bool ch_read_rows_into(ChReadColumns* columns, ChTrajectoryColumn c, long first, long count, void* out);

// How many rows every column has that are not later than `time`, how many contacts these tell of, and that times and
// offsets of them are in order.
bool ch_read_columns_until(ChReadColumns* columns, double time, long* rows, long* contacts);

#endif
