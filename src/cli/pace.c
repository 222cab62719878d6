// See pace.h.
#include "cli/pace.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "cli/progress.h"

static const double LEAST = 0.5;  // of h, that a step has however far behind the clock the run is
static const double NAP = 0.05;   // seconds between looks at whether a stop was asked for

ChPace ch_pace_begin(bool paced, double limit, double lag, double from) {
  ChPace pace = {.paced = paced, .limit = limit, .lag = lag, .from = from};
  ch_loop_meter_begin(&pace.meter);
  return pace;
}

// When a step that ends at `time` is due.
static double due_at(const ChPace* p, double time) { return p->meter.began + (time - p->from); }

double ch_pace_allowance(const ChPace* p, double time, double h) {
  if (!p->paced || p->meter.steps == 0) return p->limit;
  double left = due_at(p, time + h) + p->lag - ch_clock_seconds();
  return fmin(p->limit, fmax(left, LEAST * h));
}

static void wait_until(double clock) {
  for (double left; !ch_stop_asked() && (left = clock - ch_clock_seconds()) > 0.0;) {
    double nap = fmin(left, NAP);
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * nap)}, NULL);
  }
}

void ch_pace_step(ChPace* p, double time, double h, double seconds, bool met) {
  if (!(p->limit > 0.0)) return;
  ch_loop_meter_step(&p->meter, h, seconds, p->limit, met);
  p->ended = ch_clock_seconds();
  if (p->meter.steps == 1) p->began = p->ended;  // has no limit: the clock begins when it is done
  if (!p->paced) return;
  if (p->meter.steps == 1) {
    p->meter.began = p->began - (time - p->from);
    return;
  }
  double due = due_at(p, time);
  double lag = ch_clock_seconds() - due;
  p->late += lag > 0.0;
  p->most = fmax(p->most, lag);
  wait_until(due);
  p->ended = ch_clock_seconds();
}

double ch_pace_rate(const ChPace* p) {
  return p->ended > p->began ? (double)(p->meter.steps - 1) / (p->ended - p->began) : 0.0;
}
