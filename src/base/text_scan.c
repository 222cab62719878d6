// A scanner for numbers in text: see text_scan.h.
//
// Reals. The first 19 significant digits w and the power e of ten that goes with them give the value w 10^e, up to one
// unit of w where digits were dropped. Products and quotients of w with 10^27 and less, all exact in the 64-bit
// mantissa of a long double, err by half a unit each; when both ends of the interval so found round to the same double,
// that double is the correctly rounded value of the text. Where they do not (about 1 of 60 numbers with 25 digits), and
// for exponents out of reach, strtod decides.
#include "base/text_scan.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_POWER = 27, DIGITS = 19, SHOWN = 24 };

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void ch_scan_fail(ChScan* scan, ChStatus status, const char* where, const char* format, ...) {
  if (scan->status != CH_OK) return;
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  while (where < scan->end && is_space(*where)) ++where;
  long line = 1;
  const char* line_start = scan->begin;
  for (const char* c = scan->begin; c < where; ++c)
    if (*c == '\n') {
      ++line;
      line_start = c + 1;
    }
  scan->at = where;
  scan->status =
      ch_fail(scan->context, status, "%s:%ld:%ld: %s", scan->path, line, (long)(where - line_start) + 1, text);
}

long ch_scan_room(const ChScan* scan) { return (long)(scan->end - scan->at + 1) / 2; }

bool ch_scan_expect(ChScan* scan, double count, const char* what) {
  if (scan->status != CH_OK) return false;
  if (count <= (double)ch_scan_room(scan)) return true;
  ch_scan_fail(scan, CH_ERR_SIZE, scan->at, "%s needs %.0f more numbers, but only %ld bytes follow", what, count,
               (long)(scan->end - scan->at));
  return false;
}

void ch_scan_space(ChScan* scan) {
  while (scan->at < scan->end && is_space(*scan->at)) ++scan->at;
}

void ch_scan_line(ChScan* scan) {
  if (scan->status != CH_OK) return;
  while (scan->at < scan->end && *scan->at != '\n') ++scan->at;
}

bool ch_scan_accept(ChScan* scan, const char* word) {
  if (scan->status != CH_OK) return false;
  ch_scan_space(scan);
  size_t length = strlen(word);
  if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) return false;
  scan->at += length;
  return true;
}

// What stands at `at`, cut short, for a message.
static const char* shown(const ChScan* scan, char buffer[SHOWN + 1]) {
  int length = 0;
  for (const char* c = scan->at; c < scan->end && !is_space(*c) && length < SHOWN; ++c)
    buffer[length++] = *c >= ' ' && *c <= '~' ? *c : '?';
  buffer[length] = '\0';
  return length > 0 ? buffer : "the end of the file";
}

void ch_scan_word(ChScan* scan, const char* word) {
  char found[SHOWN + 1];
  if (scan->status == CH_OK && !ch_scan_accept(scan, word))
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->at, "expected '%s', found '%s'", word, shown(scan, found));
}

// ---------------------------------------------------------------------------------------------------------- integers

long ch_scan_int(ChScan* scan, const char* what, long lowest, long highest) {
  if (scan->status != CH_OK) return 0;
  ch_scan_space(scan);
  char found[SHOWN + 1];
  const char *start = scan->at, *c = start;
  bool negative = *c == '-';
  if (*c == '-' || *c == '+') ++c;
  const char* digits = c;
  long value = 0;
  for (; is_digit(*c) && c - digits < 18; ++c) value = 10 * value + (*c - '0');
  bool vast = is_digit(*c);  // beyond what a long holds, and beyond every range
  while (is_digit(*c)) ++c;
  bool ends = c == scan->end || is_space(*c) || *c == ',' || *c == '-' || *c == ':';
  if (c == digits || !ends) {
    ch_scan_fail(scan, CH_ERR_FORMAT, start, "%s: expected an integer, found '%s'", what, shown(scan, found));
    return 0;
  }
  if (negative) value = -value;
  if (vast || value < lowest || value > highest) {
    shown(scan, found);
    if (vast && !negative)
      ch_scan_fail(scan, CH_ERR_RANGE, start, "%s is %s, which is too large", what, found);
    else if (highest == LONG_MAX)
      ch_scan_fail(scan, CH_ERR_RANGE, start, "%s is %s, must be %ld or more", what, found, lowest);
    else
      ch_scan_fail(scan, CH_ERR_RANGE, start, "%s is %s, must be %ld to %ld", what, found, lowest, highest);
    return 0;
  }
  scan->at = c;
  return value;
}

