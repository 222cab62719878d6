// A polyline in the plane, solid on the right of its direction. One that ends where it began is closed.
#include "model/shapes/shape_kind.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  int count = def->point_count;
  const ChVec3 *first = &def->points[0], *last = &def->points[count - 1];
  bool loop = count > 3 && first->x == last->x && first->y == last->y;
  int* cells = CH_TAKE(world->arena, 2 * count, int);
  for (int k = 0; k + 1 < count; ++k) {
    cells[2 * k] = k;
    cells[2 * k + 1] = loop && k + 2 == count ? 0 : k + 1;
  }
  ChMesh* chain = NULL;
  ChStatus status =
      ch_mesh_create(context, world->arena, loop ? count - 1 : count, def->points, count - 1, cells, 2, &chain);
  return ch_shape_take_mesh(status, chain, shape);
}

static const ChDefField fields[] = {CH_SHAPE_POINTS(CH_DEF_REQUIRED)};

const ChShapeKind ch_shape_kind_chain = {.info = {.name = "chain",
                                                  .label = "chain",
                                                  .summary = "a polyline, solid on the right of its direction",
                                                  .dimension = 2,
                                                  .still = true,
                                                  CH_SHAPE_FIELDS(fields)},
                                         .make = make,
                                         .reach = ch_shape_reach_mesh,
                                         .surface = ch_patches_mesh,
                                         .ray = ch_shape_ray_mesh};
