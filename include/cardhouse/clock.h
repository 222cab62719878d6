// Seconds from a monotonic clock: those that reports tell (ChStepInfo, ChSolveInfo) and limits count.
#ifndef CARDHOUSE_CLOCK_H
#define CARDHOUSE_CLOCK_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// On the wall, since some moment in the past. Never fails.
CH_API double ch_clock_seconds(void);
// That this thread has had of a processor: what a busy machine does not lengthen.
CH_API double ch_clock_processor_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
