// A disk in the plane:  |x| <= radius
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->bound = shape->radius = def->radius;
  return CH_OK;
}

static ChMassProperties mass(const ChShape* s, double density) {
  double r = s->radius;
  return ch_mass_centred(density * PI * r * r, r * r / 4.0, r * r / 4.0, 0.0);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  (void)d;
  return ch_shape_reach_both(s->radius);
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  return ch_patches_ellipse(arena, s->radius, s->radius, view->facets);
}

static const ChDefField fields[] = {CH_SHAPE_RADIUS};

const ChShapeKind ch_shape_kind_disk = {.info = {.name = "disk",
                                                 .label = "disk",
                                                 .summary = "a disk",
                                                 .dimension = 2,
                                                 .ball = true,
                                                 .drawn_by_name = true,
                                                 CH_SHAPE_FIELDS(fields)},
                                        .make = make,
                                        .mass = mass,
                                        .reach = reach,
                                        .surface = surface,
                                        .ray = ch_shape_ray_ball};
