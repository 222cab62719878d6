// Work, counted: what a thread has computed, in multiply-adds as one core does some 1e9 of in a second. Kernels add
// what they do as they go. A limit on it binds at the same iteration on any machine, however busy; a limit on the clock
// does not.
//
// Every thread has the limits of the solve that it is in. Loops of a method ask with the deadline that they were given;
// kernels below them, which were given none, ask for those limits between parts of their work, and leave.
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
// To be asked once an iteration: asking counts, too, so that every loop that asks comes to an end. A stop that was
// asked for passes every deadline.
bool ch_deadline_passed(ChDeadline deadline);

// Somebody outside who may want the work to end: true once, true until it has.
typedef struct ChStop {
  bool (*asked)(void* user);  // NULL: nobody
  void* user;
} ChStop;

typedef struct ChLimits {
  ChDeadline deadline;
  double begun;  // on ch_work_done
  ChStop stop;
} ChLimits;

// Limits of this thread from now on, until they are left, which puts back those of before.
ChLimits ch_limits_enter(ChDeadline deadline, ChStop stop);
ChLimits ch_limits_extend(ChDeadline deadline);  // the same with another deadline
void ch_limits_leave(ChLimits before);

bool ch_stop_wanted(void);
// Whether what is computed now is of no use to anybody, for time or work have run out. Kernels may ask as often as they
// like, having added what they did: the clock is looked at once in a while.
bool ch_limits_over(void);
// Whether a part of the work that cannot be left once it is begun may be: so much work, which takes so many seconds on
// the usual machine (0: the clock does not matter), and as many more as this one was seen to be slower. It may go
// beyond the limit by little.
bool ch_limits_allow(double work, double seconds);
// The same part again and again, its work known beforehand; the seconds are learnt from the last time, and at first
// from other such parts. Zero it at first.
typedef struct ChForeseen {
  double work, began;
  double rate;  // work a second, the last time; 0: there was none
} ChForeseen;
bool ch_foreseen_begin(ChForeseen* part, double work);  // false: it is not allowed
void ch_foreseen_end(ChForeseen* part);                 // counts the work
#define CH_WORK_RATE 1e9                                // work in a second, where nothing better is known

#endif
