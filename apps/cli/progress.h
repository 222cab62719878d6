// A run in a terminal: a bar with the time left on standard error.
#ifndef CH_CLI_PROGRESS_H
#define CH_CLI_PROGRESS_H

#include <stdbool.h>

#include "cardhouse/record.h"
#include "cli/arguments.h"

typedef struct ChProgress {
  bool wanted, shown;
  double from, until;      // simulated seconds
  double began, shown_at;  // wall clock
} ChProgress;

// `wanted`: a bar may be shown; it appears only on a terminal, and only where the run takes longer than a blink.
ChProgress ch_progress_begin(bool wanted, double from, double until);
void ch_progress_step(ChProgress* progress, const ChSimulation* simulation, long missed);
void ch_progress_end(ChProgress* progress);  // clears the line

// "1 h 05 min", "2 min 10 s", "7 s"
enum { CH_LEFT_SIZE = 40 };
void ch_left_text(double seconds, char text[CH_LEFT_SIZE]);

// On a terminal, and where `wanted`, what the library begins that takes long is said on standard error.
void ch_notices_show(const ChCommand* command, ChContext* context, bool wanted);

#endif
