// An ellipse in the plane:  (x / half.x)^2 + (y / half.y)^2 <= 1
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->half = ch_vec(def->half.x, def->half.y, 0.0);
  shape->bound = fmax(def->half.x, def->half.y);
  return CH_OK;
}

static ChMassProperties mass(const ChShape* s, double density) {
  ChVec3 h = s->half;
  return ch_mass_centred(density * PI * h.x * h.y, h.x * h.x / 4.0, h.y * h.y / 4.0, 0.0);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  return ch_shape_reach_both(hypot(s->half.x * d.x, s->half.y * d.y));
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  return ch_patches_ellipse(arena, s->half.x, s->half.y, view->facets);
}

static const ChDefField fields[] = {CH_SHAPE_HALF};

const ChShapeKind ch_shape_kind_ellipse = {.info = {.name = "ellipse",
                                                    .label = "ellipse",
                                                    .summary = "an ellipse with its axes along x and y",
                                                    .dimension = 2,
                                                    .drawn_by_name = true,
                                                    CH_SHAPE_FIELDS(fields)},
                                           .make = make,
                                           .mass = mass,
                                           .reach = reach,
                                           .surface = surface,
                                           .ray = ch_shape_ray_ellipse};
