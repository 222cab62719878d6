// A cylinder along z:  x^2 + y^2 <= radius^2, |z| <= half_length
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->radius = def->radius;
  shape->half_length = def->half_length;
  shape->bound = hypot(def->radius, def->half_length);
  return CH_OK;
}

static ChMassProperties mass(const ChShape* s, double density) {
  double r = s->radius, l = s->half_length;
  return ch_mass_centred(density * 2.0 * PI * r * r * l, r * r / 4.0, r * r / 4.0, l * l / 3.0);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  return ch_shape_reach_both(s->radius * hypot(d.x, d.y) + fabs(d.z) * s->half_length);
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  const double profile[2][2] = {{s->radius, -s->half_length}, {s->radius, s->half_length}};
  return ch_patches_revolve(arena, 2, profile, view->facets);
}

static double size(const ChShape* s) { return s->radius + s->half_length; }

static ChVec3 support(const ChSmooth* s, ChVec3 d) {
  const double along = ch_dot(s->axis, d);
  const ChVec3 radial = ch_along(d, -along, s->axis),
               cap = ch_along(s->at, copysign(s->shape->half_length, along), s->axis);
  const double length = ch_norm(radial);
  return length > 1e-12 ? ch_along(cap, s->shape->radius / length, radial) : cap;
}

static ChVec3 bend(const ChSmooth* s, ChVec3 d, ChVec3 v) {
  const ChVec3 radial = ch_along(d, -ch_dot(d, s->axis), s->axis);
  const double length = fmax(ch_norm(radial), 1e-9);
  const ChVec3 across = ch_scale(1.0 / length, ch_cross(s->axis, radial));
  return ch_scale(s->shape->radius * ch_dot(across, v) / length, across);
}

static bool contains(const ChSmooth* s, ChVec3 x, double slack) {
  const double beyond = fmax(fabs(x.z) - s->shape->half_length, 0.0);
  return beyond <= slack && hypot(x.x, x.y) <= s->shape->radius + slack;
}

static ChFieldPoint distance(const ChShape* s, ChVec3 x) {
  double away = hypot(x.x, x.y), side = away - s->radius, cap = fabs(x.z) - s->half_length;
  ChVec3 out = away > 0.0 ? ch_vec(x.x / away, x.y / away, 0.0) : ch_axis(0), up = ch_vec(0.0, 0.0, copysign(1.0, x.z));
  if (side > 0.0 && cap > 0.0) {
    double apart = hypot(side, cap);
    return (ChFieldPoint){apart, ch_along(ch_scale(side / apart, out), cap / apart, up)};
  }
  return side > cap ? (ChFieldPoint){side, out} : (ChFieldPoint){cap, up};
}

static const ChDefField fields[] = {CH_SHAPE_RADIUS, CH_SHAPE_HALF_LENGTH};

const ChShapeKind ch_shape_kind_cylinder = {.info = {.name = "cylinder",
                                                     .label = "cylinder",
                                                     .summary = "a cylinder along z",
                                                     .dimension = 3,
                                                     .drawn_by_name = true,
                                                     CH_SHAPE_FIELDS(fields)},
                                            .make = make,
                                            .mass = mass,
                                            .reach = reach,
                                            .surface = surface,
                                            .ray = ch_shape_ray_cylinder,
                                            .round = {.size = size,
                                                      .support = support,
                                                      .bend = bend,
                                                      .contains = contains,
                                                      .distance = distance,
                                                      .straight = true,
                                                      .capped = true}};
