// One writer at a time: locks that end with the process that holds them, however it ends.
#ifndef CH_BASE_FILE_LOCK_H
#define CH_BASE_FILE_LOCK_H

#include <stdbool.h>

#include "cardhouse/status.h"

// Locks an open file for its only writer. False, with errno EWOULDBLOCK, where there is one already; a file system
// without locks is no reason to refuse.
bool ch_file_lock(int fd);

// For what is replaced, not written to: a file FILE.lock beside it, or the folder itself.
typedef struct ChLock ChLock;
// Fails where another process holds it. Where no lock can be made at all, *out is NULL and the status fine.
ChStatus ch_lock_beside(ChContext* context, const char* path, ChLock** out);
ChStatus ch_lock_folder(ChContext* context, const char* path, ChLock** out);
void ch_lock_release(ChLock* lock);

#endif
