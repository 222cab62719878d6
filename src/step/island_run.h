// One island on its way through a solver; its memory is its own.
#ifndef CH_STEP_ISLAND_RUN_H
#define CH_STEP_ISLAND_RUN_H

#include "base/arena.h"
#include "step/stage.h"

typedef struct ChIslandRun {
  ChStage* stage;
  int index;
  ChArena* arena;
  ChProblem* problem;
  double *r, *u, *v;  // v: less the reference
  double* reference;
  double ends;     // on the clock; INFINITY: it has no limit
  bool unsolved;   // for lack of time
  double* slack;   // block -> what was added to its w, m/s; NULL: nothing (relax.h)
  double relaxed;  // the most by which an overlap is asked for less
  bool held;       // by friction
  ChHaste haste;   // seen here; 0: nothing was
  double spent;    // work of the solve, as a share of the limit
  ChSolveInfo info;
} ChIslandRun;

#endif
