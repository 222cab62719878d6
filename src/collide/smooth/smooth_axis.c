// The direction of the signed gap of two convex shapes, of which one at least is a cylinder or an ellipsoid.
//
// Apart, the closest points give it (convex_distance.h). Touching or overlapping there is no such convex problem; but
// with b moved away along a direction n_k by t_k there is one,
//
//   n_k+1 = argmax s(n) + t_k n_k . n,
//
// and the separation s grows from each n_k to the next. It starts from the best directions of a fan, and each end is
// sharpened to the last digit. Mostly sharpening the best of the fan is enough: a point of each shape proves it.
#include "collide/convex_distance.h"
#include "collide/smooth/smooth_pair.h"

enum { KEPT = 3, MOVES = 8, ROUNDS = 4 };
static const double ROUGH = 1e-4, FINE = 1e-11;  // accuracy of closest points, in sizes

ChSmooth ch_smooth_of(const ChPosed* posed, ChVec3 origin) {
  const ChShape* s = posed->shape;
  ChSmooth smooth = {.shape = s, .turn = posed->turn, .at = ch_sub(posed->frame.at, origin)};
  smooth.axis = ch_mat_apply(&posed->turn, ch_axis(2));
  smooth.size = s->polytope ? s->polytope->radius : ch_shape_kind(s)->round.size(s);
  return smooth;
}

ChVec3 ch_smooth_support(const ChSmooth* s, ChVec3 d) {
  const ChShape* shape = s->shape;
  if (!shape->polytope) return ch_shape_kind(shape)->round.support(s, d);
  const int v = ch_polytope_support(shape->polytope, ch_mat_apply_transposed(&s->turn, d), 0);
  return ch_add(s->at, ch_mat_apply(&s->turn, shape->polytope->vertices[v]));
}

double ch_smooth_separation(const ChSmooth* a, const ChSmooth* b, ChVec3 n) {
  return ch_dot(n, ch_sub(ch_smooth_support(b, ch_neg(n)), ch_smooth_support(a, n)));
}

static ChVec3 support_point(const void* set, ChVec3 direction, int* hint) {
  (void)hint;
  return ch_smooth_support(set, direction);
}

static ChClosest closest_points(const ChSmooth* a, const ChSmooth* b, ChVec3 start, double enough, double tolerance) {
  const ChConvexSet first = {a, support_point}, second = {b, support_point};
  return ch_convex_distance(first, second, start, enough, fmin(a->size, b->size), tolerance);
}

static ChSmoothAxis ascend(const ChSmooth* a, const ChSmooth* b, ChSmoothAxis axis, double tolerance) {
  const double step = 0.1 * fmin(a->size, b->size);
  for (int k = 0; k < MOVES; ++k) {
    ChSmooth moved = *b;
    moved.at = ch_along(b->at, step - axis.gap, axis.normal);
    const ChClosest closest = closest_points(a, &moved, axis.normal, INFINITY, tolerance);
    if (!closest.apart) break;
    const double gap = ch_smooth_separation(a, b, closest.normal), turned = ch_dot(closest.normal, axis.normal);
    if (!(gap > axis.gap)) break;
    axis = (ChSmoothAxis){closest.normal, gap};
    if (turned > 1.0 - 1e-4) break;  // near enough for Newton's method
  }
  return ch_smooth_sharpen(a, b, axis.normal);
}

static ChSmoothAxis along_axis(const ChSmooth* a, const ChSmooth* b, ChVec3 n) {
  return (ChSmoothAxis){n, ch_smooth_separation(a, b, n)};
}

static ChSmoothAxis better(ChSmoothAxis x, ChSmoothAxis y) { return y.gap > x.gap ? y : x; }

// The best few directions, best first.
static void keep(const ChSmooth* a, const ChSmooth* b, ChVec3 n, ChSmoothAxis kept[KEPT]) {
  const ChSmoothAxis axis = along_axis(a, b, n);
  for (int k = 0; k < KEPT; ++k)
    if (axis.gap > kept[k].gap) {
      for (int j = KEPT - 1; j > k; --j) kept[j] = kept[j - 1];
      kept[k] = axis;
      return;
    }
}

static void fan_out(const ChSmooth* own, const ChSmooth* a, const ChSmooth* b, double sign, ChSmoothAxis kept[KEPT]) {
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x || y || z) keep(a, b, ch_mat_apply(&own->turn, ch_unit(ch_vec(x, y, z))), kept);
  if (!own->shape->polytope) return;
  for (int f = 0; f < own->shape->polytope->face_count; ++f)
    keep(a, b, ch_scale(sign, ch_mat_apply(&own->turn, own->shape->polytope->normals[f])), kept);
}

// The better of the best so far and the end of the climb from n, which may be zero where a part has no normal.
static ChSmoothAxis climb_from(const ChSmooth* a, const ChSmooth* b, ChVec3 n, ChSmoothAxis best) {
  return ch_dot(n, n) > 0.5 ? better(best, ascend(a, b, along_axis(a, b, n), ROUGH)) : best;
}

