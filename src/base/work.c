// Counted work and deadlines: see work.h.
#include "base/work.h"

#include <math.h>
#include <stddef.h>

#include "cardhouse/clock.h"

#define ASKING 500.0  // work that a question stands for: what its iteration did outside counted kernels
#define BEYOND 0.05   // share of the work limit by which a part that was foreseen may go beyond it
#define FASTEST 4e9   // work a second of a large factorisation, which is made of products of matrices
#define LOOKING 2e5   // work from look to look at the clock, some 0.2 ms

static _Thread_local double done, looked;
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

ChLimits ch_limits_extend(ChDeadline deadline) {
  ChLimits before = limits;
  limits.deadline = deadline;
  return before;
}

void ch_limits_leave(ChLimits before) { limits = before; }

bool ch_stop_wanted(void) { return limits.stop.asked && limits.stop.asked(limits.stop.user); }

bool ch_limits_over(void) {
  if (done > limits.deadline.work) return true;
  if (done - looked < LOOKING && done >= looked) return false;
  if (is_past(limits.deadline) || ch_stop_wanted()) return true;  // and so again at the next question
  looked = done;
  return false;
}

bool ch_limits_allow(double work, double seconds) {
  const ChDeadline* d = &limits.deadline;
  double room = d->work - done, spare = BEYOND * (d->work - limits.begun);
  if (isfinite(d->work) && !(work <= room + spare)) return false;
  return seconds == 0.0 || !isfinite(d->clock) || seconds <= d->clock - ch_clock_seconds();
}

bool ch_foreseen_begin(ChForeseen* part, double work) {
  if (!ch_limits_allow(work, work / (part->rate > 0.0 ? part->rate : FASTEST))) return false;
  part->work = work;
  part->began = ch_clock_seconds();
  return true;
}

void ch_foreseen_end(ChForeseen* part) {
  double seconds = ch_clock_seconds() - part->began;
  if (seconds > 0.0) part->rate = part->work / seconds;
  ch_work_add(part->work);
}
