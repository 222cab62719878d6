// Work, counted: what a thread has computed, in multiply-adds as one core does some 1e9 of in a second. Kernels add
// what they do as they go. A limit on it binds at the same iteration on any machine, however busy; a limit on the clock
// does not.
#ifndef CH_BASE_WORK_H
#define CH_BASE_WORK_H

#include <stdbool.h>

void ch_work_add(double amount);
double ch_work_done(void);        // by this thread, so far
void ch_work_set(double amount);  // back to what ch_work_done was: for what is watched only, and must not count

// Whichever comes first; INFINITY: none.
typedef struct ChDeadline {
  double clock;  // on ch_clock_seconds
  double work;   // on ch_work_done
} ChDeadline;

// So many seconds and so much work from now.
ChDeadline ch_deadline_in(double seconds, double work);
// To be asked once an iteration: asking counts, too, so that every loop that asks comes to an end.
bool ch_deadline_passed(ChDeadline deadline);

#endif
