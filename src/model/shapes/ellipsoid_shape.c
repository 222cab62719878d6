// An ellipsoid:  sum (x_i / half_i)^2 <= 1
#include "model/shapes/shape_kind.h"

static const double PI = 3.141592653589793;

enum { NEWTON = 100 };

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->half = def->half;
  shape->bound = fmax(def->half.x, fmax(def->half.y, def->half.z));
  return CH_OK;
}

static ChMassProperties mass(const ChShape* s, double density) {
  ChVec3 h = s->half;
  return ch_mass_centred(density * 4.0 / 3.0 * PI * h.x * h.y * h.z, h.x * h.x / 5.0, h.y * h.y / 5.0, h.z * h.z / 5.0);
}

static ChReach reach(const ChShape* s, ChVec3 d) {
  return ch_shape_reach_both(ch_norm(ch_vec(s->half.x * d.x, s->half.y * d.y, s->half.z * d.z)));
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  ChPatches p = ch_patches_ball(arena, 1.0, 0.0, view->facets);
  for (int k = 0; k < p.point_count; ++k) {
    ChVec3* x = &p.points[k];
    *x = ch_vec(s->half.x * x->x, s->half.y * x->y, s->half.z * x->z);
  }
  return p;
}

static double size(const ChShape* s) { return fmax(s->half.x, fmax(s->half.y, s->half.z)); }

static ChVec3 support(const ChSmooth* s, ChVec3 d) {
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, d);
  const ChVec3 h = s->shape->half, stretched = ch_vec(h.x * local.x, h.y * local.y, h.z * local.z);
  const double far = ch_norm(stretched);
  const ChVec3 x = ch_vec(h.x * stretched.x / far, h.y * stretched.y / far, h.z * stretched.z / far);
  return ch_add(s->at, ch_mat_apply(&s->turn, x));
}

static ChVec3 bend(const ChSmooth* s, ChVec3 d, ChVec3 v) {
  const ChVec3 h = s->shape->half, square = ch_vec(h.x * h.x, h.y * h.y, h.z * h.z);
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, d), w = ch_mat_apply_transposed(&s->turn, v);
  const ChVec3 qd = ch_vec(square.x * local.x, square.y * local.y, square.z * local.z);
  const ChVec3 qv = ch_vec(square.x * w.x, square.y * w.y, square.z * w.z);
  const double far = sqrt(ch_dot(local, qd));
  const ChVec3 result = ch_scale(1.0 / far, ch_along(qv, -ch_dot(qd, w) / (far * far), qd));
  return ch_mat_apply(&s->turn, result);
}

static bool contains(const ChSmooth* s, ChVec3 x, double slack) {
  const ChVec3 h = s->shape->half;
  return ch_norm(ch_vec(x.x / h.x, x.y / h.y, x.z / h.z)) <= 1.0 + slack / s->size;
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

static ChFieldPoint distance(const ChShape* s, ChVec3 x) {
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

static const ChDefField fields[] = {CH_SHAPE_HALF};

const ChShapeKind ch_shape_kind_ellipsoid = {
    .info = {.name = "ellipsoid",
             .label = "ellipsoid",
             .summary = "an ellipsoid with its axes along x, y and z",
             .dimension = 3,
             .drawn_by_name = true,
             CH_SHAPE_FIELDS(fields)},
    .make = make,
    .mass = mass,
    .reach = reach,
    .surface = surface,
    .ray = ch_shape_ray_ellipsoid,
    .round = {.size = size, .support = support, .bend = bend, .contains = contains, .distance = distance}};
