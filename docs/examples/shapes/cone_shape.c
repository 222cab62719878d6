// A cone along z: its disk of `radius` at -half_length, its tip at half_length.
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->radius = def->radius;
  shape->half_length = def->half_length;
  shape->bound = hypot(def->radius, def->half_length);
  return CH_OK;
}

// The centre of mass lies a quarter of the height above the disk.
static ChMassProperties mass(const ChShape* s, double density) {
  double r = s->radius, l = s->half_length, height = 2.0 * l;
  ChMassProperties cone = ch_mass_centred(density * PI * r * r * height / 3.0, 3.0 / 20.0 * r * r, 3.0 / 20.0 * r * r,
                                          3.0 / 80.0 * height * height);
  cone.centre.z = -0.5 * l;
  return cone;
}

// h(d), d in the shape's frame: the tip's or the rim's.
static double support_height(const ChShape* s, ChVec3 d) {
  return fmax(d.z * s->half_length, s->radius * hypot(d.x, d.y) - d.z * s->half_length);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  return (ChReach){-support_height(s, ch_neg(d)), support_height(s, d)};
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  const double profile[2][2] = {{s->radius, -s->half_length}, {0.0, s->half_length}};
  return ch_patches_revolve(arena, 2, profile, view->facets);
}

static double size(const ChShape* s) { return s->radius + s->half_length; }

static bool tip_is_farthest(const ChSmooth* s, double along, double across) {
  return 2.0 * along * s->shape->half_length >= s->shape->radius * across;
}

static ChVec3 support(const ChSmooth* s, ChVec3 d) {
  const double along = ch_dot(s->axis, d), l = s->shape->half_length;
  const ChVec3 radial = ch_along(d, -along, s->axis);
  const double across = ch_norm(radial);
  if (tip_is_farthest(s, along, across)) return ch_along(s->at, l, s->axis);
  const ChVec3 disk = ch_along(s->at, -l, s->axis);
  return across > 1e-12 ? ch_along(disk, s->shape->radius / across, radial) : disk;
}

// The tip stays where it is; the rim's point turns about the axis.
static ChVec3 bend(const ChSmooth* s, ChVec3 d, ChVec3 v) {
  const double along = ch_dot(s->axis, d);
  const ChVec3 radial = ch_along(d, -along, s->axis);
  const double across = ch_norm(radial), length = fmax(across, 1e-9);
  if (tip_is_farthest(s, along, across)) return ch_vec(0.0, 0.0, 0.0);
  const ChVec3 side = ch_scale(1.0 / length, ch_cross(s->axis, radial));
  return ch_scale(s->shape->radius * ch_dot(side, v) / length, side);
}

// In the plane of the axis and x: the triangle (0, -l), (r, -l), (0, l).
static ChFieldPoint distance(const ChShape* s, ChVec3 x) {
  const double r = s->radius, l = s->half_length, away = hypot(x.x, x.y), slant = hypot(r, 2.0 * l);
  const ChVec3 out = away > 0.0 ? ch_vec(x.x / away, x.y / away, 0.0) : ch_axis(0), up = ch_axis(2);
  const ChVec3 side = ch_along(ch_scale(2.0 * l / slant, out), r / slant, up);  // normal of the side
  const double to_side = (2.0 * l * (away - r) + r * (x.z + l)) / slant, to_disk = -l - x.z;
  if (to_side <= 0.0 && to_disk <= 0.0)
    return to_side > to_disk ? (ChFieldPoint){to_side, side} : (ChFieldPoint){to_disk, ch_neg(up)};
  const double climbed = (2.0 * l * (x.z + l) - r * (away - r)) / slant;  // along the side, from the rim
  if (to_disk > 0.0 && away <= r) return (ChFieldPoint){to_disk, ch_neg(up)};
  if (climbed > 0.0 && climbed < slant) return (ChFieldPoint){to_side, side};
  const ChVec3 corner = climbed <= 0.0 ? ch_along(ch_scale(r, out), -l, up) : ch_scale(l, up);
  const ChVec3 apart = ch_sub(x, corner);
  return (ChFieldPoint){ch_norm(apart), ch_unit(apart)};
}

static bool contains(const ChSmooth* s, ChVec3 x, double slack) { return distance(s->shape, x).distance <= slack; }

static const ChDefField fields[] = {CH_SHAPE_RADIUS, CH_SHAPE_HALF_LENGTH};

const ChShapeKind ch_shape_kind_cone = {
    .info = {.name = "cone",
             .label = "cone",
             .summary = "a cone along z, its tip up",
             .dimension = 3,
             CH_SHAPE_FIELDS(fields)},
    .make = make,
    .mass = mass,
    .reach = reach,
    .surface = surface,
    .round = {.size = size, .support = support, .bend = bend, .contains = contains, .distance = distance}};
