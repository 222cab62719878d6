// See trajectory_columns.h.
#include "record/trajectory_columns.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t REQUEST_MOST = (size_t)1 << 22;  // bytes that are asked for at once

static bool open_column(ChReadColumns* columns, ChTrajectoryColumn c, const ChWorld* world) {
  ChReadColumn* column = &columns->column[c];
  ChHdf5* file = columns->file;
  const char* name = ch_trajectory_column_name(c);
  long extents[3];
  column->there = ch_trajectory_column_is_there(file, world, c);
  if (!column->there) return file->status == CH_OK;
  column->row = ch_trajectory_row(c, world);
  if (!ch_hdf5_extents(file, name, column->row.number, column->row.rank, extents)) return false;
  for (int k = 1; k < column->row.rank; ++k)
    if (extents[k] != column->row.extents[k]) {
      ch_hdf5_fail(file, CH_ERR_FORMAT, "/%s does not fit the scene: a row has extent %ld, must have %ld", name,
                   extents[k], column->row.extents[k]);
      return false;
    }
  column->length = extents[0];
  return true;
}

bool ch_read_columns_open(ChReadColumns* columns, ChHdf5* file, const ChWorld* world) {
  *columns = (ChReadColumns){.file = file};
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c)
    if (!open_column(columns, (ChTrajectoryColumn)c, world)) return false;
  return true;
}

void ch_read_columns_close(ChReadColumns* columns) {
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) free(columns->column[c].block);
  *columns = (ChReadColumns){0};
}

bool ch_read_rows_into(ChReadColumns* columns, ChTrajectoryColumn c, long first, long count, void* out) {
  const ChReadColumn* column = &columns->column[c];
  size_t bytes = ch_hdf5_row_bytes(&column->row);
  long most = bytes < REQUEST_MOST ? (long)(REQUEST_MOST / bytes) : 1;
  for (long done = 0; done < count; done += most) {
    ChHdf5Rows rows = column->row;
    rows.first = first + done;
    rows.count = count - done < most ? count - done : most;
    if (!ch_hdf5_rows(columns->file, ch_trajectory_column_name(c), &rows, (char*)out + (size_t)done * bytes))
      return false;
  }
  return true;
}

static bool reserve(ChReadColumns* columns, ChReadColumn* column, long rows, size_t row_bytes) {
  if (rows <= column->room) return true;
  free(column->block);
  column->block = malloc((size_t)rows * row_bytes);
  column->room = column->block ? rows : 0;
  column->count = 0;
  if (!column->block) ch_hdf5_fail(columns->file, CH_ERR_MEMORY, "out of memory for %ld rows", rows);
  return column->block != NULL;
}

const void* ch_read_rows(ChReadColumns* columns, ChTrajectoryColumn c, long first, long count) {
  ChReadColumn* column = &columns->column[c];
  size_t bytes = ch_hdf5_row_bytes(&column->row);
  bool held = first >= column->first && count <= column->count && first - column->first <= column->count - count;
  if (!held) {
    long chunk = ch_chunk_rows(bytes), more = chunk > count ? chunk : count;
    if (first < 0 || first > column->length - count) {
      ch_hdf5_fail(columns->file, CH_ERR_FORMAT, "/%s ends before row %ld", ch_trajectory_column_name(c), first);
      return NULL;
    }
    if (more > column->length - first) more = column->length - first;
    if (!reserve(columns, column, more, bytes)) return NULL;
    column->count = 0;
    if (!ch_read_rows_into(columns, c, first, more, column->block)) return NULL;
    column->first = first;
    column->count = more;
  }
  return column->block + (size_t)(first - column->first) * bytes;
}

// --- how many rows there are -----------------------------------------------------------------------------------------

static bool check_order(ChHdf5* file, long rows, const double* times, const int64_t* offsets) {
  for (long k = 0; k < rows; ++k) {
    if (offsets[k] < 0 || offsets[k + 1] < offsets[k] || offsets[k + 1] - offsets[k] > INT_MAX / 8) {
      ch_hdf5_fail(file, CH_ERR_FORMAT, "/contact/offset[%ld] is not in order", k + 1);
      return false;
    }
    if (!(isfinite(times[k]) && (k == 0 || times[k] >= times[k - 1]))) {
      ch_hdf5_fail(file, CH_ERR_FORMAT, "/time[%ld] is not in order", k);
      return false;
    }
  }
  return true;
}

// A run that was killed leaves some columns longer than others.
static long shortest(const ChReadColumns* columns, long* listed) {
  long most = columns->column[CH_COLUMN_OFFSET].length - 1;
  *listed = columns->column[CH_COLUMN_BODIES].length;
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    const ChReadColumn* column = &columns->column[c];
    long* least = c < CH_COLUMN_OFFSET ? &most : listed;
    if (column->there && c != CH_COLUMN_OFFSET && column->length < *least) *least = column->length;
  }
  return most;
}

bool ch_read_columns_until(ChReadColumns* columns, double time, long* rows, long* contacts) {
  ChHdf5* file = columns->file;
  long listed, most = shortest(columns, &listed);
  *rows = *contacts = 0;
  if (most < 0) {
    ch_hdf5_fail(file, CH_ERR_FORMAT, "/contact/offset is empty");
    return false;
  }
  double* times = calloc((size_t)most + 1, sizeof *times);
  int64_t* offsets = calloc((size_t)most + 1, sizeof *offsets);
  if (!times || !offsets) ch_hdf5_fail(file, CH_ERR_MEMORY, "out of memory for %ld rows", most);
  bool done = times && offsets && ch_read_rows_into(columns, CH_COLUMN_TIME, 0, most, times) &&
              ch_read_rows_into(columns, CH_COLUMN_OFFSET, 0, most + 1, offsets);
  while (done && most > 0 && !(times[most - 1] <= time && offsets[most] <= listed)) --most;
  done = done && check_order(file, most, times, offsets);
  if (done && (offsets[most] < 0 || offsets[most] > listed)) {
    ch_hdf5_fail(file, CH_ERR_FORMAT, "/contact/offset[%ld] is not in order", most);
    done = false;
  }
  *rows = done ? most : 0;
  *contacts = done ? (long)offsets[most] : 0;
  free(times);
  free(offsets);
  return done;
}
