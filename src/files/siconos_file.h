// Siconos' text form of a contact problem (.dat).
#ifndef CH_FILES_SICONOS_FILE_H
#define CH_FILES_SICONOS_FILE_H

#include <stddef.h>

#include "cardhouse/problem.h"

// `text` has `size` bytes and a terminating zero; `path` is for messages only.
ChStatus ch_siconos_parse(ChContext* context, const char* path, const char* text, size_t size, ChProblem** out);

#endif
