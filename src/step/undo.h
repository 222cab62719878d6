// Back to where a step began. A step of one try is remembered last of all, so that its states alone are to be put back;
// one of several tries, or whose positions are projected afterwards, has forgotten the step before by then.
#ifndef CH_STEP_UNDO_H
#define CH_STEP_UNDO_H

#include "step/state.h"

typedef struct ChUndo {
  size_t size;  // of what was kept in s->undo; 0: nothing, and states are in s->before
  double h;
  int level, good;
} ChUndo;

// At the beginning of a step.
ChUndo ch_undo_of(const ChSimulation* s);
// Keeps everything that the step may forget, as it is now; once, later calls change nothing.
ChStatus ch_undo_keep(ChContext* context, ChSimulation* s, ChUndo* undo);
// As if the step had not been tried.
void ch_undo_take(ChSimulation* s, const ChUndo* undo);

#endif
