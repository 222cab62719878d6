// An ellipse and any convex shape in the plane.
//
// With n = (cos t, sin t) and the support points p_A(n), p_B(-n), the separation and its derivative are
//
//   s(t) = n . (p_B - p_A),      s'(t) = n'(t) . (p_B - p_A).
//
// s is smooth between the normals of a polygon's sides, where it has peaks. Its maximum over the circle is the signed
// gap: every stretch on which s' falls through zero is searched, every peak is tried.
#include "collide/plane/plane_pairs.h"

static const double turn_full = 6.283185307179586477;

enum { STRETCHES = 48, STEPS = 60 };

ChVec3 ch_plane_support(const ChPosed* shape, ChVec3 direction) {
  const ChShape* s = shape->shape;
  if (ch_shape_kind(s)->info.ball) return ch_along(shape->frame.at, s->radius, direction);
  const ChVec3 local = ch_mat_apply_transposed(&shape->turn, direction);
  ChVec3 point;
  if (s->polytope) {
    point = s->polytope->vertices[ch_polytope_support(s->polytope, local, 0)];
  } else {
    const double x = s->half.x * local.x, y = s->half.y * local.y, reach = sqrt(x * x + y * y);
    point = ch_vec(s->half.x * x / reach, s->half.y * y / reach, 0.0);
  }
  return ch_add(shape->frame.at, ch_mat_apply(&shape->turn, point));
}

static ChVec3 direction_at(double t) { return ch_vec(cos(t), sin(t), 0.0); }

// s and s' along n; b's support point for s' may be fixed by `vertex` (world), which makes s' one-sided at a peak.
static double slope_at(const ChPosed* a, const ChPosed* b, double t, const ChVec3* vertex) {
  const ChVec3 n = direction_at(t), across = ch_vec(-n.y, n.x, 0.0);
  const ChVec3 pb = vertex ? *vertex : ch_plane_support(b, ch_neg(n));
  return ch_dot(across, ch_sub(pb, ch_plane_support(a, n)));
}

static void offer(const ChPosed* a, const ChPosed* b, ChVec3 n, ChPlaneAxis* best) {
  const double gap = ch_dot(n, ch_sub(ch_plane_support(b, ch_neg(n)), ch_plane_support(a, n)));
  if (gap > best->gap) *best = (ChPlaneAxis){n, gap};
}

// The zero of s' on a smooth stretch, by regula falsi guarded by halving.
static void search(const ChPosed* a, const ChPosed* b, double low, double high, const ChVec3* vertex,
                   ChPlaneAxis* best) {
  double at_low = slope_at(a, b, low, vertex), at_high = slope_at(a, b, high, vertex);
  if (!(at_low > 0.0 && at_high < 0.0)) return;
  for (int k = 0; k < STEPS && high - low > 1e-15 * turn_full; ++k) {
    double middle = low + (high - low) * at_low / (at_low - at_high);
    if (k % 3 == 2 || !(middle > low && middle < high)) middle = 0.5 * (low + high);
    const double value = slope_at(a, b, middle, vertex);
    if (value >= 0.0) low = middle, at_low = value;
    if (value <= 0.0) high = middle, at_high = value;
  }
  const double share = at_low > at_high ? at_low / (at_low - at_high) : 0.5;
  offer(a, b, direction_at(low + (high - low) * share), best);
}

static void search_stretches(const ChPosed* a, const ChPosed* b, double low, double high, const ChVec3* vertex,
                             ChPlaneAxis* best) {
  const int count = 1 + (int)(STRETCHES * (high - low) / turn_full);
  for (int k = 0; k < count; ++k)
    search(a, b, low + (high - low) * k / count, low + (high - low) * (k + 1) / count, vertex, best);
}

// Between the normals of two consecutive sides the corner of them is b's support point.
static void search_corners(const ChPosed* a, const ChPosed* b, double low, double high, ChPlaneAxis* best) {
  const ChPolytope* p = b->shape->polytope;
  for (int f = 0; f < p->face_count; ++f) {
    const ChVec3 n = ch_neg(ch_mat_apply(&b->turn, p->normals[f]));
    const ChVec3 next = ch_neg(ch_mat_apply(&b->turn, p->normals[(f + 1) % p->face_count]));
    const ChVec3 corner = ch_add(b->frame.at, ch_mat_apply(&b->turn, p->vertices[p->face_vertex[2 * f + 1]]));
    const double start = atan2(n.y, n.x), width = atan2(ch_cross(n, next).z, ch_dot(n, next));
    for (double turn = -turn_full; turn <= turn_full; turn += turn_full) {
      const double from = fmax(start + turn, low), to = fmin(start + turn + width, high);
      if (start + turn >= low && start + turn <= high) offer(a, b, n, best);
      if (from < to) search_stretches(a, b, from, to, &corner, best);
    }
  }
}

ChPlaneAxis ch_plane_axis(const ChPosed* a, const ChPosed* b, double low, double high) {
  ChPlaneAxis best = {.gap = -INFINITY};
  offer(a, b, direction_at(low), &best);
  offer(a, b, direction_at(high), &best);
  if (b->shape->polytope)
    search_corners(a, b, low, high, &best);
  else
    search_stretches(a, b, low, high, NULL, &best);
  return best;
}

void ch_pair_plane_ellipse_convex(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChPlaneAxis axis = ch_plane_axis(a, b, -0.5 * turn_full, 0.5 * turn_full);
  if (!(axis.gap <= margin)) return;
  const ChVec3 end = ch_plane_support(a, axis.normal);
  ch_manifold_add(out, ch_along(end, 0.5 * axis.gap, axis.normal), axis.normal, axis.gap, 0);
}
