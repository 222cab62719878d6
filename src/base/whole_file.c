// Whole files: see whole_file.h.
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/plain_numbers.h"

enum { SIGNATURE_SIZE = 8, TEMPORARY_TRIES = 100, PIPE_CHUNK = 1 << 20 };

static const unsigned char HDF5_SIGNATURE[SIGNATURE_SIZE] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static bool carries_signature(int fd, off_t size) {
  for (off_t at = 0; at + SIGNATURE_SIZE <= size; at = at == 0 ? 512 : 2 * at) {
    unsigned char head[SIGNATURE_SIZE];
    if (pread(fd, head, sizeof head, at) == (ssize_t)sizeof head && memcmp(head, HDF5_SIGNATURE, sizeof head) == 0)
      return true;
  }
  return false;
}

static ChStatus failed(ChContext* context, const char* path, const char* what, int error) {
  return ch_fail(context, ch_file_status(error), "%s: cannot be %s: %s%s", path, what, strerror(error),
                 ch_file_hint(error));
}

// Reads up to `size` bytes; less only at the end of the file; -1 with errno on a failure.
static ssize_t read_fully(int fd, char* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = read(fd, buffer + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

// A pipe's size is not known before its end: the buffer doubles as the data arrive.
static ChStatus read_stream(ChContext* context, const char* path, int fd, size_t limit, ChArena* arena,
                            ChWholeFile* out) {
  for (size_t room = PIPE_CHUNK;; room *= 2) {
    char* larger = CH_TAKE(arena, room + 1, char);
    if (!larger) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory after %zu bytes", path, out->size);
    if (out->size > 0) memcpy(larger, out->text, out->size);
    ssize_t got = read_fully(fd, larger + out->size, room - out->size);
    if (got < 0) return failed(context, path, "read", errno);
    out->text = larger;
    out->size += (size_t)got;
    if (memchr(larger, '\0', out->size))  // not text; and an endless device is seen through at once
      return ch_fail(context, CH_ERR_FORMAT,
                     "%s: holds zero bytes; a pipe is read as text, other formats must be files", path);
    if (out->size > limit)
      return ch_fail(context, CH_ERR_SIZE, "%s: is longer than %zu bytes, the largest size that is read", path, limit);
    if (out->size < room) return CH_OK;
  }
}

static ChStatus read_regular(ChContext* context, const char* path, int fd, size_t size, size_t limit, ChArena* arena,
                             ChWholeFile* out) {
  if (size > limit)
    return ch_fail(context, CH_ERR_SIZE, "%s: holds %zu bytes, at most %zu are read", path, size, limit);
  out->text = CH_TAKE(arena, size + 1, char);
  if (!out->text) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %zu bytes", path, size);
  ssize_t got = read_fully(fd, out->text, size);
  if (got < 0) return failed(context, path, "read", errno);
  out->size = (size_t)got;
  return CH_OK;
}

static ChStatus read_open(ChContext* context, const char* path, int fd, bool always, size_t limit, ChArena* arena,
                          ChWholeFile* out) {
  struct stat info;
  if (fstat(fd, &info) != 0) return failed(context, path, "read", errno);
  if (S_ISDIR(info.st_mode)) return ch_fail(context, CH_ERR_FILE, "%s: is a directory, not a file", path);
  out->regular = S_ISREG(info.st_mode);
  out->hdf5 = out->regular && carries_signature(fd, info.st_size);
  if (out->hdf5 && !always) return CH_OK;
  ChStatus status = out->regular ? read_regular(context, path, fd, (size_t)info.st_size, limit, arena, out)
                                 : read_stream(context, path, fd, limit, arena, out);
  if (status == CH_OK && out->size == 0) return ch_fail(context, CH_ERR_FORMAT, "%s: the file is empty", path);
  return status;
}

ChStatus ch_whole_file_read_at_most(ChContext* context, const char* path, bool always, size_t limit, ChArena* arena,
                                    ChWholeFile* out) {
  *out = (ChWholeFile){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(context, path, "opened", errno);
  ChStatus status = read_open(context, path, fd, always, limit, arena, out);
  close(fd);
  return status;
}

ChStatus ch_whole_file_read(ChContext* context, const char* path, bool always, ChArena* arena, ChWholeFile* out) {
  return ch_whole_file_read_at_most(context, path, always, CH_WHOLE_FILE_MOST, arena, out);
}

ChStatus ch_whole_file_read_up_to(ChContext* context, const char* path, size_t limit, ChArena* arena,
                                  ChWholeFile* out) {
  *out = (ChWholeFile){0};
  bool standard = strcmp(path, "-") == 0;
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(context, path, "opened", errno);
  ChStatus status = read_open(context, standard ? "standard input" : path, fd, true, limit, arena, out);
  if (!standard) close(fd);
  return status;
}

ChStatus ch_file_load(ChContext* context, const char* path, size_t limit, char** bytes, size_t* size) {
  *bytes = NULL, *size = 0;
  ChWholeFile file = {0};
  ChArena* arena = ch_arena_create(NULL);
  ChStatus status = arena ? ch_whole_file_read_up_to(context, path, limit, arena, &file) : CH_ERR_MEMORY;
  if (status == CH_OK) *bytes = malloc(file.size + 1);
  if (*bytes) memcpy(*bytes, file.text, (*size = file.size) + 1);
  if (!arena || (status == CH_OK && !*bytes)) status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_destroy(arena);
  return status;
}

// 0, or errno.
static int write_fully(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t put = write(fd, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    data += put;
    size -= (size_t)put;
  }
  return 0;
}

static ChStatus write_device(ChContext* context, const char* path, const void* data, size_t size) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failed(context, path, "written", errno);
  int error = write_fully(fd, data, size);
  if (close(fd) != 0 && error == 0) error = errno;
  return error == 0 ? CH_OK : failed(context, path, "written", error);
}

// Opens a new file beside `target`; its name goes into `name`.
static int open_beside(const char* target, char* name, size_t room) {
  for (int attempt = 0; attempt < TEMPORARY_TRIES; ++attempt) {
    snprintf(name, room, "%s.%ld.%d.part", target, (long)getpid(), attempt);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static ChStatus write_beside(ChContext* context, const char* path, const char* target, mode_t mode, const void* data,
                             size_t size, bool durable) {
  size_t room = strlen(target) + 64;
  char* name = malloc(room);
  if (!name) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  int fd = open_beside(target, name, room);
  int error = fd < 0 ? errno : write_fully(fd, data, size);
  if (fd >= 0 && error == 0 && mode != 0 && fchmod(fd, mode) != 0) error = errno;
  if (fd >= 0 && error == 0 && durable) error = ch_durable_file(fd);
  if (fd >= 0 && close(fd) != 0 && error == 0) error = errno;
  if (fd >= 0 && error == 0 && rename(name, target) != 0) error = errno;
  if (fd >= 0 && error != 0) unlink(name);
  free(name);
  if (error == 0 && durable) error = ch_durable_name(target);
  return error == 0 ? CH_OK : failed(context, path, "written", error);
}

static ChStatus write_whole(ChContext* context, const char* path, const void* data, size_t size, bool durable) {
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return ch_fail(context, CH_ERR_FILE, "%s: is a directory, not a file", path);
  if (exists && !S_ISREG(info.st_mode)) return write_device(context, path, data, size);
  char* target = exists ? realpath(path, NULL) : NULL;  // through a symbolic link, so that the link stays one
  ChStatus status =
      write_beside(context, path, target ? target : path, exists ? info.st_mode & 07777 : 0, data, size, durable);
  free(target);
  return status;
}

ChStatus ch_whole_file_write(ChContext* context, const char* path, const void* data, size_t size) {
  return write_whole(context, path, data, size, false);
}

ChStatus ch_whole_file_write_durably(ChContext* context, const char* path, const void* data, size_t size) {
  return write_whole(context, path, data, size, true);
}

ChStatus ch_whole_file_print(ChContext* context, const char* path, void (*put)(FILE* file, const void* state),
                             const void* state) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  locale_t before = ch_plain_numbers_begin();
  if (file) put(file, state);
  ch_plain_numbers_end(before);
  bool whole = file && !ferror(file);
  if (file && fclose(file) != 0) whole = false;
  ChStatus status = whole ? ch_whole_file_write(context, path, text, size)
                          : ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  free(text);
  return status;
}

bool ch_same_file(const char* a, const char* b) {
  struct stat x, y;
  bool there = stat(a, &x) == 0, too = stat(b, &y) == 0;
  if (!there || !too) return strcmp(a, b) == 0;
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
