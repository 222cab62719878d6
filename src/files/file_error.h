// A failure met while handling a file names the file first.
#ifndef CH_FILES_FILE_ERROR_H
#define CH_FILES_FILE_ERROR_H

#include <stdio.h>

#include "cardhouse/status.h"

// Puts "path: " before the message of a failure that knows nothing of files.
static inline ChStatus ch_file_error(ChContext* context, const char* path, ChStatus status) {
  if (status == CH_OK || !context) return status;
  char text[CH_MESSAGE_SIZE];
  snprintf(text, sizeof text, "%s", context->message);
  return ch_fail(context, status, "%s: %s", path, text);
}

#endif
