// Surfaces of shapes for callers of the library: see cardhouse/shape.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/shapes/surface.h"

enum { FACETS_LEAST = 8, FACETS_MOST = 120 };

int ch_world_shape_like(const ChWorld* world, int row) {
  if (row < 0 || row >= world->shape_count) return row;
  const ChShape* shape = &world->shapes[row];
  if (!shape->mesh && !shape->soft) return row;
  int k = 0;
  while (world->shapes[k].mesh != shape->mesh || world->shapes[k].soft != shape->soft) ++k;
  return k;
}

// Where a shape is at the start.
static ChFrame start_of(const ChWorld* world, const ChShapeView* shape) {
  return ch_frame_compose(ch_world_body_start(world, shape->body, NULL), shape->local);
}

double ch_world_ball(const ChWorld* world, ChVec3* centre) {
  ChVec3 sum = {0};
  int count = 0;
  for (int k = 0; k < world->shape_count; ++k) {
    const ChShapeView shape = ch_world_shape(world, k);
    if (!isfinite(shape.bound)) continue;
    sum = ch_add(sum, start_of(world, &shape).at);
    ++count;
  }
  *centre = count ? ch_scale(1.0 / count, sum) : sum;
  double reach = count ? 0.0 : 0.5;
  for (int k = 0; k < world->shape_count; ++k) {
    const ChShapeView shape = ch_world_shape(world, k);
    if (!isfinite(shape.bound)) continue;
    reach = fmax(reach, ch_norm(ch_sub(start_of(world, &shape).at, *centre)) + shape.bound);
  }
  return reach;
}

// What the arena holds, in memory that the caller frees.
static ChStatus copy_out(ChContext* context, const ChPatches* p, ChPatches* out) {
  size_t points = (size_t)p->point_count * sizeof *p->points, sizes = (size_t)p->cell_count * sizeof(int),
         corners = (size_t)p->corner_count * sizeof(int), uv = p->uv ? 2 * (size_t)p->corner_count * sizeof *p->uv : 0;
  *out = *p;
  out->points = malloc(points + 1);
  out->sizes = malloc(sizes + 1);
  out->corners = malloc(corners + 1);
  out->uv = uv ? malloc(uv) : NULL;
  if (!out->points || !out->sizes || !out->corners || (uv && !out->uv)) {
    ch_patches_free(out);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a surface of %d points", p->point_count);
  }
  memcpy(out->points, p->points, points);
  memcpy(out->sizes, p->sizes, sizes);
  memcpy(out->corners, p->corners, corners);
  if (uv) memcpy(out->uv, p->uv, uv);
  return CH_OK;
}

ChStatus ch_world_shape_surface(ChContext* context, const ChWorld* world, int shape, const ChSurfaceView* view,
                                ChPatches* out) {
  *out = (ChPatches){0};
  if (shape < 0 || shape >= world->shape_count)
    return ch_fail(context, CH_ERR_RANGE, "there is no shape %d; there are %d", shape, world->shape_count);
  if (!(view->facets >= FACETS_LEAST && view->facets <= FACETS_MOST))
    return ch_fail(context, CH_ERR_RANGE, "%d facets, must be from %d to %d", view->facets, FACETS_LEAST, FACETS_MOST);
  jmp_buf landing;
  ChArena* arena = ch_arena_create(&landing);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the surface of shape %d", shape);
  }
  ChPatches patches = ch_shape_patches(arena, &world->shapes[shape], view);
  ChStatus status = copy_out(context, &patches, out);
  ch_arena_destroy(arena);
  return status;
}

void ch_patches_free(ChPatches* patches) {
  free(patches->points);
  free(patches->sizes);
  free(patches->corners);
  free(patches->uv);
  *patches = (ChPatches){0};
}