// Other ways out of an overlap: where the shapes meet along the best direction so far, every flat or straight part of a
// shape within reach of the overlap has a normal of its own.
static ChSmoothAxis try_ways_out(const ChSmooth* own, const ChSmooth* a, const ChSmooth* b, double sign,
                                 ChSmoothAxis best) {
  const ChVec3 from_centre = ch_sub(ch_smooth_support(a, best.normal), own->at);
  ChSmoothAxis end = best;
  const double reach = -4.0 * best.gap;
  for (int f = 0; own->shape->polytope && f < own->shape->polytope->face_count; ++f) {
    const ChVec3 normal = ch_mat_apply(&own->turn, own->shape->polytope->normals[f]);
    if (!(own->shape->polytope->offsets[f] - ch_dot(normal, from_centre) <= reach)) continue;
    if (sign * ch_dot(normal, best.normal) > 0.99) continue;
    end = climb_from(a, b, ch_scale(sign, normal), end);
    end = climb_from(a, b, ch_unit(ch_along(best.normal, sign, normal)), end);
  }
  if (!ch_shape_kind(own->shape)->round.capped) return end;
  const double along = ch_dot(from_centre, own->axis);
  const ChVec3 cap = ch_scale(copysign(1.0, along), own->axis);
  const ChVec3 side = ch_unit(ch_along(from_centre, -along, own->axis));
  const double to_cap = own->shape->half_length - fabs(along);
  const double to_side = own->shape->radius - ch_norm(ch_along(from_centre, -along, own->axis));
  if (!(to_cap <= reach && to_side <= reach)) return end;  // far from the rim there is no other way
  end = climb_from(a, b, ch_scale(sign, cap), end);
  end = climb_from(a, b, ch_scale(sign, side), end);
  return climb_from(a, b, ch_scale(sign, ch_unit(ch_add(cap, side))), end);
}

static bool contains(const ChSmooth* s, ChVec3 x, double slack) {
  const ChPolytope* polytope = s->shape->polytope;
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, ch_sub(x, s->at));
  if (!polytope) return ch_shape_kind(s->shape)->round.contains(s, local, slack);
  for (int f = 0; f < polytope->face_count; ++f)
    if (!(ch_dot(polytope->normals[f], local) - polytope->offsets[f] <= slack)) return false;
  return true;
}

// A point farthest along d in the middle of all that are, if they are a line or a disk.
static ChVec3 middle_support(const ChSmooth* s, ChVec3 d) {
  const ChVec3 end = ch_smooth_support(s, d);
  if (!ch_shape_kind(s->shape)->round.straight || !(fabs(ch_dot(s->axis, d)) < 1e-12)) return end;
  return ch_along(end, -ch_dot(ch_sub(end, s->at), s->axis), s->axis);
}

// A point of each shape, apart by the gap along the normal: no direction separates by more. Says nothing of overlaps.
static bool is_proved(const ChSmooth* a, const ChSmooth* b, ChSmoothAxis axis) {
  const double size = fmin(a->size, b->size), slack = 1e-10 * size;
  if (!(axis.gap > -1e-9 * size)) return false;
  return contains(b, ch_along(middle_support(a, axis.normal), axis.gap, axis.normal), slack) ||
         contains(a, ch_along(middle_support(b, ch_neg(axis.normal)), -axis.gap, axis.normal), slack);
}

// The separation of shapes that do not overlap has one maximum: climb until nothing is gained. Where a corner is a hair
// away from a rim, only their closest points tell the directions between apart.
static ChSmoothAxis climb_apart(const ChSmooth* a, const ChSmooth* b, ChSmoothAxis best) {
  const double size = fmin(a->size, b->size);
  if (is_proved(a, b, best)) return best;
  const ChClosest closest = closest_points(a, b, best.normal, INFINITY, FINE);
  if (closest.apart && closest.distance > 1e-9 * size) best = better(best, ch_smooth_sharpen(a, b, closest.normal));
  for (int round = 0; round < ROUNDS && !is_proved(a, b, best); ++round) {
    const ChSmoothAxis next = ascend(a, b, best, FINE);
    if (!(next.gap > best.gap + 1e-13 * size)) break;
    best = next;
  }
  return best;
}

ChSmoothAxis ch_smooth_axis(const ChSmooth* a, const ChSmooth* b, double enough) {
  ChSmoothAxis kept[KEPT], best = {.gap = -INFINITY};
  for (int k = 0; k < KEPT; ++k) kept[k].gap = -INFINITY;
  const ChVec3 between = ch_unit(ch_sub(b->at, a->at));
  if (ch_dot(between, between) > 0.5) keep(a, b, between, kept);
  fan_out(a, a, b, 1.0, kept);
  fan_out(b, a, b, -1.0, kept);
  if (kept[0].gap > enough) return kept[0];
  best = ch_smooth_flatten(a, b, kept[0].normal);
  if (best.gap > enough || is_proved(a, b, best)) return best;
  best = ch_smooth_sharpen(a, b, best.normal);
  if (best.gap > enough || is_proved(a, b, best)) return best;

  const ChClosest closest = closest_points(a, b, best.normal, enough, ROUGH);
  const double size = fmin(a->size, b->size), touching = -1e-9 * size;
  if (closest.apart && closest.distance > enough) return (ChSmoothAxis){closest.normal, closest.distance};
  if (closest.apart) best = better(best, ch_smooth_sharpen(a, b, closest.normal));
  for (int k = 0; k < KEPT && !(best.gap > touching); ++k) best = better(best, ascend(a, b, kept[k], ROUGH));
  if (best.gap > touching) return climb_apart(a, b, best);
  for (int round = 0; round < ROUNDS; ++round) {
    const double gap = best.gap;
    best = better(best, try_ways_out(a, a, b, 1.0, best));
    best = better(best, try_ways_out(b, a, b, -1.0, best));
    if (!(best.gap > gap - touching)) break;
  }
  return best.gap > touching ? climb_apart(a, b, best) : best;
}
