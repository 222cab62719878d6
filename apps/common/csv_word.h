// Words of a CSV file (RFC 4180).
#ifndef CH_COMMON_CSV_WORD_H
#define CH_COMMON_CSV_WORD_H

#include <stdio.h>

// Prints the text as one field: in quotes, with its own quotes doubled, where a comma, a quote or a line break is in
// it.
void ch_csv_word_put(FILE* file, const char* text);

#endif
