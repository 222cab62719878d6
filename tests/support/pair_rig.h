// What a cmocka test of pair routines stands on: an arena for shapes and a list for the points found.
#ifndef CH_TESTS_PAIR_RIG_H
#define CH_TESTS_PAIR_RIG_H

#include <stdlib.h>

#include "collide/pairs.h"

typedef struct Rig {
  ChArena* arena;
  ChContext context;
  ChManifold list;
} Rig;

static int set_up(void** state) {
  Rig* rig = calloc(1, sizeof *rig);
  if (!rig) return 1;
  rig->arena = ch_arena_create(NULL);
  *state = rig;
  return rig->arena == NULL;
}

static int tear_down(void** state) {
  Rig* rig = *state;
  free(rig->list.points);
  ch_arena_destroy(rig->arena);
  free(rig);
  return 0;
}

#endif
