// See solve_options.h.
#include "solve/solve_options.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(const char* text) { return text ? strlen(text) + 1 : 0; }

static const char* put(const char* text, char** at) {
  if (!text) return NULL;
  size_t size = size_of(text);
  char* copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

bool ch_solve_options_copy(const ChSolveOptions* from, ChSolveOptions* out, void** owned) {
  int count = from->setting_count > 0 && from->settings ? from->setting_count : 0;
  size_t size = (size_t)count * sizeof(ChSetting) + size_of(from->method) + size_of(from->inner) + 1;
  for (int k = 0; k < count; ++k) size += size_of(from->settings[k].name);
  ChSetting* settings = *owned = malloc(size);
  if (!settings) return false;
  char* at = (char*)(settings + count);
  *out = *from;
  out->method = put(from->method, &at);
  out->inner = put(from->inner, &at);
  for (int k = 0; k < count; ++k)
    settings[k] = (ChSetting){.name = put(from->settings[k].name, &at), .value = from->settings[k].value};
  if (count > 0) out->settings = settings;
  return true;
}
