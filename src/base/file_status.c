// What a failed call on a file means: see cardhouse/disk.h.
#include <errno.h>

#include "cardhouse/disk.h"

ChStatus ch_file_status(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case EMFILE:
    case ENFILE:
      return CH_ERR_DEVICE;
    case ENOMEM:
      return CH_ERR_MEMORY;
    default:
      return CH_ERR_FILE;
  }
}

const char* ch_file_hint(int error) { return error == ENOSPC ? " (the disk is full)" : ""; }
