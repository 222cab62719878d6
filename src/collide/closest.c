// See closest.h.
#include "collide/closest.h"

#include "base/check.h"

ChSegment ch_capsule_core(const ChPosed* c) {
  ChVec3 axis = ch_vec(c->turn.m[0][2], c->turn.m[1][2], c->turn.m[2][2]);
  double half = c->shape->half_length;
  return (ChSegment){{ch_along(c->frame.at, -half, axis), ch_along(c->frame.at, half, axis)}};
}

double ch_segment_foot(const ChSegment* s, ChVec3 point) {
  ChVec3 d = ch_sub(s->end[1], s->end[0]);
  double length2 = ch_dot(d, d);
  return length2 > 0.0 ? ch_dot(ch_sub(point, s->end[0]), d) / length2 : 0.0;
}

ChVec3 ch_segment_at(const ChSegment* s, double t) {
  return t <= 0.0 ? s->end[0] : t >= 1.0 ? s->end[1] : ch_along(s->end[0], t, ch_sub(s->end[1], s->end[0]));
}

static void pair_offer(ChSegmentPair* best, const ChSegment* a, const ChSegment* b, double s, double t) {
  ChVec3 x = ch_segment_at(a, s), y = ch_segment_at(b, t);
  double distance = ch_norm(ch_sub(y, x));
  if (!(distance < best->distance)) return;
  best->t[0] = s;
  best->t[1] = t;
  best->distance = distance;
  best->point[0] = x;
  best->point[1] = y;
}

// Of the line through `a` at its end `i` to the other segment.
static void offer_ends(ChSegmentPair* best, const ChSegment* a, const ChSegment* b) {
  for (int i = 0; i < 2; ++i) {
    pair_offer(best, a, b, i, ch_clamp(ch_segment_foot(b, a->end[i]), 0.0, 1.0));
    pair_offer(best, a, b, ch_clamp(ch_segment_foot(a, b->end[i]), 0.0, 1.0), i);
  }
}

// Two segments that touch have no difference to take a normal from: any vector normal to both is one.
static ChVec3 touching_normal(ChVec3 da, ChVec3 db) {
  ChVec3 axis = ch_norm(da) > 0.0 ? da : db, t1, t2;
  if (!(ch_norm(axis) > 0.0)) return ch_axis(2);
  ch_tangents(ch_unit(axis), &t1, &t2);
  return t1;
}

ChSegmentPair ch_segment_pair(const ChSegment* a, const ChSegment* b) {
  ChSegmentPair best = {.distance = INFINITY};
  ChVec3 da = ch_sub(a->end[1], a->end[0]), db = ch_sub(b->end[1], b->end[0]), r = ch_sub(b->end[0], a->end[0]);
  ChVec3 across = ch_cross(da, db);
  double la = ch_norm(da), lb = ch_norm(db), area = ch_norm(across);
  best.sine = la > 0.0 && lb > 0.0 ? area / (la * lb) : 0.0;
  bool crosses = false;
  if (best.sine > CH_SINE_PARALLEL) {  // (x - y) normal to both lines
    double s = ch_dot(ch_cross(r, db), across) / (area * area), t = ch_dot(ch_cross(r, da), across) / (area * area);
    crosses = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
    if (crosses) pair_offer(&best, a, b, s, t);
  }
  if (!crosses) offer_ends(&best, a, b);  // where lines cross inside both, no end is nearer
  ChVec3 apart = ch_sub(best.point[1], best.point[0]);
  if (crosses)
    best.normal = ch_scale((ch_dot(apart, across) < 0.0 ? -1.0 : 1.0) / area, across);
  else
    best.normal = best.distance > 1e-12 * (la + lb) ? ch_unit(apart) : touching_normal(da, db);
  return best;
}

// --- point and polytope ----------------------------------------------------------------------------------------------

// The loop of face f as segments, cyclic.
static int loop_vertex(const ChPolytope* p, int f, int k) {
  int first = p->face_start[f], count = p->face_start[f + 1] - first;
  return p->face_vertex[first + (k < count ? k : 0)];
}

// Whether the point's foot on the plane of face f is inside the face.
static bool over_face(const ChPolytope* p, int f, ChVec3 point) {
  int count = p->face_start[f + 1] - p->face_start[f];
  for (int k = 0; k < count; ++k) {
    ChVec3 v = p->vertices[loop_vertex(p, f, k)], w = p->vertices[loop_vertex(p, f, k + 1)];
    if (ch_dot(ch_cross(ch_sub(w, v), p->normals[f]), ch_sub(point, v)) > 0.0) return false;
  }
  return true;
}

// `best2`: the square of the best distance; what is not below it has no smaller root.
static void offer_edges(const ChPolytope* p, int f, ChVec3 point, double* best2, ChPolytopeFoot* best) {
  int count = p->face_start[f + 1] - p->face_start[f];
  for (int k = 0; k < count; ++k) {
    int v = loop_vertex(p, f, k), w = loop_vertex(p, f, k + 1), low = v < w ? v : w, high = v < w ? w : v;
    ChSegment edge = {{p->vertices[low], p->vertices[high]}};  // ascending: both faces of an edge find the same foot
    double t = ch_segment_foot(&edge, point);
    ChVec3 apart = ch_sub(point, ch_segment_at(&edge, t));
    double distance2 = ch_dot(apart, apart);
    if (distance2 >= *best2) continue;
    double distance = sqrt(distance2);
    if (!(distance < best->distance)) continue;
    *best2 = distance2;
    *best =
        (ChPolytopeFoot){distance, ch_scale(1.0 / distance, apart), -1, {t >= 1.0 ? high : low, t <= 0.0 ? low : high}};
  }
}

ChPolytopeFoot ch_polytope_foot(const ChPolytope* p, ChVec3 point) {
  int highest = 0;
  double height = -INFINITY, second = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    double d = ch_dot(p->normals[f], point) - p->offsets[f];
    if (d > height) {
      second = height;
      height = d;
      highest = f;
    } else if (d > second) {
      second = d;
    }
  }
  ChPolytopeFoot on_face = {height, p->normals[highest], highest, {-1, -1}};
  // The foot is by no more than `height` higher over any other face.
  bool well_inside = second < -height - 1e-12 * p->radius;
  if (height <= 1e-12 * p->radius || well_inside || over_face(p, highest, point)) return on_face;
  ChPolytopeFoot best = {.distance = INFINITY, .face = -1};
  double best2 = INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    double d = ch_dot(p->normals[f], point) - p->offsets[f];
    if (d <= 0.0) continue;
    if (f != highest && over_face(p, f, point)) return (ChPolytopeFoot){d, p->normals[f], f, {-1, -1}};
    offer_edges(p, f, point, &best2, &best);
  }
  return best;
}
