// Base64 (RFC 4648, with padding): bytes inside of text.
#ifndef CH_BASE_BASE64_H
#define CH_BASE_BASE64_H

#include <stddef.h>
#include <stdio.h>

static inline size_t ch_base64_length(size_t size) { return (size + 2) / 3 * 4; }
// Writes ch_base64_length(size) characters.
void ch_base64_write(FILE* file, const unsigned char* bytes, size_t size);
// Bytes of `length` characters into `bytes`, which has room for 3 / 4 of them; returns how many, or -1 where the text
// is no base64.
long ch_base64_decode(const char* text, size_t length, unsigned char* bytes);

#endif
