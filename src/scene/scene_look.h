// How a scene looks: what bodies and materials say of themselves, and the key "look" of the scene as a whole.
#ifndef CH_SCENE_SCENE_LOOK_H
#define CH_SCENE_SCENE_LOOK_H

#include "scene/document.h"

// The text of the first document's "look", for whoever draws, or NULL where it has none; the caller frees it. Fails
// where a key of the camera's path is wrong, or the body that it follows is not there: then `*out` is NULL.
bool ch_look_text(ChReader* reader, const ChDocuments* documents, const ChWorld* world, char** out);

#endif
