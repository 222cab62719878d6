// Names and texts that came from outside, made fit to be shown. A terminal obeys control characters, and text that
// changes direction can pass itself off as something else: such characters are shown by their number instead.
#ifndef CH_COMMON_PRINTABLE_H
#define CH_COMMON_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

enum { CH_SHOWN_SIZE = 1024 };

// The text with \x1b for a control byte, a byte that is no UTF-8 likewise, and \u202e for a character that steers
// (controls U+0080 to U+009F, marks and overrides of direction, line separators, invisible ones). What does not fit
// into `size` bytes is cut off at a character and ends in "...". Returns `out`.
const char* ch_printable(const char* text, size_t size, char* out);
// The same, for a printf of its own; lives until the end of the block around it.
#define CH_SHOWN(text) ch_printable(text, CH_SHOWN_SIZE, (char[CH_SHOWN_SIZE]){0})

// The same, of any length.
void ch_printable_put(FILE* file, const char* text);

#endif
