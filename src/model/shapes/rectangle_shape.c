// A rectangle in the plane, "box" in scenes:  |x| <= half.x, |y| <= half.y
#include "model/shapes/shape_kind.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context;
  shape->half = ch_vec(def->half.x, def->half.y, 0.0);
  return ch_shape_take_polytope(CH_OK, ch_polytope_rectangle(world->arena, def->half.x, def->half.y), shape);
}

static ChMassProperties mass(const ChShape* s, double density) {
  ChVec3 h = s->half;
  return ch_mass_centred(density * 4.0 * h.x * h.y, h.x * h.x / 3.0, h.y * h.y / 3.0, 0.0);
}

static const ChDefField fields[] = {CH_SHAPE_HALF};

const ChShapeKind ch_shape_kind_rectangle = {.info = {.name = "box",
                                                      .label = "rectangle",
                                                      .summary = "a rectangle about its origin",
                                                      .dimension = 2,
                                                      .drawn_by_name = true,
                                                      CH_SHAPE_FIELDS(fields)},
                                             .make = make,
                                             .mass = mass,
                                             .reach = ch_shape_reach_half,
                                             .surface = ch_patches_polytope,
                                             .ray = ch_shape_ray_polytope};
