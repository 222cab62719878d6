// Whole files: read into an arena at once, and written so that the target is replaced only by a complete file. What
// callers of the library have of this is in cardhouse/disk.h.
#ifndef CH_BASE_WHOLE_FILE_H
#define CH_BASE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cardhouse/disk.h"

typedef struct ChWholeFile {
  char* text;  // size bytes and a terminating zero
  size_t size;
  bool regular;  // false for a pipe or device
  bool hdf5;     // starts with HDF5's signature; its text is then not read
} ChWholeFile;

// Directories, missing, unreadable and empty files are failures with a message. A file that carries HDF5's signature
// (at 0, or after a user block of 512, 1024, 2048, ... bytes) is only recognised, not read, unless `always` is set.
// One of more than CH_WHOLE_FILE_MOST bytes is refused before it is read.
#define CH_WHOLE_FILE_MOST ((size_t)4 << 30)
ChStatus ch_whole_file_read(ChContext* context, const char* path, bool always, ChArena* arena, ChWholeFile* out);
// The same with a limit of the reader's own.
ChStatus ch_whole_file_read_at_most(ChContext* context, const char* path, bool always, size_t limit, ChArena* arena,
                                    ChWholeFile* out);

// Text of at most `limit` bytes; a longer file is refused before it is read, a longer pipe as soon as that is seen. "-"
// is standard input.
ChStatus ch_whole_file_read_up_to(ChContext* context, const char* path, size_t limit, ChArena* arena, ChWholeFile* out);

// ch_whole_file_write, and the new file is on the disk before it takes its place: after a loss of power there is the
// old or the new one, whole.
ChStatus ch_whole_file_write_durably(ChContext* context, const char* path, const void* data, size_t size);

#endif
