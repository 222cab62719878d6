// Points that move as one: balls of one radius, or bare.
#include "model/shapes/net_parts.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  return ch_net_make(context, world, def, 0, NULL, def->point_mass, shape);
}

static const ChDefField fields[] = {
    CH_SHAPE_POINTS(CH_DEF_REQUIRED),
    CH_SHAPE_FIELD(CH_DEF_NUMBER, 0, radius, "radius of the ball about each point, m; 0: bare points"),
    CH_SHAPE_FIELD(CH_DEF_SIZE, 0, point_mass, "mass of each point, kg; if left out, from radius and density"),
};

const ChShapeKind ch_shape_kind_points = {.info = {.name = "points",
                                                   .label = "points",
                                                   .summary = "points that move as one",
                                                   .dimension = 3,
                                                   CH_SHAPE_FIELDS(fields)},
                                          .make = make,
                                          .mass = ch_net_mass,
                                          .reach = ch_net_reach,
                                          .surface = ch_net_surface,
                                          .ray = ch_net_ray,
                                          .net = true};
