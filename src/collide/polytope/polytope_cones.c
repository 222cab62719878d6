// The common normal where corners or parallel edges touch.
//
// A feature of a convex solid (face, edge, vertex) has a cone of normals: on the unit sphere a point, an arc, a
// polygon. Every n in the cone of A's feature and against that of B's separates touching solids equally well, and which
// of them is "best" flips with the last bit of the gap. So the normal is the centre of all of them: a point, the middle
// of an arc, the centroid of a spherical polygon,
//
//   integral of n over a spherical polygon = 1/2 sum_i angle(r_i, r_i+1) (r_i x r_i+1) / |r_i x r_i+1|.
//
// A face counts as part of the feature when the touching point is nearer to its plane than the touching distance; from
// there to twice it the cone shrinks to the best separating direction, so the normal follows the poses without a jump.
#include "collide/polytope/polytope_pair.h"

enum { RAYS = 64 };

typedef struct Cone {
  int count;
  ChVec3 ray[RAYS];
} Cone;

// 1 up to the touching distance, 0 from twice it.
static double fade(double distance, double touch) { return fmax(0.0, fmin(1.0, 2.0 - distance / touch)); }

// Normals of the faces of s at x, times sign, drawn towards the axis where they fade. False when there are too many.
static bool gather_cone(const ChSolid* s, ChVec3 x, double sign, ChVec3 axis, double weight, double touch, Cone* cone) {
  const ChPolytope* p = s->polytope;
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, ch_sub(x, s->at));
  cone->count = 0;
  for (int f = 0; f < p->face_count; ++f) {
    const double below = p->offsets[f] - ch_dot(p->normals[f], local);
    if (!(below < 2.0 * touch)) continue;
    if (cone->count == RAYS) return false;
    const ChVec3 normal = ch_scale(sign, ch_solid_normal(s, f));
    cone->ray[cone->count++] = ch_along(axis, weight * fade(below, touch), ch_sub(normal, axis));
  }
  return true;
}

// Rays in order about their sum, by insertion: they are few.
static void sort_rays(Cone* cone) {
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0), t1, t2;
  double angle[RAYS];
  for (int k = 0; k < cone->count; ++k) sum = ch_add(sum, ch_unit(cone->ray[k]));
  ch_tangents(ch_unit(sum), &t1, &t2);
  for (int k = 0; k < cone->count; ++k) {
    const ChVec3 ray = cone->ray[k];
    const double a = atan2(ch_dot(ray, t2), ch_dot(ray, t1));
    int at = k;
    for (; at > 0 && angle[at - 1] > a; --at) {
      angle[at] = angle[at - 1];
      cone->ray[at] = cone->ray[at - 1];
    }
    angle[at] = a;
    cone->ray[at] = ray;
  }
}

// Inner normal of the k-th side of a cone of at least two rays.
static ChVec3 cone_side(const Cone* cone, int k) {
  const ChVec3 from = ch_unit(cone->ray[k]), to = ch_unit(cone->ray[(k + 1) % cone->count]);
  if (cone->count == 2) return ch_along(to, -ch_dot(from, to), from);
  return ch_cross(from, to);
}

// The middle of the part of an arc that is inside a cone; the axis when nothing is.
static ChVec3 centre_of_arc(const Cone* arc, const Cone* other, ChVec3 axis) {
  double low = 0.0, high = 1.0;
  for (int k = 0; k < other->count; ++k) {
    const ChVec3 side = cone_side(other, k);
    const double from = ch_dot(side, arc->ray[0]), to = ch_dot(side, arc->ray[1]);
    if (from < 0.0 && to < 0.0) return axis;
    if (from < 0.0 && to > 0.0) low = fmax(low, from / (from - to));
    if (from > 0.0 && to < 0.0) high = fmin(high, from / (from - to));
  }
  if (!(low <= high)) return axis;
  const ChVec3 along = ch_sub(arc->ray[1], arc->ray[0]);
  return ch_add(ch_unit(ch_along(arc->ray[0], low, along)), ch_unit(ch_along(arc->ray[0], high, along)));
}

static void clip(Cone* cone, ChVec3 side) {
  Cone kept = {0};
  for (int k = 0; k < cone->count; ++k) {
    const ChVec3 from = cone->ray[k], to = cone->ray[(k + 1) % cone->count];
    const double at_from = ch_dot(side, from), at_to = ch_dot(side, to);
    if (at_from >= 0.0 && kept.count < RAYS) kept.ray[kept.count++] = from;
    if (at_from * at_to < 0.0 && kept.count < RAYS)
      kept.ray[kept.count++] = ch_unit(ch_along(ch_scale(fabs(at_to), from), fabs(at_from), to));
  }
  *cone = kept;
}

static ChVec3 centre_of_polygon(Cone* cone, const Cone* other, ChVec3 axis) {
  for (int k = 0; k < other->count && cone->count; ++k) clip(cone, cone_side(other, k));
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int k = 0; k < cone->count; ++k) {
    const ChVec3 from = ch_unit(cone->ray[k]), to = ch_unit(cone->ray[(k + 1) % cone->count]);
    const ChVec3 cross = ch_cross(from, to);
    const double sine = ch_norm(cross);
    if (sine > 0.0) sum = ch_along(sum, atan2(sine, ch_dot(from, to)) / sine, cross);
  }
  return ch_norm(sum) > 1e-9 ? sum : axis;
}

// Middle of the points that touch, and whether they are spread out.
static ChVec3 touching_centre(const ChSolidPair* pair, double gap, const ChManifold* points, int first, bool* spread) {
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0), start = sum;
  int count = 0;
  *spread = false;
  for (int k = first; k < points->count; ++k) {
    if (!(points->points[k].gap <= gap + pair->touch)) continue;
    const ChVec3 x = ch_sub(points->points[k].point, pair->origin);
    if (count++ == 0) start = x;
    if (ch_norm(ch_sub(x, start)) > 8.0 * pair->touch) *spread = true;
    sum = ch_add(sum, x);
  }
  return ch_scale(1.0 / fmax(count, 1), sum);
}

ChVec3 ch_solid_centre_normal(const ChSolidPair* pair, ChSeparatingAxis axis, const ChManifold* points, int first) {
  const double weight = fade(fabs(axis.gap), pair->touch);
  if (!(weight > 0.0) || points->count == first) return axis.normal;
  bool spread;
  const ChVec3 x = touching_centre(pair, axis.gap, points, first, &spread);
  const ChVec3 half = ch_scale(0.5 * axis.gap, axis.normal);
  Cone a, b;
  if (!gather_cone(&pair->a, ch_sub(x, half), 1.0, axis.normal, weight, pair->touch, &a) || a.count < 2 ||
      !gather_cone(&pair->b, ch_add(x, half), -1.0, axis.normal, weight, pair->touch, &b) || b.count < 2)
    return axis.normal;
  if (a.count == 2 && b.count == 2 && !spread && !pair->plane) return axis.normal;  // edges that cross: one normal
  if (a.count > 2) sort_rays(&a);
  if (b.count > 2) sort_rays(&b);
  if (a.count == 2) return ch_unit(centre_of_arc(&a, &b, axis.normal));
  if (b.count == 2) return ch_unit(centre_of_arc(&b, &a, axis.normal));
  return ch_unit(centre_of_polygon(&a, &b, axis.normal));
}
