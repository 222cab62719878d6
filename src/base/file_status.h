// Whose fault a failed call on a file is: the caller's, who named a file that is not there or may not be touched, or
// the machine's, whose disk is full or failing or which has no descriptors or memory left.
#ifndef CH_BASE_FILE_STATUS_H
#define CH_BASE_FILE_STATUS_H

#include <errno.h>

#include "cardhouse/status.h"

static inline ChStatus ch_file_status(int error) {
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

// " (the disk is full)" where that is the reason, to stand behind strerror(error).
static inline const char* ch_file_hint(int error) { return error == ENOSPC ? " (the disk is full)" : ""; }

#endif
