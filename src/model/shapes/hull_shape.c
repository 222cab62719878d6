// The convex hull of points.
#include "model/shapes/shape_kind.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  ChPolytope* hull = NULL;
  ChStatus status = ch_polytope_hull(context, world->arena, def->point_count, def->points, &hull);
  return ch_shape_take_polytope(status, hull, shape);
}

static ChMassProperties mass(const ChShape* s, double density) { return ch_mass_of_polytope(s->polytope, density); }

static const ChDefField fields[] = {CH_SHAPE_POINTS(0), CH_SHAPE_FILE, CH_SHAPE_SCALE};

const ChShapeKind ch_shape_kind_hull = {.info = {.name = "hull",
                                                 .label = "hull",
                                                 .summary = "the convex hull of points",
                                                 .dimension = 3,
                                                 CH_SHAPE_FIELDS(fields)},
                                        .make = make,
                                        .mass = mass,
                                        .reach = ch_shape_reach_polytope,
                                        .surface = ch_patches_polytope,
                                        .ray = ch_shape_ray_polytope};
