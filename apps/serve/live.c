// The live session's thread: steps in time, orders between them, pictures at display rate.
#include "serve/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/clock.h"
#include "cardhouse/soft.h"
#include "common/by_row.h"
#include "serve/live_state.h"

static const double SHOW_SECONDS = 1.0 / 60.0;  // from picture to picture, at least
static const double UNSEEN_SECONDS = 0.25;      // after which a picture that nobody took is renewed
static const double LONGEST_WAIT = 0.5;         // for an order
static const double LONGEST_FLUENT = 2.0;       // of a step, where the picture is to move

// Of a built-in they are what the page's own form sends, and shows.
static ChStatus builtin_parameters(ChContext* context, const ChLiveOptions* options, int* count,
                                   char parameters[][2][CH_ORDER_WORD]) {
  const ChSceneChoice* choice = options->choice;
  *count = 0;
  if (ch_scene_builtin_find(options->scene) < 0) return CH_OK;
  for (int k = 0; k < choice->parameter_count; ++k) {
    const char* const* pair = choice->parameters[k];
    if (k == CH_ORDER_PARAMETERS_MAX || strlen(pair[0]) >= CH_ORDER_WORD || strlen(pair[1]) >= CH_ORDER_WORD)
      return ch_fail(context, CH_ERR_RANGE,
                     "parameter %.40s=%.40s is beyond the largest number of parameters, or too long", pair[0], pair[1]);
    snprintf(parameters[k][0], CH_ORDER_WORD, "%s", pair[0]);
    snprintf(parameters[k][1], CH_ORDER_WORD, "%s", pair[1]);
  }
  *count = choice->parameter_count;
  return CH_OK;
}

ChStatus ch_live_create(ChContext* context, const ChLiveOptions* options, ChExchange* exchange, ChLive** out) {
  *out = NULL;
  ChLive* live = calloc(1, sizeof *live);
  if (!live) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the viewer");
  live->exchange = exchange;
  live->first = strdup(options->scene);
  live->choice = *options->choice;
  live->running = !options->paused;
  live->speed = options->speed;
  live->fluent = options->fluent;
  live->record.path = options->record;
  ch_live_tell_hello(live);
  ChLiveScene scene = {0};
  char parameters[CH_ORDER_PARAMETERS_MAX][2][CH_ORDER_WORD];
  int count = 0;
  ChStatus status = builtin_parameters(context, options, &count, parameters);
  if (status == CH_OK)
    status =
        ch_live_scene_open(context, live, options->scene, count, (const char(*)[2][CH_ORDER_WORD])parameters, &scene);
  struct stat info;
  if (status == CH_OK && !(stat(options->scene, &info) == 0 && S_ISREG(info.st_mode)))
    live->first_text = strdup(scene.text);
  if (status == CH_OK)
    status = ch_live_start(context, live, &scene, options->compare[0] ? CH_PANES_MAX : 0, options->compare);
  if (status == CH_OK) {
    scene = (ChLiveScene){0};  // it is the session's
    status = ch_live_record_begin(context, live);
  }
  if (status != CH_OK) {
    ch_live_scene_clear(&scene);
    ch_live_destroy(live);
    return status;
  }
  *out = live;
  return CH_OK;
}

void ch_live_destroy(ChLive* live) {
  if (!live) return;
  ch_live_record_end(live);
  for (int k = 0; k < CH_PANES_MAX; ++k) ch_pane_destroy(&live->panes[k]);
  ch_live_scene_clear(&live->scene);
  ch_live_remove_files(live);
  free(live->first);
  free(live->first_text);
  free(live);
}

// --- time ------------------------------------------------------------------------------------------------------------

void ch_live_restart_clock(ChLive* live) {
  ch_pace_start(&live->pace, ch_clock_seconds(), ch_simulation_time(live->panes[0].simulation));
}

static int moving_bodies(const ChWorld* world) {
  int count = 0;
  for (int b = 0; b < ch_world_body_count(world); ++b) count += ch_row_moves(world, b);
  return count;
}

static void set_limit(ChPaceTerms* terms, double limit) {
  terms->limit = limit;
  terms->least = fmin(terms->least, limit);
}

void ch_live_set_pace(ChLive* live) {
  const ChSimulationOptions* o = &live->setup.options;
  int bodies = moving_bodies(ch_simulation_world(live->panes[0].simulation));
  const double own = o->solve.time_limit;
  live->pace = live->fluent ? ch_pace_live(o->h, live->speed, fmin(own, LONGEST_FLUENT), bodies, live->pane_count)
                            : ch_pace_exact(live->speed, own);
  if (live->limit_given > 0.0) {
    set_limit(&live->pace.terms, live->limit_given);
    set_limit(&live->pace.slow, live->limit_given);
  }
  ch_live_restart_clock(live);
}

