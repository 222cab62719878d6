// Arithmetic in which NaN never looks like success, and assertions of our own invariants.
#ifndef CH_BASE_CHECK_H
#define CH_BASE_CHECK_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// Our mistakes are asserted; the caller's are returned as a status. Layers state what they rely on where they are
// entered. CH_ASSERT stays on in release; CH_ASSERT_SLOW, for what takes a loop, is on under sanitizers only.
#define CH_ASSERT(condition) ((condition) ? (void)0 : ch_assert_failed(__func__, #condition))
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined CH_SLOW_CHECKS
#define CH_ASSERT_SLOW(condition) CH_ASSERT(condition)
#else
#define CH_ASSERT_SLOW(condition) ((void)(true || (condition)))
#endif
_Noreturn void ch_assert_failed(const char* function, const char* condition);

// The acceptance test of the whole program: false for NaN.
static inline bool ch_at_most(double value, double bound) { return value <= bound; }

// fmax would drop a NaN; these keep it.
static inline double ch_max(double a, double b) { return isnan(a) || a > b ? a : b; }
static inline double ch_min(double a, double b) { return isnan(a) || a < b ? a : b; }
static inline double ch_positive_part(double a) { return a <= 0.0 ? 0.0 : a; }
static inline double ch_clamp(double a, double lo, double hi) { return a < lo ? lo : a > hi ? hi : a; }

// Without a way out early, so that several numbers are looked at together.
static inline bool ch_all_finite(const double* x, long n) {
  int others = 0;
  for (long i = 0; i < n; ++i) others |= !(fabs(x[i]) <= DBL_MAX);
  return others == 0;
}

#endif
