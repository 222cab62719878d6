// Other programs, by name.
#ifndef CH_COMMON_PROGRAM_PATH_H
#define CH_COMMON_PROGRAM_PATH_H

#include <stdbool.h>
#include <stddef.h>

// The first of the names that lies, ready to run, in a folder of the PATH.
bool ch_program_find(int count, const char* const* names, char* path, size_t size);

#endif