// Wall seconds until the next step begins, which is when the last one is due.
static double seconds_to_step(ChLive* live) {
  if (live->speed == 0.0) return 0.0;
  double now = ch_clock_seconds(), time = ch_simulation_time(live->panes[0].simulation);
  ch_pace_forgive(&live->pace, now, time);
  return fmax(ch_pace_due(&live->pace, time) - now, 0.0);
}

// --- one step --------------------------------------------------------------------------------------------------------

// What is held, in the body's frame; of a deformable body in its shape without deformation.
static ChVec3 grip_point(const ChWorld* world, const ChOrder* drag) {
  ChSoftView soft;
  if (!ch_world_soft(world, drag->body, &soft) || drag->triangle < 0) return drag->local;
  ChVec3 at = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k)
    at = ch_along(at, drag->weights[k], soft.skin->rest[soft.skin->triangles[3L * drag->triangle + k]]);
  return at;
}

static ChStatus pull(ChContext* context, const ChLive* live, int pane) {
  const ChGrip grip = ch_grip_default();
  const ChOrder* drag = &live->drag;
  ChSimulation* s = live->panes[pane].simulation;
  if (drag->client == 0) return CH_OK;
  return ch_simulation_pull(context, s, ch_world_body_at(ch_simulation_world(s), drag->body),
                            grip_point(ch_simulation_world(s), drag), drag->target, &grip);
}

// All panes share the time; a step that was asked for alone has no clock to keep.
static void limit_step(ChLive* live) {
  double end = ch_simulation_time(live->panes[0].simulation) + live->setup.options.h;
  double limit = live->running ? ch_pace_allowance(&live->pace, ch_clock_seconds(), end) : live->pace.terms.limit;
  for (int k = 0; k < live->pane_count; ++k)
    ch_simulation_set_step_limit(NULL, live->panes[k].simulation, limit / live->pane_count);
}

// Whether the trajectory could be written is no matter of the step.
static void keep_record(ChLive* live, ChStatus (*write)(ChContext* context, ChLive* live)) {
  ChContext context = {0};
  if (write(&context, live) != CH_OK) ch_live_record_give_up(live, context.message);
}

void ch_live_step(ChLive* live) {
  ChContext context = {0};
  ChStatus status = CH_OK;
  double seconds = 0.0;
  bool met = true;
  keep_record(live, ch_live_record_begin);
  limit_step(live);
  for (int k = 0; k < live->pane_count && status == CH_OK; ++k) {
    status = pull(&context, live, k);
    if (status == CH_OK) status = ch_pane_step(&context, &live->panes[k], live->exchange, k, &seconds);
    met = met && !ch_simulation_info(live->panes[k].simulation).missed;
  }
  live->changed = true;
  if (status != CH_OK) {
    live->running = false;
    ch_live_tell_error(live, 0, context.message);
    ch_live_tell_state(live);
    return;
  }
  keep_record(live, ch_live_record_add);
  ChStepInfo info = ch_simulation_info(live->panes[0].simulation);
  double behind = live->running ? ch_pace_behind(&live->pace, ch_clock_seconds(), info.time) : 0.0;
  ch_loop_meter_step(&live->meter, info.h, seconds, live->pace.terms.limit, met, behind);
  if (live->pane_count > 1)
    ch_loop_meter_distance(&live->meter, info.time, ch_pane_distance(&live->panes[0], &live->panes[1]));
}

// --- the thread ------------------------------------------------------------------------------------------------------

static double seconds_to_show(const ChLive* live) {
  double rest = ch_exchange_was_seen(live->exchange, 0) ? SHOW_SECONDS : UNSEEN_SECONDS;
  return live->shown_at + rest - ch_clock_seconds();
}

static void show(ChLive* live) {
  for (int k = 0; k < live->pane_count; ++k)
    ch_pane_show(&live->panes[k], live->exchange, k, live->generation, live->running);
  live->shown_at = ch_clock_seconds();
  live->changed = false;
}

static double seconds_to_wait(ChLive* live, bool active) {
  double wait = active ? fmin(seconds_to_step(live), LONGEST_WAIT) : LONGEST_WAIT;
  if (live->changed) wait = fmin(wait, fmax(seconds_to_show(live), 0.0));
  return wait;
}

void ch_live_run(ChLive* live) {
  bool active = false;
  while (!ch_exchange_stopped(live->exchange)) {
    bool watched = ch_exchange_watchers(live->exchange) > 0, was = active;
    active = live->running && watched;
    if (active && !was) ch_live_restart_clock(live);
    ChOrder order;
    double wait = seconds_to_wait(live, active);
    for (bool any = ch_exchange_take(live->exchange, wait, &order); any;
         any = ch_exchange_take(live->exchange, 0.0, &order))
      ch_live_obey(live, &order);
    ch_live_serve_problem(live);
    ch_live_look_at_file(live);
    if (active && live->running && seconds_to_step(live) <= 0.0) ch_live_step(live);
    if (live->changed && seconds_to_show(live) <= 0.0) show(live);
    if (watched && ch_loop_meter_due(&live->meter)) ch_live_tell_loop(live);
  }
}
