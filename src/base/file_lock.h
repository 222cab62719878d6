// One writer at a time: the lock of an open file, beside those of cardhouse/disk.h.
#ifndef CH_BASE_FILE_LOCK_H
#define CH_BASE_FILE_LOCK_H

#include <stdbool.h>

#include "cardhouse/disk.h"

// Locks an open file for its only writer. False, with errno EWOULDBLOCK, where there is one already; a file system
// without locks is no reason to refuse.
bool ch_file_lock(int fd);

#endif
