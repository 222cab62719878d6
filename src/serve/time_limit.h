// The time limit of a live scene. While the scene keeps up it is the scene's own, of its solves; where step after step
// takes long, as in a collapse, it is halved from step to step and holds for whole steps, so that the loop stays alive:
// such steps end with the best answer so far, or brake (step/brake.h), and count as missed where that falls short. It
// grows back when steps are quick again. A few bodies in steps of a millisecond or two are meant to be touched: their
// limit goes down to the step itself.
#ifndef CH_SERVE_TIME_LIMIT_H
#define CH_SERVE_TIME_LIMIT_H

#include "cardhouse/simulation.h"

typedef struct ChTimeLimit {
  double now, lowest, lowest_fast, highest;  // seconds
  int quick;                                 // steps in a row
} ChTimeLimit;

// For a scene of so many moving bodies whose own limit is `highest`.
ChTimeLimit ch_time_limit_begin(double highest, int bodies);
// Puts a limit of so many seconds into the options: of whole steps, or of their solves alone.
void ch_time_limit_set(double seconds, bool whole, ChSimulationOptions* options);
// After a step that took so long, and had so long to keep up with the clock.
void ch_time_limit_step(ChTimeLimit* limit, double seconds, double allotted);

#endif
