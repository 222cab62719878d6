// A context and an arena for the tests of one file.
#ifndef CH_TESTS_SUPPORT_ARENA_RIG_H
#define CH_TESTS_SUPPORT_ARENA_RIG_H

#include "base/arena.h"
#include "cardhouse/status.h"

static ChContext context;
static ChArena* arena;

static int open_arena(void** state) {
  (void)state;
  context = (ChContext){0};
  arena = ch_arena_create(NULL);
  return arena ? 0 : -1;
}

static int close_arena(void** state) {
  (void)state;
  ch_arena_destroy(arena);
  return 0;
}

#endif
