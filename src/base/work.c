// Counted work and deadlines: see work.h.
#include "base/work.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"

#define ASKING 500.0  // work that a question stands for: what its iteration did outside counted kernels
#define BEYOND 0.05   // share of the work limit by which a part that was foreseen may go beyond it

static _Thread_local double done;
static _Thread_local ChLimits limits = {.deadline = {INFINITY, INFINITY}};

void ch_work_add(double amount) { done += amount; }
double ch_work_done(void) { return done; }
void ch_work_set(double amount) { done = amount; }

ChDeadline ch_deadline_in(double seconds, double work) {
  return (ChDeadline){.clock = isfinite(seconds) ? ch_clock_seconds() + seconds : INFINITY, .work = done + work};
}

static bool is_past(ChDeadline deadline) {
  return done > deadline.work || (isfinite(deadline.clock) && ch_clock_seconds() > deadline.clock);
}

bool ch_deadline_passed(ChDeadline deadline) {
  ch_work_add(ASKING);
  return is_past(deadline) || ch_stop_wanted();
}

ChLimits ch_limits_enter(ChDeadline deadline, ChStop stop) {
  ChLimits before = limits;
  limits = (ChLimits){.deadline = deadline, .begun = done, .stop = stop};
  return before;
}

void ch_limits_leave(ChLimits before) { limits = before; }

bool ch_stop_wanted(void) { return limits.stop.asked && limits.stop.asked(limits.stop.user); }

bool ch_limits_over(void) { return is_past(limits.deadline) || ch_stop_wanted(); }

bool ch_limits_allow(double work, double seconds) {
  const ChDeadline* d = &limits.deadline;
  double room = d->work - done, spare = BEYOND * (d->work - limits.begun);
  if (isfinite(d->work) && !(work <= room + spare)) return false;
  return !isfinite(d->clock) || seconds <= d->clock - ch_clock_seconds();
}
