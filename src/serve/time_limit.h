// The time limit of a live scene's solves. While the scene keeps up it is the scene's own; where step after step takes
// long, as in a collapse, it is halved from step to step, so that the loop stays alive: such steps end with the best
// answer so far, projected, and count as missed where that falls short. It grows back when steps are quick again. A few
// bodies in steps of a millisecond or two are meant to be touched: their limit goes down to the step itself.
#ifndef CH_SERVE_TIME_LIMIT_H
#define CH_SERVE_TIME_LIMIT_H

typedef struct ChTimeLimit {
  double now, lowest, lowest_fast, highest;  // seconds
  int quick;                                 // steps in a row
} ChTimeLimit;

// For a scene of so many moving bodies whose own limit is `highest`.
ChTimeLimit ch_time_limit_begin(double highest, int bodies);
// After a step that took so long, and had so long to keep up with the clock.
void ch_time_limit_step(ChTimeLimit* limit, double seconds, double allotted);

#endif
