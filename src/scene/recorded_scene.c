// Scenes of recordings: see cardhouse/trajectory.h.
#include "scene/recorded_scene.h"

#include <stdlib.h>

#include "cardhouse/shape.h"
#include "record/trajectory_read.h"

// Files are looked for in the working folder, then beside the recording; then only what bodies are made of, for
// textures are no reason not to show a recording.
static ChStatus parse(ChContext* context, const char* text, const char* path, const ChRecordedSofts* softs,
                      ChScene** out) {
  const struct {
    const char* beside;
    bool forgiving;
  } tries[] = {{NULL, false}, {path, false}, {NULL, true}, {path, true}};
  ChStatus status = CH_ERR_FILE;
  for (size_t k = 0; k < sizeof tries / sizeof *tries && status == CH_ERR_FILE; ++k)
    status = ch_scene_parse_recorded(context, text, tries[k].beside, softs, tries[k].forgiving, out);
  return status;
}

ChStatus ch_scene_of_trajectory(ChContext* context, const char* path, ChScene** out) {
  char* text;
  ChRecordedSofts* softs = NULL;
  *out = NULL;
  ChStatus status = ch_trajectory_scene(context, path, &text);
  if (status != CH_OK) return status;
  status = ch_trajectory_softs(context, path, &softs);
  if (status == CH_OK) status = parse(context, text, path, softs, out);
  if (status == CH_OK) status = ch_world_seal(context, (*out)->world);
  if (status != CH_OK && *out) {
    ch_scene_destroy(*out);
    *out = NULL;
  }
  ch_recorded_softs_destroy(softs);
  free(text);
  return status;
}
