// Numbers in files are C's: a decimal point, whatever locale the caller's program has set.
#ifndef CH_BASE_PLAIN_NUMBERS_H
#define CH_BASE_PLAIN_NUMBERS_H

#include <locale.h>

// Between the two this thread prints and reads 1.5, never 1,5. What is between must not jump out.
locale_t ch_plain_numbers_begin(void);
void ch_plain_numbers_end(locale_t before);

// That locale, for functions that take one; 0 where there is no memory for it.
locale_t ch_plain_numbers_locale(void);

// strtod in the "C" locale.
double ch_number_parse(const char* text, char** end);

#endif
