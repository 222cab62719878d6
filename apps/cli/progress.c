// Progress of a run: see progress.h.
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cardhouse/clock.h"

enum { BAR = 24 };
static const double SHOW_SECONDS = 0.1, SHOW_AFTER = 0.5;

static void print_notice(void* user, const char* text) { ch_complain(user, "%s", text); }

void ch_notices_show(const ChCommand* command, ChContext* context, bool wanted) {
  if (!wanted || !isatty(STDERR_FILENO)) return;
  context->notice = print_notice;
  context->user = (void*)command;
}

ChProgress ch_progress_begin(bool wanted, double from, double until) {
  double now = ch_clock_seconds();
  return (ChProgress){.wanted = wanted && isatty(STDERR_FILENO),
                      .from = from,
                      .until = until,
                      .began = now,
                      .shown_at = now + SHOW_AFTER - SHOW_SECONDS};
}

void ch_left_text(double seconds, char text[CH_LEFT_SIZE]) {
  long s = lround(fmin(fmax(seconds, 0.0), 1e9));
  if (s >= 3600)
    snprintf(text, CH_LEFT_SIZE, "%ld h %02ld min", s / 3600, s / 60 % 60);
  else if (s >= 60)
    snprintf(text, CH_LEFT_SIZE, "%ld min %02ld s", s / 60, s % 60);
  else
    snprintf(text, CH_LEFT_SIZE, "%ld s", s);
}

void ch_progress_step(ChProgress* p, const ChSimulation* simulation, long missed) {
  if (!p->wanted) return;
  double now = ch_clock_seconds();
  if (now - p->shown_at < SHOW_SECONDS) return;
  p->shown_at = now;
  p->shown = true;
  double time = ch_simulation_time(simulation), part = (time - p->from) / (p->until - p->from);
  int full = (int)(BAR * fmin(fmax(part, 0.0), 1.0));
  fputs("\r\033[K[", stderr);
  for (int k = 0; k < BAR; ++k) fputc(k < full ? '#' : '.', stderr);
  fprintf(stderr, "] %3.0f %%  t = %.4g of %.4g s  natural %.1e", 100.0 * part, time, p->until,
          ch_simulation_info(simulation).certificate.natural);
  if (missed > 0) fprintf(stderr, "  %ld missed", missed);
  if (part > 0.0) {
    char left[CH_LEFT_SIZE];
    ch_left_text((now - p->began) * (1.0 - part) / part, left);
    fprintf(stderr, "  %s left", left);
  }
  fflush(stderr);
}

void ch_progress_end(ChProgress* p) {
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}
