// Seconds from a monotonic clock: on the wall, and of the processor.
#ifndef CH_BASE_CLOCK_H
#define CH_BASE_CLOCK_H

double ch_clock_seconds(void);
// Time that this thread has had of a processor: what a busy machine does not lengthen.
double ch_clock_processor_seconds(void);

#endif
