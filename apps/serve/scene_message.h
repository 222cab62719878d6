// The scene as a page draws it: shapes in the frames of their bodies (origin in the centre of mass), joints, bounds.
#ifndef CH_SERVE_SCENE_MESSAGE_H
#define CH_SERVE_SCENE_MESSAGE_H

#include <jansson.h>

#include "cardhouse/world.h"

// Members "dimension", "gravity", "materials", "bodies", "joints", "bounds" and "look" of the message `scene`; the
// world is sealed. `look`: that of its scene (ChScene), or NULL. NULL when out of memory.
json_t* ch_scene_message(const ChWorld* world, const char* look);

// The box that holds at the start what moves, or all that is finite where nothing does.
typedef struct ChViewBounds {
  ChVec3 low, high;
} ChViewBounds;
ChViewBounds ch_world_bounds(const ChWorld* world);
// The same for other places: of nothing, and wider by a body in this frame, bent by these amplitudes.
ChViewBounds ch_bounds_nothing(void);
void ch_bounds_add_body(ChViewBounds* bounds, const ChWorld* world, int body, ChFrame frame, const double* modes);

// One line of text, and gives the object up. NULL when out of memory; the caller frees it.
char* ch_message_text(json_t* object);
json_t* ch_json_vector(ChVec3 v);
const char* ch_body_kind_word(ChBodyKind kind);

#endif
