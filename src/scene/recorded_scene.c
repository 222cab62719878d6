// Scenes of recordings: see recorded_scene.h.
#include "scene/recorded_scene.h"

#include "model/world.h"

ChStatus ch_scene_of_recording(ChContext* context, const char* text, const char* path, const ChRecordedSofts* softs,
                               ChScene** out) {
  ChStatus status = ch_scene_parse_recorded(context, text, NULL, softs, out);
  if (status == CH_ERR_FILE) status = ch_scene_parse_recorded(context, text, path, softs, out);
  return status == CH_OK ? ch_world_seal(context, (*out)->world) : status;
}
