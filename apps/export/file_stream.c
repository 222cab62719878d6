// Long files: see file_stream.h.
#include "export/file_stream.h"

#include <errno.h>
#include <string.h>

#include "cardhouse/disk.h"

ChStatus ch_file_stream(ChContext* context, const char* path, void (*put)(FILE* file, const void* state),
                        const void* state) {
  FILE* file = fopen(path, "wb");
  if (!file) return ch_fail(context, ch_file_status(errno), "%s: cannot be written: %s", path, strerror(errno));
  errno = 0;
  put(file, state);
  bool whole = fflush(file) == 0 && !ferror(file);
  int error = errno ? errno : EIO;
  if (fclose(file) == 0 && whole) return CH_OK;
  return ch_fail(context, ch_file_status(error), "%s: cannot be written: %s%s", path, strerror(error),
                 ch_file_hint(error));
}
