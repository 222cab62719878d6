// What to do about steps that missed, in sentences with the run's own numbers.
#ifndef CH_CLI_RUN_HINTS_H
#define CH_CLI_RUN_HINTS_H

#include "cli/run_report.h"

enum { CH_HINTS_MAX = 6, CH_HINT_SIZE = 240 };

typedef struct ChHints {
  int count;  // 0 where no step missed
  char text[CH_HINTS_MAX][CH_HINT_SIZE];
} ChHints;

ChHints ch_run_hints(const ChRunReport* report);

#endif
