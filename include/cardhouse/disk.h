// Files and folders of a run: read and written whole, and by one writer at a time.
#ifndef CARDHOUSE_DISK_H
#define CARDHOUSE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a file of at most `limit` bytes; "-" is standard input. *bytes gets `size` bytes and a zero behind them; the
// caller frees it. Directories, missing, unreadable, empty and larger files are failures with a message, and *bytes is
// NULL then. A pipe is read as text: zero bytes in it are a failure.
CH_API ChStatus ch_file_load(ChContext* context, const char* path, size_t limit, char** bytes, size_t* size);

// Writes a temporary file beside `path` and renames it: the target is replaced by a complete file only. A device or
// pipe is written to directly.
CH_API ChStatus ch_whole_file_write(ChContext* context, const char* path, const void* data, size_t size);
// The same of what `put` prints, gathered in memory first; numbers have a decimal point in any locale.
CH_API ChStatus ch_whole_file_print(ChContext* context, const char* path, void (*put)(FILE* file, const void* state),
                                    const void* state);

// Whether two paths, however they are written, lead to one file; devices and pipes are nobody's own.
CH_API bool ch_same_file(const char* a, const char* b);

// Makes a folder where it is missing, with the folders above it.
CH_API ChStatus ch_folder_make(ChContext* context, const char* path);

// Whose fault a call that left `error` in errno is: CH_ERR_FILE, the caller's, who named a file that is not there or
// may not be touched; CH_ERR_DEVICE or CH_ERR_MEMORY, the machine's, whose disk is full or failing or which has no
// descriptors or memory left.
CH_API ChStatus ch_file_status(int error);
// " (the disk is full)" where that is the reason, to stand behind strerror(error); else "".
CH_API const char* ch_file_hint(int error);

// --- one writer at a time --------------------------------------------------------------------------------------------

// Ends with the process that holds it, however that ends.
typedef struct ChLock ChLock;
// Locks a file that is replaced, not written to, by a file FILE.lock beside it; or a folder. Fails with CH_ERR_FILE
// where another process holds the lock. Where no lock can be made at all, *out is NULL and the status CH_OK.
CH_API ChStatus ch_lock_beside(ChContext* context, const char* path, ChLock** out);
CH_API ChStatus ch_lock_folder(ChContext* context, const char* path, ChLock** out);
// NULL is fine.
CH_API void ch_lock_release(ChLock* lock);

#ifdef __cplusplus
}
#endif
#endif
