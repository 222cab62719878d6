// See realtime.h.
#include "cli/realtime.h"

#include <math.h>
#include <time.h>

#include "cardhouse/clock.h"
#include "cli/signals.h"

static const double NAP = 0.05;  // seconds between looks at whether a stop was asked for

ChRealtime ch_realtime_begin(ChPace pace) {
  ChRealtime r = {.pace = pace};
  ch_loop_meter_begin(&r.meter);
  return r;
}

double ch_realtime_allowance(const ChRealtime* r, double time) {
  return r->meter.steps == 0 ? r->pace.terms.limit : ch_pace_allowance(&r->pace, ch_clock_seconds(), time);
}

static void wait_until(double clock) {
  for (double left; !ch_stop_asked() && (left = clock - ch_clock_seconds()) > 0.0;) {
    double nap = fmin(left, NAP);
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * nap)}, NULL);
  }
}

void ch_realtime_step(ChRealtime* r, double time, double h, double seconds, bool met) {
  if (!(r->pace.terms.limit > 0.0)) return;
  r->ended = ch_clock_seconds();
  if (r->meter.steps == 0) {
    r->began = r->ended;
    ch_pace_start(&r->pace, r->ended, time);
  }
  ch_loop_meter_step(&r->meter, h, seconds, r->pace.terms.limit, met, ch_pace_behind(&r->pace, r->ended, time));
  if (!(r->pace.speed > 0.0)) return;
  wait_until(ch_pace_due(&r->pace, time));
  r->ended = ch_clock_seconds();
}

double ch_realtime_rate(const ChRealtime* r) {
  return r->ended > r->began ? (double)(r->meter.steps - 1) / (r->ended - r->began) : 0.0;
}
