// A run against the clock: simulated and real time keep step, and every step has a hard limit. What a step does with
// its limit is the simulation's matter (step_limit in simulation.h); here the clock is kept and the outcome counted.
//
// Few steps take long, and the next ones make up for it: a step may end behind the clock by `lag`. So it has what is
// left until then, its limit at the most; where the run is further behind, less than h, so that it catches up.
#ifndef CH_CLI_PACE_H
#define CH_CLI_PACE_H

#include "serve/loop_meter.h"

typedef struct ChPace {
  bool paced;    // waits where it is early
  double limit;  // seconds a step may take; 0: no step is measured
  double lag;    // seconds that the run may be behind the clock
  double from;   // simulated seconds at which the clock began
  ChLoopMeter meter;
  double began, ended;  // wall clock: before the first step that has a limit, after the last one
  long late;            // steps that ended behind the clock
  double most;          // seconds behind it, at most
} ChPace;

ChPace ch_pace_begin(bool paced, double limit, double lag, double from);
// Seconds that the next step may take, of length h from `time` on.
double ch_pace_allowance(const ChPace* pace, double time, double h);
// After a step to `time` that took `seconds`; waits for the clock where that is behind.
void ch_pace_step(ChPace* pace, double time, double h, double seconds, bool met);
// Steps a second since the clock began, to the end of the last one.
double ch_pace_rate(const ChPace* pace);

#endif
