// Numbers with a decimal point: see plain_numbers.h. One locale object serves all threads and lives as long as the
// process; where there is no memory for it the caller's own locale stays.
#include "base/plain_numbers.h"

#include <pthread.h>
#include <stdlib.h>

static locale_t plain;
static void make_plain(void) { plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); }

locale_t ch_plain_numbers_locale(void) {
  static pthread_once_t made = PTHREAD_ONCE_INIT;
  pthread_once(&made, make_plain);
  return plain;
}

locale_t ch_plain_numbers_begin(void) {
  locale_t c = ch_plain_numbers_locale();
  return c ? uselocale(c) : (locale_t)0;
}

void ch_plain_numbers_end(locale_t before) {
  if (before) uselocale(before);
}

double ch_number_parse(const char* text, char** end) {
  locale_t c = ch_plain_numbers_locale();
  return c ? strtod_l(text, end, c) : strtod(text, end);
}
