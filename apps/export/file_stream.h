// Files that are too large to be gathered in memory first.
#ifndef CH_EXPORT_FILE_STREAM_H
#define CH_EXPORT_FILE_STREAM_H

#include <stdio.h>

#include "cardhouse/status.h"

// Writes a file as `put` goes. A failure is said with its reason, and the file is what was written until then.
ChStatus ch_file_stream(ChContext* context, const char* path, void (*put)(FILE* file, const void* state),
                        const void* state);

#endif
