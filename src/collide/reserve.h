// Arrays in an arena that grow to what is needed and stay: a steady state takes nothing.
#ifndef CH_COLLIDE_RESERVE_H
#define CH_COLLIDE_RESERVE_H

#include <string.h>

#include "base/arena.h"

// Makes `array` hold at least `needed` entries, keeping the first `kept`; `room` is how many it holds. The old array
// stays in the arena unused: as room doubles, all of them together are no larger than the new one.
#define CH_RESERVE(arena, array, kept, needed, room)                                                           \
  do {                                                                                                         \
    if ((needed) > (room)) (array) = ch_reserve((arena), (array), (kept), (needed), &(room), sizeof *(array)); \
  } while (0)

static inline void* ch_reserve(ChArena* arena, const void* old, int kept, int needed, int* room, size_t size) {
  int wanted = *room < 64 ? 64 : *room > 1 << 29 ? needed : 2 * *room;
  if (wanted < needed) wanted = needed;
  void* array = ch_arena_take(arena, (size_t)wanted, size);
  if (!array) return NULL;
  if (kept) memcpy(array, old, (size_t)kept * size);
  *room = wanted;
  return array;
}

#endif
