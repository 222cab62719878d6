// Scenes run by items: see play.h.
#include "reproduce/play.h"

#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/clock.h"

enum { PATH_SIZE = 4096 };

ChStatus ch_item_parse(ChItemRun* run, const char* text, const char* name, ChScene** out) {
  ChStatus status = ch_scene_parse(run->context, text, name, out);
  if (status == CH_OK) (*out)->options.adaptive = CH_ADAPTIVE_OFF;
  return status;
}

ChStatus ch_item_scene(ChItemRun* run, const char* name, int count, const char* const (*parameters)[2], ChScene** out) {
  char* text = NULL;
  *out = NULL;
  ChStatus status = ch_scene_builtin(run->context, name, count, parameters, &text);
  if (status == CH_OK) status = ch_item_parse(run, text, name, out);
  free(text);
  return status;
}

ChStatus ch_item_written_scene(ChItemRun* run, const char* name, void (*put)(FILE* file, const void* state),
                               const void* state, ChScene** out) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file) put(file, state);
  bool whole = file && !ferror(file);
  if (file && fclose(file) != 0) whole = false;
  ChStatus status = whole ? ch_item_parse(run, text, name, out)
                          : ch_fail(run->context, CH_ERR_MEMORY, "out of memory for the scene %s", name);
  free(text);
  return status;
}

static ChStatus step_through(ChItemRun* run, const ChPlay* play, double until, ChSimulation* s,
                             ChTrajectory* trajectory, ChSummary* summary) {
  double h = ch_simulation_options(s)->h;
  bool tells = play->progress[1] > play->progress[0], on = true;
  ChStatus status = CH_OK;
  while (status == CH_OK && on && ch_simulation_time(s) < until - 0.01 * h) {
    ChStepInfo info;
    status = ch_simulation_step(run->context, s, &info);
    if (status == CH_OK && trajectory) status = ch_trajectory_add(run->context, trajectory, s);
    if (status != CH_OK) break;
    if (summary) ch_summary_add(summary, s);
    if (play->each) on = play->each(play->state, s, &info);
    double part = ch_simulation_time(s) / until;
    if (tells) on = ch_item_progress(run, play->progress[0] + part * (play->progress[1] - play->progress[0])) && on;
  }
  return status;
}

ChStatus ch_item_play(ChItemRun* run, ChScene* scene, const ChPlay* play, ChSummary* summary) {
  ChSimulation* simulation = NULL;
  ChTrajectory* trajectory = NULL;
  ChWorld* world = scene->world;
  scene->world = NULL;
  ChStatus status = ch_simulation_create(run->context, world, &scene->options, &simulation);
  if (status == CH_OK && play->record) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", run->folder, play->record);
    status = ch_trajectory_create(run->context, path, simulation, scene->text, play->every ? play->every : 1, false,
                                  &trajectory);
  }
  if (status == CH_OK && summary) *summary = ch_summary_begin(simulation);
  if (status == CH_OK)
    status = step_through(run, play, play->until > 0.0 ? play->until : scene->until, simulation, trajectory, summary);
  ChContext closing = {0};
  ChStatus closed = ch_trajectory_close(&closing, trajectory);
  if (status == CH_OK && closed != CH_OK) *run->context = closing, status = closed;
  ch_simulation_destroy(simulation);
  return status;
}

ChStatus ch_item_play_timed(ChItemRun* run, ChScene* scene, const ChPlay* play, ChSummary* summary, double* seconds) {
  double began = ch_clock_processor_seconds();
  ChStatus status = ch_item_play(run, scene, play, summary);
  *seconds = ch_clock_processor_seconds() - began;
  ch_scene_destroy(scene);
  return status;
}
