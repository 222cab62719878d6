// The runs of a sweep: `cardhouse run`, one process each, several at a time.
#ifndef CH_CLI_SWEEP_RUNS_H
#define CH_CLI_SWEEP_RUNS_H

#include "cli/sweep_table.h"

typedef struct ChSweepRuns {
  const ChCommand* command;
  const char* scene;
  int passed_count;
  char** passed;  // words that each run is given as they are
  int jobs;       // processes at a time
  ChSweepTable* table;
  // Called whenever a row was filled, and again when all is done; its failure ends the sweep.
  ChStatus (*keep)(void* user);
  void (*tell)(void* user, int done, int all);
  void* user;
} ChSweepRuns;

// Fills the rows that are not done. CH_EXIT_USAGE where a run says that its words are wrong, which ends the sweep; a
// run that fails otherwise fails its row. A stop that was asked for ends all runs; what is done stays in the table.
ChExit ch_sweep_runs(const ChSweepRuns* runs);

#endif
