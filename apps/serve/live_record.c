// The session as a trajectory: every world that was watched in a file of its own, since a trajectory has one set of
// bodies. A reset, another scene and a thrown block each begin the next file: run.h5, run-2.h5, run-3.h5.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/record.h"
#include "serve/live_state.h"

static const double ROWS_A_SECOND = 60.0;  // of simulated time, about

// The number goes before the ending of the name.
static void name_file(const char* path, int number, size_t size, char* out) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
  if (number == 1)
    snprintf(out, size, "%s", path);
  else
    snprintf(out, size, "%.*s-%d%s", (int)stem, path, number, path + stem);
}

static ChStatus close_file(ChContext* context, ChLiveRecord* record) {
  ChStatus status = record->file ? ch_trajectory_close(context, record->file) : CH_OK;
  record->file = NULL;
  return status;
}

static ChStatus open_file(ChContext* context, ChLive* live) {
  ChLiveRecord* record = &live->record;
  char path[4096];
  name_file(record->path, record->count + 1, sizeof path, path);
  char* text = ch_pane_text(&live->setup);
  if (!text) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the recording");
  double every = fmax(1.0, round(1.0 / (ROWS_A_SECOND * live->setup.options.h)));
  ChStatus status =
      ch_trajectory_create(context, path, live->panes[0].simulation, text, (int)fmin(every, 1e6), false, &record->file);
  free(text);
  record->generation = live->generation;
  if (status == CH_OK) ++record->count;
  return status;
}

ChStatus ch_live_record_begin(ChContext* context, ChLive* live) {
  ChLiveRecord* record = &live->record;
  if (!record->path || (record->file && record->generation == live->generation)) return CH_OK;
  ChStatus status = close_file(context, record);
  return status == CH_OK ? open_file(context, live) : status;
}

ChStatus ch_live_record_add(ChContext* context, ChLive* live) {
  if (!live->record.file) return CH_OK;
  return ch_trajectory_add(context, live->record.file, live->panes[0].simulation);
}

// What fails is told once; the session goes on without a record.
void ch_live_record_give_up(ChLive* live, const char* message) {
  ch_live_tell_error(live, 0, message);
  close_file(NULL, &live->record);
  live->record.path = NULL;
}

void ch_live_record_end(ChLive* live) { close_file(NULL, &live->record); }
