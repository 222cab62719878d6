// Steps against the clock: when one is due, and how long it may take. What a step does with its limit is the
// simulation's matter (step_limit in simulation.h).
//
// Few steps take long, and the next ones make up for it: a step may end behind the clock by `lag`. So it has what is
// left until then, its limit at the most; where it is further behind, `least`, so that it catches up.
#ifndef CH_COMMON_PACE_H
#define CH_COMMON_PACE_H

#include <stdbool.h>

typedef struct ChPaceTerms {
  double limit;  // seconds that a step may take, at the most
  double lag;    // seconds that it may end behind the clock
  double least;  // seconds that a step has however far behind the clock it is
} ChPaceTerms;

typedef struct ChPace {
  double speed;  // simulated seconds a second on the clock; 0: no clock is kept, and every step has its limit
  ChPaceTerms terms;
  ChPaceTerms slow;   // instead, from when the clock was lost until it is caught up with
  bool is_slow;       // the two have changed places
  double wall, time;  // `time` was simulated when the clock stood at `wall`
} ChPace;

// For steps that are to be felt, so that they end with what they have rather than late: they have six times h, and
// half of it where they must catch up. A quarter of a second of steps that take twice their time is made up for.
ChPaceTerms ch_pace_felt(double h, double speed);
// For who watches and had rather see a scene go slower than life than badly solved: a step has its limit, by the number
// of bodies, however far behind the clock it is. `own` is the limit that the scene has itself; `worlds` of so many
// moving bodies are stepped together.
ChPaceTerms ch_pace_watched(double h, double speed, double own, int bodies, int worlds);
// For who had rather see every step solved, however slow the scene gets: a step has the scene's `own` limit.
ChPace ch_pace_exact(double speed, double own);
// A few bodies in steps of a millisecond or two are meant to be touched: they are felt as long as they keep up, others
// are watched.
ChPace ch_pace_live(double h, double speed, double own, int bodies, int worlds);

// The clock begins at `now`, with `time` simulated.
void ch_pace_start(ChPace* pace, double now, double time);
// When it is on the clock that `time` is simulated.
double ch_pace_due(const ChPace* pace, double time);
// Seconds that a step may take which begins now and ends at `time`.
double ch_pace_allowance(const ChPace* pace, double now, double time);
// Seconds behind the clock at which `time` is reached now; 0 where it is not behind.
double ch_pace_behind(const ChPace* pace, double now, double time);
// Who cannot keep up goes slower than asked, by the slow terms, and does not hurry later: what is behind by more than
// the lag is lost. Once `time` is reached before it is due the clock is kept again.
void ch_pace_forgive(ChPace* pace, double now, double time);

#endif
