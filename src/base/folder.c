// A folder for the files of a run.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/disk.h"

ChStatus ch_folder_make(ChContext* context, const char* path) {
  char* copy = strdup(path);
  if (!copy) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  for (char* slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(copy, 0777);  // those that are there already stay; the last call tells
    *slash = '/';
  }
  free(copy);
  struct stat info;
  if (mkdir(path, 0777) == 0) return CH_OK;
  if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return CH_OK;
  return ch_fail(context, ch_file_status(errno), "%s: the folder cannot be made: %s", path, strerror(errno));
}
