// Comparisons of doubles for cmocka tests: they print both sides, and NaN never passes.
#ifndef CH_TESTS_NEAR_H
#define CH_TESTS_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK_AT_MOST(value, bound)                                                                            \
  do {                                                                                                         \
    const double value_ = (value), bound_ = (bound);                                                           \
    if (!(value_ <= bound_)) fail_msg("%s is %.17g, must be at most %s = %g", #value, value_, #bound, bound_); \
  } while (0)

#define CHECK_NEAR(value, wanted, tolerance)                                                          \
  do {                                                                                                \
    const double value_ = (value), wanted_ = (wanted);                                                \
    if (!(fabs(value_ - wanted_) <= (tolerance)))                                                     \
      fail_msg("%s is %.17g, must be %.17g within %g", #value, value_, wanted_, (double)(tolerance)); \
  } while (0)

#define CHECK_OK(context, call)                                                                               \
  do {                                                                                                        \
    if ((call) != CH_OK) fail_msg("%s: %s (%s)", #call, ch_status_text((context).status), (context).message); \
  } while (0)

#endif
