// The scene that a recording carries as text.
#ifndef CH_SCENE_RECORDED_SCENE_H
#define CH_SCENE_RECORDED_SCENE_H

#include "cardhouse/scene.h"
#include "model/soft/soft_recorded.h"

// Parses it and seals its world, in which deformable bodies are as they were recorded: their meshes are not read. Files
// of rigid shapes lie beside the scene, which a recording does not tell: they are looked for in the working folder,
// then beside the recording, whose path this is.
ChStatus ch_scene_of_recording(ChContext* context, const char* text, const char* path, const ChRecordedSofts* softs,
                               ChScene** out);

// ch_scene_parse with deformable bodies that were recorded; NULL: from their meshes.
ChStatus ch_scene_parse_recorded(ChContext* context, const char* text, const char* file,
                                 const ChRecordedSofts* recorded, ChScene** out);

#endif
