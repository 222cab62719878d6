// Reads a recording as the commands do that show or measure one, row by row.
#ifndef FUZZ_READ_H
#define FUZZ_READ_H

#include "cardhouse/trajectory.h"
#include "fuzz_run.h"

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
  ChScene* scene = NULL;
  ChStatus status = ch_scene_of_trajectory(&context, path, &scene);
  // A refusal says why; a success gives a scene.
  if ((status == CH_OK) != (scene != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (scene) fuzz_rows(&context, path, scene->world);
  if (scene) ch_scene_destroy(scene);
}

#endif
