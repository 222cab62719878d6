// Building a world: what the files that add things to it share. Every add_ function runs inside ch_world_add, so that a
// failed allocation becomes a status; a refused definition leaves the world as it was.
#ifndef CH_MODEL_WORLD_BUILD_H
#define CH_MODEL_WORLD_BUILD_H

#include "base/check.h"
#include "model/ids.h"

typedef ChStatus ChAddFn(ChContext* context, ChWorld* world, const void* def, int* id);
ChStatus ch_world_add(ChContext* context, ChWorld* world, const void* def, int* id, ChAddFn* add);

// The array, moved to where one more entry has room.
void* ch_world_grow(ChWorld* world, void* array, int count, int* room, size_t size);
#define CH_GROW(world, array, count, room) \
  ((world)->array = ch_world_grow((world), (world)->array, (world)->count, &(world)->room, sizeof *(world)->array))

// A copy in the world's arena; NULL stays NULL.
char* ch_world_copy_text(ChWorld* world, const char* text);

// Checks and copies; `what` names the signal in messages, e.g. "body 'crate': motion[0]".
ChStatus ch_signal_check(ChContext* context, const ChSignal* signal, const char* what);
ChSignal ch_signal_copy(ChWorld* world, const ChSignal* signal);

// Rows of the bodies of a joint or force: there, or CH_GROUND, not the same, one of them dynamic. `what` as above.
ChStatus ch_world_check_bodies(ChContext* context, const ChWorld* world, const ChBodyId id[2], const char* what,
                               int body[2]);

// Of one body whose shapes follow each other: mass properties, and everything about its centre of mass.
ChStatus ch_body_finish(ChContext* context, ChWorld* world, int body);
// Pairs of bodies that never touch: sorted, none twice.
void ch_world_sort_ignored(ChWorld* world);
// The table of names anew, for other rows.
void ch_world_list_names(ChWorld* world);

// Part of the checks of numbers: `name` is the field. In the plane a vector has no third coordinate.
ChStatus ch_check_number(ChContext* context, const char* what, const char* name, double value, double lowest);
ChStatus ch_check_vector(ChContext* context, const ChWorld* world, const char* what, const char* name, ChVec3 value);
// As a unit vector; refuses zero.
ChStatus ch_check_axis(ChContext* context, const ChWorld* world, const char* what, const char* name, ChVec3* value);

// Name of a body for messages; "the ground" for CH_GROUND.
const char* ch_world_label(const ChWorld* world, int body);

enum { CH_WHAT_SIZE = 160 };

#endif
