// A convex polygon in the plane, its corners counter-clockwise.
#include "model/shapes/shape_kind.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  ChPolytope* polygon = NULL;
  ChStatus status = ch_polytope_polygon(context, world->arena, def->point_count, def->points, &polygon);
  return ch_shape_take_polytope(status, polygon, shape);
}

static ChMassProperties mass(const ChShape* s, double density) { return ch_mass_of_polytope(s->polytope, density); }

static const ChDefField fields[] = {CH_SHAPE_POINTS(CH_DEF_REQUIRED)};

const ChShapeKind ch_shape_kind_polygon = {.info = {.name = "polygon",
                                                    .label = "polygon",
                                                    .summary = "a convex polygon, counter-clockwise",
                                                    .dimension = 2,
                                                    CH_SHAPE_FIELDS(fields)},
                                           .make = make,
                                           .mass = mass,
                                           .reach = ch_shape_reach_polytope,
                                           .surface = ch_patches_polytope,
                                           .ray = ch_shape_ray_polytope};
