// A run against the clock: simulated and real time keep step, every step has a hard limit, and the outcome is counted.
// The first step has no limit (simulation.h): the clock begins when it is done.
#ifndef CH_CLI_REALTIME_H
#define CH_CLI_REALTIME_H

#include "common/loop_meter.h"
#include "common/pace.h"

typedef struct ChRealtime {
  ChPace pace;  // limit 0: no step is measured
  ChLoopMeter meter;
  double began, ended;  // wall clock: before the first step that has a limit, after the last one
} ChRealtime;

ChRealtime ch_realtime_begin(ChPace pace);
// Seconds that the next step may take, which ends at `time`.
double ch_realtime_allowance(const ChRealtime* realtime, double time);
// After a step of length h to `time` that took `seconds`; waits for the clock where that is behind.
void ch_realtime_step(ChRealtime* realtime, double time, double h, double seconds, bool met);
// Steps a second since the clock began, to the end of the last one.
double ch_realtime_rate(const ChRealtime* realtime);

#endif
