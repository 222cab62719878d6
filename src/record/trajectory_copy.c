// See trajectory_copy.h.
#include "record/trajectory_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/file_lock.h"
#include "base/whole_file.h"
#include "record/trajectory_columns.h"

static const size_t BLOCK = (size_t)1 << 20;  // bytes that are copied at once

typedef struct Copy {
  ChContext* context;
  const char* path;
  const ChWorld* world;
  ChHdf5 from;
  ChReadColumns old;
  long rows, contacts;
  ChTrajectoryMade made;
  ChSteady* to;
  ChColumn* columns;
} Copy;

// What is there, checked from top to bottom; the status of `from` tells.
static void look(Copy* copy, double time) {
  ch_trajectory_check_format(&copy->from);
  ch_trajectory_check_world(&copy->from, copy->world);
  ch_trajectory_get_made(&copy->from, &copy->made);
  if (copy->from.status != CH_OK || !ch_read_columns_open(&copy->old, &copy->from, copy->world)) return;
  ch_read_columns_until(&copy->old, time, &copy->rows, &copy->contacts);
}

static bool copy_column(Copy* copy, ChTrajectoryColumn c) {
  ChColumn* column = &copy->columns[c];
  long length = ch_trajectory_length(c, copy->rows, copy->contacts);
  long most = column->row_bytes < BLOCK ? (long)(BLOCK / column->row_bytes) : 1;
  for (long done = 0; done < length; done += most) {
    long count = length - done < most ? length - done : most;
    void* rows = ch_column_rows(column, (size_t)count);
    if (!rows || !ch_read_rows_into(&copy->old, c, done, count, rows) || !ch_column_write(column)) return false;
  }
  return true;
}

static bool write_copy(Copy* copy, const char* name) {
  bool there[CH_TRAJECTORY_COLUMNS];
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) there[c] = copy->old.column[c].there;
  bool done = ch_steady_create(copy->to, name) && ch_trajectory_put_head(copy->to->file, copy->world, &copy->made) &&
              ch_trajectory_columns_create(copy->to->file, copy->world, there, copy->columns);
  for (int c = 0; done && c < CH_TRAJECTORY_COLUMNS; ++c)
    if (there[c]) done = copy_column(copy, (ChTrajectoryColumn)c);
  return done && H5Fflush(copy->to->file, H5F_SCOPE_LOCAL) >= 0 && ch_steady_sync(copy->to);
}

static ChStatus cannot_write(const Copy* copy, int error) {
  if (copy->from.status != CH_OK) return copy->from.status;
  return ch_fail(copy->context, CH_ERR_FILE, "%s: cannot be written: %s%s", copy->path,
                 error ? strerror(error) : "HDF5 gives no reason", error == ENOSPC ? " (the disk is full)" : "");
}

// The copy keeps the permissions of the file whose place it takes.
static ChStatus replace(Copy* copy, const char* target, mode_t mode) {
  size_t room = strlen(target) + 32;
  char* name = malloc(room);
  if (!name) return ch_fail(copy->context, CH_ERR_MEMORY, "%s: out of memory", copy->path);
  snprintf(name, room, "%s.%ld.part", target, (long)getpid());
  errno = 0;
  bool done = write_copy(copy, name);
  int error = copy->to->file >= 0 && ch_steady_error(copy->to) ? ch_steady_error(copy->to) : errno;
  if (done && (chmod(name, mode) != 0 || rename(name, target) != 0)) done = false, error = errno;
  ChStatus status = done ? CH_OK : cannot_write(copy, error);
  if (done && (error = ch_durable_name(target)) != 0) status = cannot_write(copy, error);
  if (!done) unlink(name);
  free(name);
  return status;
}

static ChStatus copy_with(Copy* copy, ChArena* arena, double time, mode_t mode) {
  ch_hdf5_open(&copy->from, copy->context, copy->path, arena);
  if (copy->from.status == CH_OK) look(copy, time);
  char* target = realpath(copy->path, NULL);  // through a symbolic link, so that the link stays one
  ChStatus status = copy->from.status;
  if (status == CH_OK) status = replace(copy, target ? target : copy->path, mode);
  free(target);
  ch_read_columns_close(&copy->old);
  ch_hdf5_close(&copy->from);
  return status;
}

// Held while the file is copied: from then on the new file has a lock of its own.
static ChStatus lock_old(ChContext* context, const char* path, int* fd, mode_t* mode) {
  struct stat info, there;
  *fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (*fd < 0 || fstat(*fd, &info) != 0)
    return ch_fail(context, CH_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return ch_fail(context, CH_ERR_FILE, "%s: is not a trajectory that can be continued", path);
  bool ours =
      ch_file_lock(*fd) && stat(path, &there) == 0 && there.st_ino == info.st_ino && there.st_dev == info.st_dev;
  if (!ours) return ch_fail(context, CH_ERR_FILE, "%s: another run is writing it", path);
  *mode = info.st_mode & 07777;
  return CH_OK;
}

static ChStatus check_kind(ChContext* context, const char* path, ChArena* arena) {
  ChWholeFile whole;
  ChStatus status = ch_whole_file_read(context, path, false, arena, &whole);
  if (status == CH_OK && !whole.hdf5)
    return ch_fail(context, CH_ERR_FORMAT, "%s: not a trajectory that `cardhouse run --out` wrote", path);
  return status;
}

ChStatus ch_trajectory_copy(ChContext* context, const char* path, const ChWorld* world, double time, ChSteady* file,
                            ChColumn* columns, long* contacts) {
  Copy copy = {
      .context = context, .path = path, .world = world, .from = CH_HDF5_CLOSED, .to = file, .columns = columns};
  int fd = -1;
  mode_t mode = 0;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = lock_old(context, path, &fd, &mode);
  if (status == CH_OK) status = check_kind(context, path, arena);
  if (status == CH_OK) status = copy_with(&copy, arena, time, mode);
  if (fd >= 0) close(fd);
  ch_arena_destroy(arena);
  *contacts = copy.contacts;
  return status;
}