int* ch_scan_ints(ChScan* scan, const char* what, long count, long lowest, long highest) {
  if (!ch_scan_expect(scan, (double)count, what)) return NULL;
  int* values = CH_TAKE(scan->arena, count + 1, int);
  if (!values) ch_scan_fail(scan, CH_ERR_MEMORY, scan->at, "out of memory for %ld integers", count);
  for (long k = 0; k < count && scan->status == CH_OK; ++k) values[k] = (int)ch_scan_int(scan, what, lowest, highest);
  return values;
}

// ------------------------------------------------------------------------------------------------------------- reals

// A number split into its parts; the digits after the first 19 are only noted to exist.
typedef struct Decimal {
  uint64_t digits;
  long exponent;
  bool negative, cut;
} Decimal;

static const char* split_digits(const char* c, Decimal* d, long* point) {
  int kept = 0;
  const char* first = c;
  bool after_point = false;
  *point = 0;
  for (;; ++c) {
    if (*c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(*c)) break;
    if (after_point) --*point;
    if (kept == DIGITS) {
      d->cut = d->cut || *c != '0';
      ++*point;
      continue;
    }
    d->digits = 10 * d->digits + (uint64_t)(*c - '0');
    if (d->digits > 0) ++kept;
  }
  return c - first > (after_point ? 1 : 0) ? c : NULL;
}

// The end of the number, or NULL when this is not a plain decimal number.
static const char* split(const char* c, Decimal* d) {
  *d = (Decimal){.negative = *c == '-'};
  if (*c == '-' || *c == '+') ++c;
  long point;
  c = split_digits(c, d, &point);
  if (!c) return NULL;
  long exponent = 0;
  if (*c == 'e' || *c == 'E') {
    ++c;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+') ++c;
    if (!is_digit(*c)) return NULL;
    for (; is_digit(*c); ++c)
      if (exponent < 100000) exponent = 10 * exponent + (*c - '0');
    if (negative) exponent = -exponent;
  }
  d->exponent = exponent + point;
  return c;
}

static bool round_decimal(const Decimal* d, double* out) {
#if LDBL_MANT_DIG >= 64
  static const long double power[EXACT_POWER + 1] = {
      1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
      1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
  long size = d->exponent < 0 ? -d->exponent : d->exponent;
  if (size > 2 * EXACT_POWER) return false;
  long one = size < EXACT_POWER ? size : EXACT_POWER;
  long double value = (long double)d->digits;
  if (d->exponent < 0)
    value = value / power[one] / power[size - one];
  else
    value = value * power[one] * power[size - one];
  long double slack = 0x1p-61L;  // four roundings of 2^-64 at most, doubled
  double low = (double)(value * (1.0L - slack));
  double high = (double)(value * (1.0L + slack + (d->cut ? 1.0L / (long double)d->digits : 0.0L)));
  *out = d->negative ? -low : low;
  return low == high;
#else
  (void)d;
  (void)out;
  return false;
#endif
}

double ch_scan_real(ChScan* scan, const char* what) {
  if (scan->status != CH_OK) return 0.0;
  ch_scan_space(scan);
  char found[SHOWN + 1];
  Decimal d;
  double value = 0.0;
  const char* after = split(scan->at, &d);
  if (!after || !round_decimal(&d, &value)) {
    char* stop = NULL;
    value = strtod_l(scan->at, &stop, scan->locale);
    after = stop;
  }
  bool ends = after == scan->end || is_space(*after);
  if (after == scan->at || !ends) {
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->at, "%s: expected a number, found '%s'", what, shown(scan, found));
    return 0.0;
  }
  if (!isfinite(value)) {
    ch_scan_fail(scan, CH_ERR_RANGE, scan->at, "%s is %s, must be finite", what, shown(scan, found));
    return 0.0;
  }
  scan->at = after;
  return value;
}

double* ch_scan_reals(ChScan* scan, const char* what, long count) {
  if (!ch_scan_expect(scan, (double)count, what)) return NULL;
  double* values = CH_TAKE(scan->arena, count + 1, double);
  if (!values) ch_scan_fail(scan, CH_ERR_MEMORY, scan->at, "out of memory for %ld numbers", count);
  for (long k = 0; k < count && scan->status == CH_OK; ++k) values[k] = ch_scan_real(scan, what);
  return values;
}
