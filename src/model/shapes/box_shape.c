// A box:  |x_i| <= half_i
#include "model/shapes/shape_kind.h"

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context;
  shape->half = def->half;
  return ch_shape_take_polytope(CH_OK, ch_polytope_box(world->arena, def->half), shape);
}

static ChMassProperties mass(const ChShape* s, double density) {
  ChVec3 h = s->half;
  return ch_mass_centred(density * 8.0 * h.x * h.y * h.z, h.x * h.x / 3.0, h.y * h.y / 3.0, h.z * h.z / 3.0);
}

static const ChDefField fields[] = {CH_SHAPE_HALF};

const ChShapeKind ch_shape_kind_box = {.info = {.name = "box",
                                                .label = "box",
                                                .summary = "a box about its origin",
                                                .dimension = 3,
                                                .drawn_by_name = true,
                                                CH_SHAPE_FIELDS(fields)},
                                       .make = make,
                                       .mass = mass,
                                       .reach = ch_shape_reach_half,
                                       .surface = ch_patches_polytope,
                                       .ray = ch_shape_ray_polytope};
