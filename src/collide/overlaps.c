// Overlaps of a world at its start: see cardhouse/shape.h.
#include <stdlib.h>

#include "collide/collide.h"

// The caller's own copy of the gaps that are negative.
static ChStatus keep(ChContext* context, const ChGap* gaps, int count, ChOverlap** out, int* kept) {
  int some = 0;
  for (int k = 0; k < count; ++k) some += gaps[k].gap < 0.0;
  if (some == 0) return CH_OK;
  *out = malloc((size_t)some * sizeof **out);
  if (!*out) return ch_fail(context, CH_ERR_MEMORY, "out of memory for %d overlaps", some);
  for (int k = 0; k < count; ++k)
    if (gaps[k].gap < 0.0)
      (*out)[(*kept)++] =
          (ChOverlap){.body = {gaps[k].body[0], gaps[k].body[1]}, .point = gaps[k].point, .depth = -gaps[k].gap};
  return CH_OK;
}

ChStatus ch_world_overlaps(ChContext* context, const ChWorld* world, ChOverlap** out, int* count) {
  ChCollider* collider = NULL;
  const ChGap* gaps = NULL;
  int found = 0;
  const ChCollideOptions options = {.margin = 0.0};
  *out = NULL;
  *count = 0;
  if (!world->sealed) return ch_fail(context, CH_ERR_ARGUMENT, "overlaps need a sealed world");
  ChStatus status = ch_collider_create(context, world, &collider);
  if (status == CH_OK) status = ch_collide(context, collider, world->states, &options, &gaps, &found);
  if (status == CH_OK) status = keep(context, gaps, found, out, count);
  ch_collider_destroy(collider);
  return status;
}
