// The scene that a recording carries as text.
#ifndef CH_SCENE_RECORDED_SCENE_H
#define CH_SCENE_RECORDED_SCENE_H

#include "cardhouse/scene.h"

// Parses it and seals its world. Files that the scene names (meshes) lie beside the scene, which a recording does not
// tell: they are looked for in the working folder, then beside the recording, whose path this is.
ChStatus ch_scene_of_recording(ChContext* context, const char* text, const char* path, ChScene** out);

#endif
