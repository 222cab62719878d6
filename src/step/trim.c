#include "base/arena.h"
#include "cardhouse/memory.h"

void ch_memory_trim(void) { ch_arena_trim(); }
