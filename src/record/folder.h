// A folder for the files of a run.
#ifndef CH_RECORD_FOLDER_H
#define CH_RECORD_FOLDER_H

#include "cardhouse/status.h"

// Makes it where it is missing, with the folders above it.
ChStatus ch_folder_make(ChContext* context, const char* path);

#endif
