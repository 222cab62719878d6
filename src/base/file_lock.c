// See file_lock.h.
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct ChLock {
  int fd;
  char* path;  // of a file that is removed with the lock; NULL: none
};

bool ch_file_lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_SETLK, &whole) == 0) return true;
  if (errno == EACCES || errno == EAGAIN) errno = EWOULDBLOCK;
  return errno != EWOULDBLOCK;
}

static ChStatus in_use(ChContext* context, const char* path) {
  return ch_fail(context, CH_ERR_FILE, "%s: another run is writing it", path);
}

static ChStatus keep(ChContext* context, const char* path, int fd, char* file, ChLock** out) {
  *out = malloc(sizeof **out);
  if (*out) {
    **out = (ChLock){fd, file};
    return CH_OK;
  }
  close(fd);
  free(file);
  return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
}

// Whether the name still leads to the open file: who held the lock before may have removed it.
static bool is_there(int fd, const char* path) {
  struct stat mine, there;
  return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

ChStatus ch_lock_beside(ChContext* context, const char* path, ChLock** out) {
  *out = NULL;
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return CH_OK;  // a device or a pipe is nobody's own
  size_t room = strlen(path) + sizeof ".lock";
  char* name = malloc(room);
  if (!name) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  snprintf(name, room, "%s.lock", path);
  for (;;) {
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    bool locked = fd >= 0 && ch_file_lock(fd);
    if (locked && is_there(fd, name)) return keep(context, path, fd, name, out);
    if (fd >= 0) close(fd);
    if (locked) continue;  // removed meanwhile: once more
    free(name);
    return fd < 0 ? CH_OK : in_use(context, path);
  }
}

ChStatus ch_lock_folder(ChContext* context, const char* path, ChLock** out) {
  *out = NULL;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return CH_OK;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return keep(context, path, fd, NULL, out);
  bool held = errno == EWOULDBLOCK;
  close(fd);
  return held ? in_use(context, path) : CH_OK;
}

void ch_lock_release(ChLock* lock) {
  if (!lock) return;
  if (lock->path) unlink(lock->path);
  close(lock->fd);
  free(lock->path);
  free(lock);
}
