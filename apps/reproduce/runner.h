// Items side by side, each in a process of its own: what one of them breaks, or how long it takes, is its own affair.
#ifndef CH_REPRODUCE_RUNNER_H
#define CH_REPRODUCE_RUNNER_H

#include "reproduce/result.h"

typedef enum ChItemPhase { CH_ITEM_WAITS, CH_ITEM_RUNS, CH_ITEM_ENDED } ChItemPhase;

typedef struct ChItemState {
  const ChItem* item;
  ChItemPhase phase;
  bool kept;        // served from an earlier run
  double fraction;  // 0 ... 1, as the item says
  double began, seconds;
  double expected;  // seconds that it took in an earlier run; 0: not known
  json_t* result;   // when ended; never NULL then, unless memory ran out
  struct ChItemProcess* process;
} ChItemState;

typedef struct ChRunner {
  const char* folder;
  ChResultKey key;
  bool fresh;         // results of earlier runs are not looked at
  int jobs;           // at once
  double time_limit;  // seconds an item may take
  const char* engines_csv;
  int count;
  ChItemState* states;                                    // phase and item given, the rest zero
  void (*show)(const struct ChRunner* run, void* state);  // called several times a second and after every end; or NULL
  bool (*stop)(void);                                     // asks to stop; or NULL
  void* show_state;
} ChRunner;

// Runs them all. An item that fails has a result that says so; CH_ERR_FILE only where a result could not be kept.
ChStatus ch_runner_run(ChContext* context, ChRunner* runner);
void ch_runner_free(ChRunner* runner);  // the results

#endif
