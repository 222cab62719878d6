// Base64: see cardhouse/text.h.
#include "cardhouse/text.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ch_base64_write(FILE* file, const unsigned char* bytes, size_t size) {
  for (size_t k = 0; k < size; k += 3) {
    unsigned bits = (unsigned)bytes[k] << 16;
    if (k + 1 < size) bits |= (unsigned)bytes[k + 1] << 8;
    if (k + 2 < size) bits |= bytes[k + 2];
    char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], k + 1 < size ? digits[bits >> 6 & 63] : '=',
                    k + 2 < size ? digits[bits & 63] : '='};
    fwrite(four, 1, 4, file);
  }
}

static int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

long ch_base64_decode(const char* text, size_t length, unsigned char* bytes) {
  if (length % 4 != 0) return -1;
  size_t padding = length > 0 && text[length - 1] == '=' ? 1 + (text[length - 2] == '=') : 0;
  unsigned char* at = bytes;
  for (size_t k = 0; k < length; k += 4) {
    unsigned word = 0;
    for (size_t j = k; j < k + 4; ++j) {
      int value = j < length - padding ? value_of(text[j]) : 0;
      if (value < 0) return -1;
      word = word << 6 | (unsigned)value;
    }
    int count = k + 4 < length ? 3 : 3 - (int)padding;
    for (int j = 0; j < count; ++j) *at++ = (unsigned char)(word >> (16 - 8 * j));
  }
  return at - bytes;
}
