// Watching a solve: the history file, the progress line, and an orderly end on Ctrl-C.
#ifndef CH_CLI_WATCH_H
#define CH_CLI_WATCH_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/arguments.h"

typedef struct ChWatch {
  FILE* history;  // NULL: none is kept
  const char* path;
  long pending;    // bytes written since the last flush
  double flushed;  // when that was
  bool progress;   // a line on standard error
  bool shown;
  double shown_at;
  double time_limit;
} ChWatch;

// Opens the history file (path may be NULL) and starts to heed Ctrl-C. False, with a complaint, when it cannot be
// opened.
bool ch_watch_begin(const ChCommand* command, ChWatch* watch, const char* path, bool progress, double time_limit);

// A ChHistoryFn; user is the watch.
void ch_watch_iteration(void* user, int part, const char* stage, int iteration, double seconds, double error);

// Clears the progress line and closes the history file. CH_EXIT_FAULT, with a complaint, when it did not arrive whole.
ChExit ch_watch_end(const ChCommand* command, ChWatch* watch);

#endif
