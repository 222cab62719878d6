// Texts of a scene: its own and those that it includes, parsed, their formulas resolved.
#ifndef CH_SCENE_DOCUMENT_H
#define CH_SCENE_DOCUMENT_H

#include "scene/forms.h"

enum { CH_SCENE_BYTES_MAX = 1 << 27, CH_INCLUDES_MAX = 64 };

// The scene itself comes first, then what it includes, in the order in which they are named.
typedef struct ChDocuments {
  int count;
  ChDocument document[CH_INCLUDES_MAX + 1];
  ChSceneRoot root[CH_INCLUDES_MAX + 1];
} ChDocuments;

// Parses `text` and everything it includes. JSON values and texts are freed with the reader's arena.
bool ch_documents_read(ChReader* reader, const char* text, size_t size, const char* file, ChDocuments* out);

// `name`, found from the folder of `file`.
const char* ch_path_beside(ChArena* arena, const char* file, const char* name);

#endif
