// Tells the formats of problem files apart by their content: HDF5 carries a signature, Siconos' form is plain text.
#include "base/whole_file.h"
#include "cardhouse/files.h"
#include "files/fclib_file.h"
#include "files/siconos_file.h"

enum { LOOK = 4096 };  // bytes looked at to tell text from something else

static ChStatus check_text(ChContext* context, const char* path, const ChWholeFile* file) {
  if (!file->regular && file->text[0] == '\x89')
    return ch_fail(context, CH_ERR_FORMAT, "%s: HDF5 cannot be read from a pipe; name a file", path);
  size_t length = file->size < LOOK ? file->size : LOOK;
  for (size_t k = 0; k < length; ++k) {
    unsigned char c = (unsigned char)file->text[k];
    bool plain = (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r');
    if (!plain)
      return ch_fail(context, CH_ERR_FORMAT,
                     "%s: neither HDF5 nor text (byte 0x%02x at offset %zu); expected FCLIB HDF5 or Siconos text", path,
                     (unsigned)c, k);
  }
  return CH_OK;
}

static ChStatus read_with(ChContext* context, const char* path, ChArena* arena, ChProblem** out) {
  ChWholeFile file;
  ChStatus status = ch_whole_file_read(context, path, false, arena, &file);
  if (status != CH_OK) return status;
  if (file.hdf5) return ch_fclib_read(context, path, out);
  status = check_text(context, path, &file);
  return status == CH_OK ? ch_siconos_parse(context, path, file.text, file.size, out) : status;
}

ChStatus ch_problem_read(ChContext* context, const char* path, ChProblem** out) {
  *out = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = read_with(context, path, arena, out);
  ch_arena_destroy(arena);
  return status;
}
