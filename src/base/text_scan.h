// A scanner for numbers in text: exact, fast, and able to say at which line and column it stands.
//
// The first failure sticks; after it every call returns zero and moves nothing. No count is believed before the rest of
// the text is seen to be long enough for it: a number takes at least two bytes.
#ifndef CH_BASE_TEXT_SCAN_H
#define CH_BASE_TEXT_SCAN_H

#include <locale.h>
#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/status.h"

typedef struct ChScan {
  ChContext* context;
  const char* path;              // for messages
  const char *begin, *at, *end;  // *end is zero
  ChArena* arena;                // holds the arrays
  locale_t locale;               // "C": the decimal point is a point
  ChStatus status;
} ChScan;

// Records a failure at what follows `where`, as path:line:column, unless there was one before.
void ch_scan_fail(ChScan* scan, ChStatus status, const char* where, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// An upper bound on the numbers that may still follow.
long ch_scan_room(const ChScan* scan);
// False, with a failure, when `count` numbers cannot follow any more.
bool ch_scan_expect(ChScan* scan, double count, const char* what);

long ch_scan_int(ChScan* scan, const char* what, long lowest, long highest);
double ch_scan_real(ChScan* scan, const char* what);
int* ch_scan_ints(ChScan* scan, const char* what, long count, long lowest, long highest);
double* ch_scan_reals(ChScan* scan, const char* what, long count);

void ch_scan_space(ChScan* scan);                     // skips white space
bool ch_scan_accept(ChScan* scan, const char* word);  // skips `word` if it comes next
void ch_scan_word(ChScan* scan, const char* word);    // `word` must come next
void ch_scan_line(ChScan* scan);                      // skips the rest of the line

#endif
