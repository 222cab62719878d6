// Trajectories, or scenes that are run: see recorded.h.
#ifdef CH_VIEWER

#include "cli/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardhouse/disk.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "cardhouse/trajectory.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scene_open.h"
#include "cli/signals.h"

bool ch_recorded_is_file(const char* name) { return ch_trajectory_is_one(name); }

static ChStatus step_through(ChContext* context, ChSimulation* s, ChTrajectory* trajectory, double until) {
  ChProgress progress = ch_progress_begin(true, 0.0, until);
  ChStatus status = CH_OK;
  double h = ch_simulation_options(s)->h;
  long missed = 0;
  while (status == CH_OK && ch_simulation_time(s) < until - 0.01 * h && !ch_stop_asked()) {
    status = ch_simulation_step(context, s, NULL);
    if (status != CH_OK) break;
    status = ch_trajectory_add(context, trajectory, s);
    missed += ch_simulation_info(s).missed;
    ch_progress_step(&progress, s, missed);
  }
  ch_progress_end(&progress);
  return status;
}

static ChStatus run_scene(ChContext* context, ChScene* scene, const ChRecordedRun* run, const char* path) {
  ChSimulation* simulation = NULL;
  ChTrajectory* trajectory = NULL;
  ChWorld* world = scene->world;
  scene->world = NULL;
  scene->options.solve.stop = ch_stop_asked_by;
  ChStatus status = ch_simulation_create(context, world, &scene->options, &simulation);
  int every = (int)fmin(fmax(1.0, floor(1.0 / (run->rate * scene->options.h) + 1e-6)), 1e6);
  if (status == CH_OK) status = ch_trajectory_create(context, path, simulation, scene->text, every, false, &trajectory);
  if (status == CH_OK)
    status = step_through(context, simulation, trajectory, run->until >= 0.0 ? run->until : scene->until);
  ChContext closing = {0};
  ChStatus closed = ch_trajectory_close(&closing, trajectory);
  if (status == CH_OK && closed != CH_OK) *context = closing, status = closed;
  ch_simulation_destroy(simulation);
  return status;
}

// A ChLastFn, too.
static bool remove_folder(void* user) {
  const ChRecorded* recorded = user;
  char path[300];
  snprintf(path, sizeof path, "%s/run.h5", recorded->folder);
  if (recorded->folder[0]) {
    unlink(path);
    rmdir(recorded->folder);
  }
  return false;
}

static ChExit run_and_open(const ChCommand* self, ChScene* scene, const ChRecordedRun* run, ChRecorded* out) {
  ChContext context = {0};
  const char* base = getenv("TMPDIR");
  snprintf(out->folder, sizeof out->folder, "%s/cardhouse-run-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(out->folder)) {
    ch_complain(self, "no temporary folder can be made: %s", strerror(errno));
    out->folder[0] = '\0';
    return CH_EXIT_FAULT;
  }
  char path[300];
  snprintf(path, sizeof path, "%s/run.h5", out->folder);
  ChStatus status = run_scene(&context, scene, run, path);
  if (ch_stop_asked()) {
    ch_complain(self, "interrupted while the scene was running");
    return (ChExit)ch_stop_status();
  }
  if (status == CH_OK) status = ch_recording_open(&context, path, &out->recording);
  return status == CH_OK ? CH_EXIT_DONE : ch_failure_exit(self, &context, status);
}

// A signal ends the program at once until there is something to clean up.
ChExit ch_recorded_open(const ChCommand* self, const char* name, const ChRecordedRun* run, ChRecorded* out) {
  *out = (ChRecorded){0};
  if (!ch_contact_check(self, run->choice->contact)) return CH_EXIT_USAGE;
  ChContext context = {0};
  ChScene* scene = NULL;
  bool recorded = ch_recorded_is_file(name);
  if (recorded && run->choice->parameter_count > 0) {
    ch_complain(self, "%s is a recording; parameters belong to a scene", name);
    return CH_EXIT_USAGE;
  }
  ch_signals_end();
  ChStatus status = recorded ? ch_recording_open(&context, name, &out->recording)
                             : ch_scene_open_telling(self, &context, name, run->choice, &scene);
  ch_signals_heed(remove_folder, out);
  if (status != CH_OK) return ch_failure_exit(self, &context, status);
  ChExit result = recorded ? CH_EXIT_DONE : run_and_open(self, scene, run, out);
  ch_scene_destroy(scene);
  return result;
}

void ch_recorded_close(ChRecorded* recorded) {
  ch_recording_close(recorded->recording);
  remove_folder(recorded);
}

#endif
