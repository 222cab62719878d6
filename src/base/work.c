// Counted work and deadlines: see work.h.
#include "base/work.h"

#include <math.h>
#include <stddef.h>

#include "cardhouse/clock.h"

#define ASKING 500.0  // work that a question stands for: what its iteration did outside counted kernels
#define BEYOND 0.05   // share of the work limit by which a part that was foreseen may go beyond it
#define LOOKING 2e5   // work from look to look at the clock, some 0.2 ms
// Parts that are made of products of matrices go faster than others, by this much at most; what work tells how much.
#define FASTER 4.0
#define TELLING 1e6

static _Thread_local double done, looked;
static _Thread_local double watched, watched_at;  // on `done` and on the clock: from where on speed is measured
static _Thread_local double speed;                // the best so far under these limits, work a second; 0: not known
static _Thread_local double faster = 1.0;         // by how much the last large part went faster
static _Thread_local ChLimits limits = {.deadline = {INFINITY, INFINITY}};

void ch_work_add(double amount) { done += amount; }
double ch_work_done(void) { return done; }
void ch_work_set(double amount) { done = amount; }

ChDeadline ch_deadline_in(double seconds, double work) {
  return (ChDeadline){.clock = isfinite(seconds) ? ch_clock_seconds() + seconds : INFINITY, .work = done + work};
}

// How fast this machine is now, by what was counted since it was watched last. Much is not counted, and others may have
// had the processor: the best counts.
static void watch(double now) {
  double work = done - watched, seconds = now - watched_at;
  if (work < LOOKING && work >= 0.0) return;
  if (seconds > 0.0) speed = fmax(speed, work / seconds);
  watched = done;
  watched_at = now;
}

static double usual_speed(void) { return speed > 0.0 ? fmin(speed, CH_WORK_RATE) : CH_WORK_RATE; }

static bool is_past(ChDeadline deadline) {
  if (done > deadline.work) return true;
  if (!isfinite(deadline.clock)) return false;
  double now = ch_clock_seconds();
  watch(now);
  return now > deadline.clock;
}

bool ch_deadline_passed(ChDeadline deadline) {
  ch_work_add(ASKING);
  return is_past(deadline) || ch_stop_wanted();
}

ChLimits ch_limits_enter(ChDeadline deadline, ChStop stop) {
  ChLimits before = limits;
  limits = (ChLimits){.deadline = deadline, .begun = done, .stop = stop};
  looked = watched_at = -INFINITY;  // so that the first question is where measuring begins
  watched = speed = 0.0;
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
  double now = isfinite(limits.deadline.clock) ? ch_clock_seconds() : -INFINITY;
  if (now > limits.deadline.clock || ch_stop_wanted()) return true;  // and so again at the next question
  watch(now);
  looked = done;
  return false;
}

static bool has_room(double work) {
  const ChDeadline* d = &limits.deadline;
  double room = d->work - done, spare = BEYOND * (d->work - limits.begun);
  return !isfinite(d->work) || work <= room + spare;
}

bool ch_limits_allow(double work, double seconds) {
  const ChDeadline* d = &limits.deadline;
  if (!has_room(work)) return false;
  if (seconds == 0.0 || !isfinite(d->clock)) return true;
  double now = ch_clock_seconds();
  watch(now);
  return seconds * (CH_WORK_RATE / usual_speed()) <= d->clock - now;
}

bool ch_foreseen_begin(ChForeseen* part, double work) {
  if (!has_room(work)) return false;
  double now = ch_clock_seconds();
  watch(now);
  double rate = part->rate > 0.0 ? part->rate : faster * usual_speed();
  if (isfinite(limits.deadline.clock) && !(work / rate <= limits.deadline.clock - now)) return false;
  part->work = work;
  part->began = now;
  return true;
}

void ch_foreseen_end(ChForeseen* part) {
  ch_work_add(part->work);
  double now = ch_clock_seconds(), seconds = now - part->began;
  if (seconds > 0.0) part->rate = part->work / seconds;
  if (seconds > 0.0) speed = fmax(speed, fmin(part->rate, CH_WORK_RATE));  // nothing else goes faster
  if (seconds > 0.0 && part->work >= TELLING) faster = fmin(fmax(part->rate / usual_speed(), 1.0), FASTER);
  watched = done;  // what went faster says nothing of the rest
  watched_at = now;
}
