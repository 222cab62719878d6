// A ball moved along z:  points within `radius` of the segment from -half_length to half_length
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->radius = def->radius;
  shape->half_length = def->half_length;
  shape->bound = def->radius + def->half_length;
  return CH_OK;
}

// A cylinder and two half-balls, whose centres lie 3/8 r beyond its ends.
static ChMassProperties mass(const ChShape* s, double density) {
  double r = s->radius, l = s->half_length;
  double tube = density * 2.0 * PI * r * r * l, ball = density * 4.0 / 3.0 * PI * r * r * r;
  double across = tube * r * r / 4.0 + ball * r * r / 5.0;
  double along = tube * l * l / 3.0 + ball * (r * r / 5.0 + l * l + 0.75 * l * r);
  return (ChMassProperties){tube + ball, {0, 0, 0}, ch_mat_diagonal(ch_vec(across, across, along))};
}

static ChReach reach(const ChShape* s, ChVec3 d) { return ch_shape_reach_both(s->radius + fabs(d.z) * s->half_length); }

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  return ch_patches_ball(arena, s->radius, s->half_length, view->facets);
}

static double size(const ChShape* s) { return s->radius + s->half_length; }

static ChVec3 support(const ChSmooth* s, ChVec3 d) {
  const double along = ch_dot(s->axis, d);
  return ch_along(ch_along(s->at, copysign(s->shape->half_length, along), s->axis), s->shape->radius, d);
}

static bool contains(const ChSmooth* s, ChVec3 x, double slack) {
  const double beyond = fmax(fabs(x.z) - s->shape->half_length, 0.0);
  return hypot(hypot(x.x, x.y), beyond) <= s->shape->radius + slack;
}

static ChFieldPoint distance(const ChShape* s, ChVec3 x) {
  double along = fmin(fmax(x.z, -s->half_length), s->half_length);
  ChVec3 away = ch_vec(x.x, x.y, x.z - along);
  double norm = ch_norm(away);
  ChFieldPoint point = {norm - s->radius, norm > 0.0 ? ch_scale(1.0 / norm, away) : ch_axis(2)};
  if (x.x == 0.0 && x.y == 0.0 && x.z == along) point.normal = ch_axis(0);
  return point;
}

static const ChDefField fields[] = {CH_SHAPE_RADIUS, CH_SHAPE_HALF_LENGTH};

const ChShapeKind ch_shape_kind_capsule = {
    .info = {.name = "capsule",
             .label = "capsule",
             .summary = "a cylinder along z with half-balls on its ends",
             .dimension = 3,
             .drawn_by_name = true,
             CH_SHAPE_FIELDS(fields)},
    .make = make,
    .mass = mass,
    .reach = reach,
    .surface = surface,
    .ray = ch_shape_ray_capsule,
    .round = {
        .size = size, .support = support, .contains = contains, .distance = distance, .straight = true, .swept = true}};
