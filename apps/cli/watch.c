// Watching a solve: see watch.h.
//
// The solver calls back once an iteration. The history file is flushed at whole lines, ten times a second, so that a
// run that is killed leaves a readable file. Ctrl-C asks the solver to stop (signals.h).
#include "cli/watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cli/output.h"
#include "cli/signals.h"

enum { BUFFER = 1 << 20 };
static const double FLUSH_SECONDS = 0.1, SHOW_SECONDS = 0.1, SHOW_AFTER = 0.5;

// A ChLastFn: the solver does not look up.
static bool leave(void* user) {
  ChWatch* watch = user;
  if (watch->history) fflush(watch->history);
  if (watch->shown) fputs("\r\033[K", stderr);
  return false;
}

bool ch_watch_begin(const ChCommand* command, ChWatch* watch, const char* path, bool progress, double time_limit) {
  *watch = (ChWatch){.path = path, .progress = progress, .time_limit = time_limit};
  if (path) {
    watch->history = fopen(path, "w");
    if (!watch->history) {
      ch_complain(command, "--history %s: could not be opened for writing: %s", path, strerror(errno));
      return false;
    }
    setvbuf(watch->history, NULL, _IOFBF, BUFFER);
    fputs("part,stage,iteration,seconds,error\n", watch->history);
  }
  ch_signals_heed(leave, watch);
  return true;
}

static void keep(ChWatch* watch, int part, const char* stage, int iteration, double seconds, double error) {
  int bytes = fprintf(watch->history, "%d,%s,%d,%.9g,%.9g\n", part, stage, iteration, seconds, error);
  watch->pending += bytes > 0 ? bytes : 0;
  if (seconds - watch->flushed < FLUSH_SECONDS && watch->pending < BUFFER / 2) return;
  fflush(watch->history);
  watch->flushed = seconds;
  watch->pending = 0;
}

static void show(ChWatch* watch, const char* stage, int iteration, double error) {
  double now = ch_clock_seconds();
  if (watch->shown_at == 0.0) watch->shown_at = now + SHOW_AFTER - SHOW_SECONDS;  // a short solve shows nothing
  if (now - watch->shown_at < SHOW_SECONDS) return;
  watch->shown_at = now;
  watch->shown = true;
  fprintf(stderr, "\r\033[K  %s  iteration %d  error %.2e  (at most %g s)", stage, iteration, error, watch->time_limit);
  fflush(stderr);
}

void ch_watch_iteration(void* user, int part, const char* stage, int iteration, double seconds, double error) {
  ChWatch* watch = user;
  if (!stage) stage = "";
  if (watch->history) keep(watch, part, stage, iteration, seconds, error);
  if (watch->progress) show(watch, stage, iteration, error);
}

ChExit ch_watch_end(const ChCommand* command, ChWatch* watch) {
  ch_signals_heed(NULL, NULL);
  if (watch->shown) fputs("\r\033[K", stderr);
  if (!watch->history) return CH_EXIT_DONE;
  FILE* file = watch->history;
  watch->history = NULL;
  return ch_file_close(command, "--history", watch->path, file);
}
