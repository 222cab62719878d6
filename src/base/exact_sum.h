// Sums without rounding: whatever the order, and however the terms are dealt out, the sum has the same bits.
//
// A double is a whole number of 53 bits times a power of two. It is added into digits of 32 bits, each in a word of 64,
// so that carries wait: some 2^30 terms fit. What is smaller than 2^-LOWEST is left out; so is what is not finite,
// which makes the sum NaN.
#ifndef CH_BASE_EXACT_SUM_H
#define CH_BASE_EXACT_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { CH_EXACT_DIGITS = 44, CH_EXACT_LOWEST = 704 };  // 2^-704 to 2^704

typedef struct ChExactSum {
  int64_t digit[CH_EXACT_DIGITS];
  bool broken;  // a term was not finite, or too large
} ChExactSum;

static inline void ch_exact_add(ChExactSum* sum, double x) {
  enum { MANTISSA = 53 };
  int exponent;
  double fraction = frexp(x, &exponent);
  if (x == 0.0) return;
  int place = exponent - MANTISSA + CH_EXACT_LOWEST;
  if (!isfinite(x) || place / 32 + 3 > CH_EXACT_DIGITS) {
    sum->broken = true;
    return;
  }
  if (place < 0) return;
  int64_t whole = (int64_t)ldexp(fraction, MANTISSA);
  __int128 shifted = (__int128)(whole < 0 ? -whole : whole) << (place % 32);
  for (int k = 0; k < 3; ++k) {
    int64_t part = (int64_t)(shifted & 0xffffffff);
    sum->digit[place / 32 + k] += whole < 0 ? -part : part;
    shifted >>= 32;
  }
}

// Carries what waits: digits from 0 to 2^32 - 1, but for the last one, which has the sign.
static inline void ch_exact_carry(ChExactSum* sum) {
  int64_t carry = 0;
  for (int k = 0; k < CH_EXACT_DIGITS - 1; ++k) {
    int64_t all = sum->digit[k] + carry;
    carry = all >> 32;
    sum->digit[k] = all - carry * ((int64_t)1 << 32);
  }
  sum->digit[CH_EXACT_DIGITS - 1] += carry;
}

// The sum, rounded; carries are taken.
static inline double ch_exact_value(const ChExactSum* sum) {
  ChExactSum all = *sum;
  ch_exact_carry(&all);
  bool negative = all.digit[CH_EXACT_DIGITS - 1] < 0;
  for (int k = 0; negative && k < CH_EXACT_DIGITS; ++k) all.digit[k] = -all.digit[k];
  if (negative) ch_exact_carry(&all);
  double value = 0.0;  // from the largest digit on: the same digits round the same
  for (int k = CH_EXACT_DIGITS - 1; k >= 0; --k) value += ldexp((double)all.digit[k], 32 * k - CH_EXACT_LOWEST);
  return all.broken ? NAN : negative ? -value : value;
}

// As numbers that others may add to theirs, exactly: up to 2^20 of them.
static inline void ch_exact_write(ChExactSum* sum, double* to) {
  ch_exact_carry(sum);
  for (int k = 0; k < CH_EXACT_DIGITS; ++k) to[k] = sum->broken ? NAN : (double)sum->digit[k];
}
static inline void ch_exact_read(const double* from, ChExactSum* sum) {
  memset(sum, 0, sizeof *sum);
  for (int k = 0; k < CH_EXACT_DIGITS; ++k) {
    sum->broken = sum->broken || isnan(from[k]);
    sum->digit[k] = sum->broken ? 0 : (int64_t)from[k];
  }
}

#endif
