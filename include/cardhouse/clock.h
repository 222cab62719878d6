// Seconds from a monotonic clock, for reports (ChStepInfo, ChSolveInfo) and limits.
#ifndef CARDHOUSE_CLOCK_H
#define CARDHOUSE_CLOCK_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns seconds of wall-clock time since an arbitrary moment in the past. Never fails.
CH_API double ch_clock_seconds(void);
// Returns seconds of processor time of this thread. Other load on the machine does not lengthen them.
CH_API double ch_clock_processor_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
