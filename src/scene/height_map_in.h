// Height maps in an arena: see cardhouse/height_map.h.
#ifndef CH_SCENE_HEIGHT_MAP_IN_H
#define CH_SCENE_HEIGHT_MAP_IN_H

#include "base/arena.h"
#include "cardhouse/height_map.h"

// The arena has a landing.
ChStatus ch_height_map_read_in(ChContext* context, ChArena* arena, const char* path, ChHeightMap* out);

#endif
