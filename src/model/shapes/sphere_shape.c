// A ball:  |x| <= radius
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->bound = shape->radius = def->radius;
  return CH_OK;
}

static ChMassProperties mass(const ChShape* s, double density) {
  double r = s->radius;
  return ch_mass_centred(density * 4.0 / 3.0 * PI * r * r * r, r * r / 5.0, r * r / 5.0, r * r / 5.0);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  (void)d;
  return ch_shape_reach_both(s->radius);
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  return ch_patches_ball(arena, s->radius, 0.0, view->facets);
}

static double size(const ChShape* s) { return s->radius; }

static ChVec3 support(const ChSmooth* s, ChVec3 d) { return ch_along(s->at, s->shape->radius, d); }

static bool contains(const ChSmooth* s, ChVec3 x, double slack) { return ch_norm(x) <= s->shape->radius + slack; }

static ChFieldPoint distance(const ChShape* s, ChVec3 x) {
  double norm = ch_norm(x);
  return (ChFieldPoint){norm - s->radius, norm > 0.0 ? ch_scale(1.0 / norm, x) : ch_axis(2)};
}

static const ChDefField fields[] = {CH_SHAPE_RADIUS};

const ChShapeKind ch_shape_kind_sphere = {
    .info = {.name = "sphere",
             .label = "sphere",
             .summary = "a ball",
             .dimension = 3,
             .ball = true,
             .drawn_by_name = true,
             CH_SHAPE_FIELDS(fields)},
    .make = make,
    .mass = mass,
    .reach = reach,
    .surface = surface,
    .ray = ch_shape_ray_ball,
    .round = {.size = size, .support = support, .contains = contains, .distance = distance, .swept = true}};
