// What every method shares: keeping the best iterate, the history, limits, calling each other.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "cardhouse/text.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

// Reactions beyond this, where |q| = 1, swallow the velocity that they are compared with: r - u is r, and no error
// shows.
#define MEASURABLE 1e13

enum { MOST_OPTIONS = 64, MOST_DEPTH = 16 };

static bool is_measurable(const ChSystem* s, const double* r) {
  for (int k = 0; k < s->rows; ++k)
    if (!(fabs(r[k]) <= MEASURABLE)) return false;  // NaN neither
  return true;
}

static double measure(const ChSystem* s, const double* r, const double* u) {
  return is_measurable(s, r) ? ch_system_error(s, r, u) : INFINITY;
}

double ch_run_offer(ChRun* run, const double* r, const double* u) {
  return ch_run_offer_graded(run, r, ch_system_error(run->system, r, u));
}

double ch_run_offer_graded(ChRun* run, const double* r, double error) {
  CH_ASSERT(run->r && r);
  if (!is_measurable(run->system, r)) return INFINITY;
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

bool ch_run_answer(ChRun* run, const double* r, double* u_scratch) {
  if (!ch_all_finite(r, run->system->rows)) return false;
  ch_system_velocity(run->system, r, u_scratch);
  run->error = measure(run->system, r, u_scratch);
  if (isnan(run->error)) run->error = INFINITY;
  memcpy(run->r, r, (size_t)run->system->rows * sizeof *r);
  return run->answered = true;
}

void ch_run_note(ChRun* run, long iteration, double error) {
  if (run->options->history)
    run->options->history(run->options->history_user, run->number, run->stage, (int)iteration,
                          ch_clock_seconds() - run->started, error / run->scale);
}

void ch_run_note_between(ChRun* run, long iteration, const double* r, double* u_scratch) {
  if (!run->options->history || !run->options->history_every) return;
  double done = ch_work_done();
  ch_system_velocity(run->system, r, u_scratch);
  ch_run_note(run, iteration, ch_system_error(run->system, r, u_scratch));
  ch_work_set(done);
}

bool ch_run_promising(double aim, double before, double now, long iterations, long left) {
  double rate = log(before / now) / (double)iterations;
  return rate > 0.0 && log(now / aim) <= rate * (double)left;
}

double ch_run_slip(const ChRun* run) {
  ChArenaMark mark = ch_arena_mark(run->arena);
  ChSystem still = *run->system;
  still.relaxed = true;
  double* u = CH_TAKE_RAW(run->arena, still.rows, double);
  ch_system_velocity(&still, run->r, u);
  double slip = ch_system_error(&still, run->r, u);
  ch_arena_release(run->arena, mark);
  return slip;
}

bool ch_run_late(const ChRun* run) { return ch_deadline_passed(run->deadline); }
bool ch_run_finished(const ChRun* run) { return run->error <= run->tolerance || ch_run_late(run); }

long ch_run_iterations_left(const ChRun* run) {
  return run->max_iterations > 0 ? run->max_iterations - run->outer - run->inner : LONG_MAX;
}

void ch_put_word(size_t size, char* to, const char* text) {
  CH_ASSERT(size > 0);
  size_t length = strlen(text);
  if (length >= size) length = size - 1;
  memcpy(to, text, length);
  to[length] = '\0';
}

static void add_stage(ChRun* run, const char* name) {
  size_t used = strlen(run->stages);
  if (used == 0) {
    ch_put_word(sizeof run->stages, run->stages, name);
    return;
  }
  const char* last = strrchr(run->stages, ' ');
  const char* before = last ? last + 1 : run->stages;
  if (strcmp(before, name) == 0 || strcmp(before, "...") == 0) return;
  bool room = used + strlen(name) + sizeof " ..." < sizeof run->stages;
  snprintf(run->stages + used, sizeof run->stages - used, " %s", room ? name : "...");
}

void ch_settings_append(ChArena* arena, ChSolveOptions* options, int count, const ChSetting* settings) {
  CH_ASSERT(count > 0 && settings);
  ChSetting* all = CH_TAKE_RAW(arena, options->setting_count + count, ChSetting);
  if (options->setting_count > 0) memcpy(all, options->settings, (size_t)options->setting_count * sizeof *all);
  memcpy(all + options->setting_count, settings, (size_t)count * sizeof *all);
  options->settings = all;
  options->setting_count += count;
}

// The caller's own values give way to what a portfolio needs.
static void add_settings(ChArena* arena, ChSolveOptions* options, const ChSetting* setting) {
  int count = 0;
  while (count < CH_NESTED_SETTINGS && setting[count].name) ++count;
  if (count > 0) ch_settings_append(arena, options, count, setting);
}

// A portfolio that gives a method a setting by a name that it does not have would be run with the default and nobody
// would know: the solve ends as refused, and the note says which name was meant.
static bool refuse_typo(ChRun* run, const ChNested* n) {
  const char* known[MOST_OPTIONS];
  for (int k = 0; k < CH_NESTED_SETTINGS && n->setting[k].name; ++k) {
    if (ch_method_option(n->method, n->setting[k].name)) continue;
    int count = n->method->option_count < MOST_OPTIONS ? n->method->option_count : MOST_OPTIONS;
    for (int o = 0; o < count; ++o) known[o] = n->method->options[o].name;
    const char* near = ch_word_nearest(n->setting[k].name, count, known);
    run->ending = CH_ERR_ARGUMENT;
    snprintf(run->note, sizeof run->note, "method '%s' has no option '%s'; the nearest is '%s'", n->method->name,
             n->setting[k].name, near ? near : "none");
    return true;
  }
  return false;
}

double ch_run_nested(ChRun* run, const ChNested* n, double* found) {
  CH_ASSERT(n->method && n->method->solve && run->depth < MOST_DEPTH);
  if (run->ending == CH_ERR_ARGUMENT || refuse_typo(run, n)) return INFINITY;
  ChArenaMark mark = ch_arena_mark(run->arena);
  const ChSystem* s = n->system ? n->system : run->system;
  size_t bytes = (size_t)s->rows * sizeof(double);
  if (!ch_method_takes_laws(n->method->takes, s)) {  // it cannot help; the next may
    if (found) memcpy(found, n->start ? n->start : run->r, bytes);
    return n->start || n->system ? INFINITY : run->error;
  }
  ChSolveOptions options = *run->options;
  add_settings(run->arena, &options, n->setting);
  ChRun nested = *run;
  nested.system = s;
  nested.options = &options;
  nested.part = NULL;
  nested.withheld = NULL;
  nested.r = CH_TAKE(run->arena, s->rows, double);
  memcpy(nested.r, n->start ? n->start : run->r, bytes);
  if (n->start || n->system) {
    double* u = CH_TAKE(run->arena, s->rows, double);
    ch_system_velocity(s, nested.r, u);
    nested.error = measure(s, nested.r, u);
  }
  if (isnan(nested.error)) nested.error = INFINITY;
  if (n->tolerance > 0.0) nested.tolerance = n->tolerance;
  nested.max_iterations = n->max_iterations;
  nested.stage = n->method->name;
  nested.depth = run->depth + 1;
  nested.stages[0] = nested.note[0] = '\0';
  nested.ending = CH_OK;
  nested.outer = nested.inner = nested.factorizations = 0;
  nested.answered = false;
  if (n->work > 0.0) nested.deadline.work = fmin(nested.deadline.work, ch_work_done() + n->work);
  const ChLimits before = ch_limits_extend(nested.deadline);
  n->method->solve(&nested);
  ch_limits_leave(before);
  if (!ch_all_finite(nested.r, s->rows)) {  // as if it had not been called
    memcpy(nested.r, n->start ? n->start : run->r, bytes);
    nested.error = INFINITY;
  }
  if (!n->system && nested.error < run->error) {
    run->error = nested.error;
    memcpy(run->r, nested.r, bytes);
  }
  if (found) memcpy(found, nested.r, bytes);
  run->outer += nested.outer;
  run->inner += nested.inner;
  run->factorizations += nested.factorizations;
  add_stage(run, n->method->name);
  if (nested.ending == CH_ERR_ARGUMENT) {
    run->ending = nested.ending;
    memcpy(run->note, nested.note, sizeof run->note);
  }
  ch_arena_release(run->arena, mark);
  return nested.error;
}

void ch_run_form(ChRun* run) {
  ChShared* shared = run->shared;
  if (!shared->system->due) return;
  ch_system_form(shared->arena, shared->system);
  shared->linear[0] = shared->linear[1] = NULL;
}

ChLinearSystem* ch_run_linear(ChRun* run, int space, bool symmetric) {
  ChShared* shared = run->shared;
  CH_ASSERT(shared && shared->system);
  bool cholesky = symmetric && run->system->symmetric;
  bool same = shared->system->W.value == run->system->W.value && shared->system->bodies == run->system->bodies;
  ChLinearSystem** slot = &shared->linear[cholesky];
  const bool fits = same && *slot && ch_linear_space(*slot) == (ChSpace)space;
  if (!fits && (space != CH_SPACE_AUTO || !same))
    return ch_linear_create(run->arena, run->system, (ChSpace)space, symmetric);
  const ChLinearSystem* other = shared->linear[!cholesky];
  if (!*slot)
    *slot = ch_linear_create(shared->arena, shared->system, other ? ch_linear_space(other) : CH_SPACE_AUTO, symmetric);
  return *slot;
}

double ch_run_vary(unsigned long* seed, double spread) {
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return exp(spread * ((double)(*seed >> 33) / 1073741824.0 - 1.0));
}

double ch_option_value(const ChSolveOptions* options, const char* name, double fallback) {
  for (int k = options->setting_count - 1; k >= 0; --k)
    if (strcmp(options->settings[k].name, name) == 0) return options->settings[k].value;
  return fallback;
}
