// See csv_word.h.
#include "common/csv_word.h"

#include <string.h>

void ch_csv_word_put(FILE* file, const char* text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (const char* c = text; *c; ++c) {
    if (*c == '"') fputc('"', file);
    fputc(*c, file);
  }
  fputc('"', file);
}
