// Wall-clock seconds from a monotonic clock.
#ifndef CH_BASE_CLOCK_H
#define CH_BASE_CLOCK_H

double ch_clock_seconds(void);

#endif
