// Texts fit to be shown: see printable.h.
#include "common/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FORM_SIZE = 8 };  // of one character: \u202e and its end

// Of the character that begins here: how many bytes it has, 0 where it is no UTF-8 (overlong, cut, a surrogate, beyond
// U+10FFFF).
static int decode(const unsigned char* at, uint32_t* code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
  if (size == 0) return 0;
  *code = size == 1 ? at[0] : at[0] & (0x7fu >> size);
  for (int k = 1; k < size; ++k) {
    if (at[k] >> 6 != 2) return 0;  // also the text's end
    *code = *code << 6 | (at[k] & 0x3fu);
  }
  bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
  return *code >= least[size] && *code <= 0x10ffff && !surrogate ? size : 0;
}

static bool steers(uint32_t code) {
  static const uint32_t ranges[][2] = {{0x80, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e},
                                       {0x2060, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; ++k)
    if (code >= ranges[k][0] && code <= ranges[k][1]) return true;
  return false;
}

// How the character that begins here is shown; returns how many bytes of the text that stands for.
static int form_of(const char* text, char form[FORM_SIZE]) {
  uint32_t code = 0;
  int size = decode((const unsigned char*)text, &code);
  if (size == 0 || (size == 1 && (code < 0x20 || code == 0x7f)))
    snprintf(form, FORM_SIZE, "\\x%02x", (unsigned)(unsigned char)*text);
  else if (steers(code))
    snprintf(form, FORM_SIZE, "\\u%04x", (unsigned)(code & 0xffff));
  else
    snprintf(form, FORM_SIZE, "%.*s", size, text);
  return size > 0 ? size : 1;
}

const char* ch_printable(const char* text, size_t size, char* out) {
  static const char dots[] = "...";
  char form[FORM_SIZE];
  size_t used = 0, whole = 0;  // `whole`: as far as the dots still fit
  while (*text) {
    text += form_of(text, form);
    size_t length = strlen(form);
    if (used + length >= size) {
      snprintf(out + whole, size - whole, "%s", dots);
      return out;
    }
    memcpy(out + used, form, length);
    used += length;
    if (used + sizeof dots <= size) whole = used;
  }
  if (size > 0) out[used] = '\0';
  return out;
}

void ch_printable_put(FILE* file, const char* text) {
  char form[FORM_SIZE];
  while (*text) {
    text += form_of(text, form);
    fputs(form, file);
  }
}
