// Words and bytes as text.
#ifndef CARDHOUSE_TEXT_H
#define CARDHOUSE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the known word that a mistyped word was probably meant to be; NULL if none is near.
CH_API const char* ch_word_nearest(const char* word, int count, const char* const* known);

// --- base64: bytes inside text (RFC 4648, with padding) --------------------------------------------------------------

static inline size_t ch_base64_length(size_t size) { return (size + 2) / 3 * 4; }
// Writes ch_base64_length(size) characters; ferror(file) reports a failure.
CH_API void ch_base64_write(FILE* file, const unsigned char* bytes, size_t size);
// Decodes `length` characters into `bytes`, which has room for 3 / 4 of them; returns the number of bytes, or -1 if the
// text is not base64.
CH_API long ch_base64_decode(const char* text, size_t length, unsigned char* bytes);

#ifdef __cplusplus
}
#endif
#endif
