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

// Reads a file of at most `limit` bytes; "-" is standard input. *bytes gets `size` bytes and a zero after them; the
// caller frees it. Directories, missing, unreadable, empty and larger files are failures with a message; then *bytes is
// NULL. A pipe is read as text: zero bytes in it are a failure.
CH_API ChStatus ch_file_load(ChContext* context, const char* path, size_t limit, char** bytes, size_t* size);

// Writes a temporary file beside `path` and renames it, so that only a complete file replaces the target. A device or
// pipe is written to directly.
CH_API ChStatus ch_whole_file_write(ChContext* context, const char* path, const void* data, size_t size);
// Writes the output of `put` in the same way, once all of it is in memory. Numbers have a decimal point in any locale.
CH_API ChStatus ch_whole_file_print(ChContext* context, const char* path, void (*put)(FILE* file, const void* state),
                                    const void* state);

// Returns true if two paths, however they are written, lead to the same file; always false for devices and pipes.
CH_API bool ch_same_file(const char* a, const char* b);

// Makes a missing folder, with the folders above it.
CH_API ChStatus ch_folder_make(ChContext* context, const char* path);

// Returns the status for a failed call that left `error` in errno. CH_ERR_FILE: the caller named a file that does not
// exist or is not accessible. CH_ERR_DEVICE or CH_ERR_MEMORY: the machine's disk is full or failing, or it has no
// descriptors or memory left.
CH_API ChStatus ch_file_status(int error);
// Returns " (the disk is full)" if that is the reason; a message puts it after strerror(error). Otherwise returns "".
CH_API const char* ch_file_hint(int error);

// --- one writer at a time --------------------------------------------------------------------------------------------

// A lock ends with the process that holds it, however that process ends.
typedef struct ChLock ChLock;
// ch_lock_beside locks a file by a second file, FILE.lock, since the file itself is replaced and not written to.
// ch_lock_folder locks a folder. They fail with CH_ERR_FILE if another process holds the lock. If no lock can be made
// at all, *out is NULL and the status is CH_OK.
CH_API ChStatus ch_lock_beside(ChContext* context, const char* path, ChLock** out);
CH_API ChStatus ch_lock_folder(ChContext* context, const char* path, ChLock** out);
// Releases the lock; NULL is legal.
CH_API void ch_lock_release(ChLock* lock);

#ifdef __cplusplus
}
#endif
#endif
