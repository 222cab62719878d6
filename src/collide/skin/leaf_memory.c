// See leaf_memory.h.
#include "collide/skin/leaf_memory.h"

#include "collide/reserve.h"

typedef struct Kept {
  ChBroadPair pair;
  ChLeafList lists[2];
  struct Kept *next, *made_before;  // of those that nobody uses; of all
} Kept;

struct ChLeafMemory {
  ChArena* arena;
  int count, room, other_room, list_room;
  Kept **kept, **others;  // of the last call's pairs, in their order; of this call's, while they are matched
  Kept *unused, *last_made;
  ChLeafList** lists;
};

static void free_lists(void* object) {
  ChLeafMemory* memory = object;
  for (Kept* k = memory->last_made; k; k = k->made_before)
    for (int side = 0; side < 2; ++side) ch_leaf_list_free(&k->lists[side]);
}

ChLeafMemory* ch_leaf_memory_create(ChArena* arena) {
  ChLeafMemory* memory = CH_TAKE(arena, 1, ChLeafMemory);
  memory->arena = arena;
  ch_arena_defer(arena, free_lists, memory);
  return memory;
}

static bool is_before(const ChBroadPair* a, const ChBroadPair* b) {
  return a->item[0] != b->item[0] ? a->item[0] < b->item[0] : a->item[1] < b->item[1];
}

static Kept* take(ChLeafMemory* memory, const ChBroadPair* pair) {
  Kept* kept = memory->unused;
  if (kept) {
    memory->unused = kept->next;
  } else {
    kept = CH_TAKE(memory->arena, 1, Kept);
    kept->made_before = memory->last_made;
    memory->last_made = kept;
  }
  kept->pair = *pair;
  for (int side = 0; side < 2; ++side) kept->lists[side].covered = 0.0;
  return kept;
}

static void give_back(ChLeafMemory* memory, Kept* kept) {
  kept->next = memory->unused;
  memory->unused = kept;
}

static bool wants_lists(const ChPosed* a, const ChPosed* b, bool meshes) {
  return a->skin || b->skin || (meshes && ch_pair_is_exact(a, b));
}

ChLeafList** ch_leaf_memory_match(ChLeafMemory* memory, int pair_count, const ChBroadPair* pairs, const ChPosed* posed,
                                  bool meshes) {
  int count = 0, old = 0;
  CH_RESERVE(memory->arena, memory->lists, 0, pair_count, memory->list_room);
  CH_RESERVE(memory->arena, memory->others, 0, pair_count, memory->other_room);
  for (int k = 0; k < pair_count; ++k) {
    memory->lists[k] = NULL;
    if (!wants_lists(&posed[pairs[k].item[0]], &posed[pairs[k].item[1]], meshes)) continue;
    while (old < memory->count && is_before(&memory->kept[old]->pair, &pairs[k]))
      give_back(memory, memory->kept[old++]);
    bool again = old < memory->count && !is_before(&pairs[k], &memory->kept[old]->pair);
    Kept* kept = again ? memory->kept[old++] : take(memory, &pairs[k]);
    memory->others[count++] = kept;
    memory->lists[k] = kept->lists;
  }
  while (old < memory->count) give_back(memory, memory->kept[old++]);
  Kept** swapped = memory->kept;
  int room = memory->room;
  memory->kept = memory->others, memory->room = memory->other_room;
  memory->others = swapped, memory->other_room = room;
  memory->count = count;
  return memory->lists;
}
