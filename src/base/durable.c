// See durable.h.
#include "base/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ch_durable_file(int fd) {
  int result;
  do result = fsync(fd);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

int ch_durable_name(const char* path) {
  char* folder = strdup(path);
  if (!folder) return ENOMEM;
  char* slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // a folder that may be written and not read
  int error = ch_durable_file(fd);
  close(fd);
  return error;
}
