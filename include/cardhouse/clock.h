// Seconds from a monotonic clock, for reports (ChStepInfo, ChSolveInfo) and limits.
#ifndef CARDHOUSE_CLOCK_H
#define CARDHOUSE_CLOCK_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns seconds of wall-clock time since some moment in the past. Never fails.
CH_API double ch_clock_seconds(void);
// Returns the seconds of processor time of this thread, which a busy machine does not lengthen.
CH_API double ch_clock_processor_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
