// Reads a recording as the commands do that show or measure one, row by row.
#ifndef FUZZ_READ_H
#define FUZZ_READ_H

#include "fuzz_run.h"
#include "model/soft/soft_recorded.h"
#include "record/trajectory_read.h"
#include "scene/recorded_scene.h"

static inline void fuzz_rows(ChContext* context, const char* path, const ChWorld* world) {
  ChTrajectoryReader* reader = NULL;
  ChTrajectoryRow row;
  long rows = 0;
  ChStatus status = ch_trajectory_reader_open(context, path, world, &reader);
  if ((status == CH_OK) != (reader != NULL) || (status != CH_OK && context->message[0] == '\0')) abort();
  if (!reader) return;
  ch_trajectory_reader_steps(reader, &rows);
  for (long k = 0; k < rows && k < 64; ++k)
    if (ch_trajectory_reader_row(context, reader, k, &row) != CH_OK && context->message[0] == '\0') abort();
  ch_trajectory_reader_close(reader);
}

static inline void fuzz_read(const char* path) {
  ChContext context = {0};
  char* text = NULL;
  ChRecordedSofts* softs = NULL;
  ChScene* scene = NULL;
  ChStatus status = ch_trajectory_scene(&context, path, &text);
  if (status == CH_OK) status = ch_trajectory_softs(&context, path, &softs);
  if (status == CH_OK) status = ch_scene_of_recording(&context, text, path, softs, &scene);
  // A refusal says why; a success gives a scene.
  if ((status == CH_OK) != (scene != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (scene) fuzz_rows(&context, path, scene->world);
  if (scene) ch_scene_destroy(scene);
  ch_recorded_softs_destroy(softs);
  free(text);
}

#endif
