// A run against the clock: simulated and real time keep step, and every step has a hard limit. What a step does with
// its limit is the simulation's matter (step_limit in simulation.h); here the clock is kept and the outcome counted.
#ifndef CH_CLI_PACE_H
#define CH_CLI_PACE_H

#include "serve/loop_meter.h"

typedef struct ChPace {
  bool paced;    // waits where it is early
  double limit;  // seconds a step may take; 0: no step is measured
  double from;   // simulated seconds at which the clock began
  ChLoopMeter meter;
  double began, ended;  // wall clock: before the first step that has a limit, after the last one
  long late;            // steps that ended behind the clock
  double most;          // seconds behind it, at most
} ChPace;

ChPace ch_pace_begin(bool paced, double limit, double from);
// After a step to `time` that took `seconds`; waits for the clock where that is behind.
void ch_pace_step(ChPace* pace, double time, double h, double seconds, bool met);
// Steps a second since the clock began, to the end of the last one.
double ch_pace_rate(const ChPace* pace);

#endif
