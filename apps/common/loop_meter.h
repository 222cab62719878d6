// The interaction loop, measured: how many steps a second, how many of them met the tolerance and the time limit, how
// much slower or faster than life. Over windows of half a second.
#ifndef CH_COMMON_LOOP_METER_H
#define CH_COMMON_LOOP_METER_H

#include <jansson.h>
#include <stdbool.h>

enum { CH_DISTANCES_MAX = 64 };

typedef struct ChLoopMeter {
  double began;                     // wall clock
  long steps, met, in_time, both;   // that met the tolerance, the limit, both
  double simulated, busy, slowest;  // seconds
  long late;                        // steps that ended behind the clock
  double behind;                    // it, at most, seconds
  // Compare mode: time and distance after a step, thinned by leaving out every second one when full.
  int distance_count, distance_every, distance_skip;
  double distances[CH_DISTANCES_MAX][2];
} ChLoopMeter;

void ch_loop_meter_begin(ChLoopMeter* meter);
// A step of length h that took `seconds` to compute, and ended so many seconds behind the clock.
void ch_loop_meter_step(ChLoopMeter* meter, double h, double seconds, double limit, bool met, double behind);
void ch_loop_meter_distance(ChLoopMeter* meter, double time, double distance);
bool ch_loop_meter_due(const ChLoopMeter* meter);
// The message `loop` without what the meter does not know, and begins a new window. NULL when out of memory.
json_t* ch_loop_meter_close(ChLoopMeter* meter);

#endif
