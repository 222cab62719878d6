// What every method shares: keeping the best iterate, the history, limits, calling each other.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "solve/method.h"

double ch_run_offer(ChRun* run, const double* r, const double* u) {
  double error = ch_system_error(run->system, r, u);
  if (error < run->error) {
    run->error = error;
    if (r != run->r) memcpy(run->r, r, (size_t)run->system->rows * sizeof *r);
  }
  return error;
}

double ch_run_offer_reaction(ChRun* run, const double* r, double* u_scratch) {
  ch_system_velocity(run->system, r, u_scratch);
  return ch_run_offer(run, r, u_scratch);
}

void ch_run_note(ChRun* run, long iteration, double error) {
  if (run->options->history)
    run->options->history(run->options->history_user, run->stage, (int)iteration, ch_clock_seconds() - run->started,
                          error / run->scale);
}

bool ch_run_late(const ChRun* run) { return ch_clock_seconds() > run->deadline; }
bool ch_run_finished(const ChRun* run) { return run->error <= run->tolerance || ch_run_late(run); }

void ch_run_nested(ChRun* run, const ChMethod* method, double tolerance, long max_iterations, double seconds) {
  ChArenaMark mark = ch_arena_mark(run->arena);
  ChRun nested = *run;
  nested.tolerance = tolerance;
  nested.max_iterations = max_iterations;
  nested.deadline = fmin(run->deadline, ch_clock_seconds() + seconds);
  nested.stage = method->name;
  nested.depth = run->depth + 1;
  nested.stages[0] = '\0';
  nested.outer = nested.inner = nested.factorizations = 0;
  method->solve(&nested);
  run->error = nested.error;  // r is shared, and only ever improved
  run->outer += nested.outer;
  run->inner += nested.inner;
  run->factorizations += nested.factorizations;
  size_t used = strlen(run->stages);
  snprintf(run->stages + used, sizeof run->stages - used, "%s%s", used ? " " : "", method->name);
  ch_arena_release(run->arena, mark);
}

double ch_option_value(const ChSolveOptions* options, const char* name, double fallback) {
  for (int k = options->setting_count - 1; k >= 0; --k)
    if (strcmp(options->settings[k].name, name) == 0) return options->settings[k].value;
  return fallback;
}
