// Lists of near leaves from step to step: every pair that is a pair again finds its own, the others' are used again.
#ifndef CH_COLLIDE_SKIN_LEAF_MEMORY_H
#define CH_COLLIDE_SKIN_LEAF_MEMORY_H

#include "collide/broad.h"
#include "collide/skin/leaf_list.h"

typedef struct ChLeafMemory ChLeafMemory;

// Lives in the arena.
ChLeafMemory* ch_leaf_memory_create(ChArena* arena);

// `meshes`: whether there are any. For every pair its two lists, or NULL where neither is a skin nor both are surfaces
// of triangles; valid until the next call. Pairs are sorted, as they were the last time.
ChLeafList** ch_leaf_memory_match(ChLeafMemory* memory, int pair_count, const ChBroadPair* pairs, const ChPosed* posed,
                                  bool meshes);

#endif
