// The skin of a deformable body, which brings its own mass; ch_world_add_soft makes it.
#include "model/shapes/shape_kind.h"
#include "model/soft/soft.h"

// As it is at rest; whoever draws a deformed one moves the points, which are the skin's vertices in their order.
static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  (void)view;
  const ChSoftSkin* skin = &s->soft->skin;
  return ch_patches_triangles(arena, skin->vertex_count, skin->rest, skin->triangle_count, skin->triangles);
}

const ChShapeKind ch_shape_kind_soft = {
    .info = {.name = "soft", .label = "skin", .summary = "the skin of a deformable body", .dimension = 3, .skin = true},
    .surface = surface};
