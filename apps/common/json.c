// JSON that is safe to show: see json.h.
#include "common/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Outside texts JSON has none of these characters, so that each may be written as its number wherever it stands.
char* ch_json_harmless(const json_t* value, size_t flags) {
  char *plain = json_dumps(value, flags | JSON_ENSURE_ASCII), *text = NULL;
  size_t size = 0;
  FILE* file = plain ? open_memstream(&text, &size) : NULL;
  for (const char* at = plain; file && *at;) {
    size_t good = strcspn(at, "<>&\x7f");
    fwrite(at, 1, good, file);
    at += good;
    if (*at) fprintf(file, "\\u%04x", (unsigned)(*at++ & 0x7f));
  }
  free(plain);
  bool whole = file && !ferror(file);
  if (file && fclose(file) != 0) whole = false;
  if (whole) return text;
  free(text);
  return NULL;
}

json_t* ch_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t* ch_json_path(const char* path) {
  json_t* text = json_string(path);
  if (text) return text;
  char readable[1024];
  snprintf(readable, sizeof readable, "%s", path);
  for (char* c = readable; *c; ++c)
    if ((unsigned char)*c >= 0x80) *c = '?';
  return json_string(readable);
}
