// Scenes with deformable bodies that were recorded.
#ifndef CH_SCENE_RECORDED_SCENE_H
#define CH_SCENE_RECORDED_SCENE_H

#include "cardhouse/scene.h"
#include "cardhouse/soft.h"

// ch_scene_parse with deformable bodies that were recorded; NULL: from their meshes. `forgiving`: textures that are not
// there are left out.
ChStatus ch_scene_parse_recorded(ChContext* context, const char* text, const char* file,
                                 const ChRecordedSofts* recorded, bool forgiving, ChScene** out);

#endif
