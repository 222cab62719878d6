// Counted work and deadlines: see work.h.
#include "base/work.h"

#include <math.h>

#include "base/clock.h"

#define ASKING 500.0  // work that a question stands for: what its iteration did outside counted kernels

static _Thread_local double done;

void ch_work_add(double amount) { done += amount; }
double ch_work_done(void) { return done; }
void ch_work_set(double amount) { done = amount; }

ChDeadline ch_deadline_in(double seconds, double work) {
  return (ChDeadline){.clock = isfinite(seconds) ? ch_clock_seconds() + seconds : INFINITY, .work = done + work};
}

bool ch_deadline_passed(ChDeadline deadline) {
  ch_work_add(ASKING);
  return done > deadline.work || (isfinite(deadline.clock) && ch_clock_seconds() > deadline.clock);
}
