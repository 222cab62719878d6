// See round_distance.h.
#include "collide/round/round_distance.h"

enum { NEWTON = 100 };

static ChFieldPoint from_ball(ChVec3 x, double radius) {
  double norm = ch_norm(x);
  return (ChFieldPoint){norm - radius, norm > 0.0 ? ch_scale(1.0 / norm, x) : ch_axis(2)};
}

static ChFieldPoint from_capsule(const ChShape* s, ChVec3 x) {
  double along = fmin(fmax(x.z, -s->half_length), s->half_length);
  ChFieldPoint point = from_ball(ch_vec(x.x, x.y, x.z - along), s->radius);
  if (x.x == 0.0 && x.y == 0.0 && x.z == along) point.normal = ch_axis(0);
  return point;
}

static ChFieldPoint from_cylinder(const ChShape* s, ChVec3 x) {
  double away = hypot(x.x, x.y), side = away - s->radius, cap = fabs(x.z) - s->half_length;
  ChVec3 out = away > 0.0 ? ch_vec(x.x / away, x.y / away, 0.0) : ch_axis(0), up = ch_vec(0.0, 0.0, copysign(1.0, x.z));
  if (side > 0.0 && cap > 0.0) {
    double distance = hypot(side, cap);
    return (ChFieldPoint){distance, ch_along(ch_scale(side / distance, out), cap / distance, up)};
  }
  return side > cap ? (ChFieldPoint){side, out} : (ChFieldPoint){cap, up};
}

// The nearest point f of an ellipsoid with half axes e to x, all x_i >= 0 (Eberly 2013): with the multiplier t,
//
//   f_i = e_i^2 x_i / (t + e_i^2),     F(t) = sum_i (e_i x_i / (t + e_i^2))^2 - 1 = 0,    t > - min e_i^2.
//
// F falls and is convex there, so Newton's method climbs from any t with F >= 0 to the root and never beyond. Such a t
// is max_i e_i (x_i - e_i). Where x has nothing along a shortest axis there may be no root: t is - min e_i^2 then, and
// what is missing in f lies along that axis.
static void nearest_of_ellipsoid(const double e[3], const double x[3], double f[3]) {
  double t = -INFINITY, left = 1.0;
  int shortest = 0;
  bool rootless = false;
  for (int i = 0; i < 3; ++i) {
    t = fmax(t, e[i] * (x[i] - e[i]));
    if (e[i] < e[shortest]) shortest = i;
  }
  for (int k = 0; k < NEWTON; ++k) {
    double value = -1.0, slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      double below = t + e[i] * e[i], ratio = x[i] > 0.0 ? e[i] * x[i] / below : 0.0;
      value += ratio * ratio;
      if (x[i] > 0.0) slope -= 2.0 * ratio * ratio / below;
    }
    if (k == 0) rootless = value < -1e-15;
    if (!(value > 1e-15) || !(slope < 0.0)) break;
    t -= value / slope;
  }
  for (int i = 0; i < 3; ++i) {
    f[i] = x[i] > 0.0 ? e[i] * e[i] * x[i] / (t + e[i] * e[i]) : 0.0;
    left -= f[i] * f[i] / (e[i] * e[i]);
  }
  if (rootless && left > 0.0) f[shortest] = e[shortest] * sqrt(left);
}

static ChFieldPoint from_ellipsoid(const ChShape* s, ChVec3 x) {
  const double e[3] = {s->half.x, s->half.y, s->half.z}, given[3] = {x.x, x.y, x.z};
  double positive[3], foot[3], level = -1.0, distance2 = 0.0, outward[3];
  for (int i = 0; i < 3; ++i) {
    positive[i] = fabs(given[i]) > 1e-13 * e[i] ? fabs(given[i]) : 0.0;
    level += positive[i] * positive[i] / (e[i] * e[i]);
  }
  nearest_of_ellipsoid(e, positive, foot);
  for (int i = 0; i < 3; ++i) {
    distance2 += (positive[i] - foot[i]) * (positive[i] - foot[i]);
    outward[i] = copysign(foot[i] / (e[i] * e[i]), given[i]);
  }
  return (ChFieldPoint){copysign(sqrt(distance2), level), ch_unit(ch_vec(outward[0], outward[1], outward[2]))};
}

ChFieldPoint ch_round_distance(const ChShape* shape, ChVec3 x) {
  switch (shape->type) {
    case CH_SHAPE_CAPSULE:
      return from_capsule(shape, x);
    case CH_SHAPE_CYLINDER:
      return from_cylinder(shape, x);
    case CH_SHAPE_ELLIPSOID:
      return from_ellipsoid(shape, x);
    default:
      return from_ball(x, shape->radius);
  }
}
