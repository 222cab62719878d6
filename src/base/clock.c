// Seconds from a monotonic clock: see cardhouse/clock.h.
#include "cardhouse/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ch_clock_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }
double ch_clock_processor_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
