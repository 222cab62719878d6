// See sweep.h.
#include "collide/sweep.h"

#include <math.h>

#include "base/check.h"

enum { MOST_ADVANCES = 4096 };  // what takes more grazes for a whole step: it counts as meeting
#define MEETS 0.5               // share of the depth that counts as reached: each advance then covers as much at least

ChWay ch_way_between(int dimension, const ChBodyState* from, const ChBodyState* to) {
  ChWay way = {.from = *from, .step = ch_sub(to->position, from->position), .axis = ch_axis(2)};
  if (dimension == 2) {
    double turn = to->angle - from->angle;
    way.axis = ch_vec(0.0, 0.0, turn < 0.0 ? -1.0 : 1.0);
    way.angle = fabs(turn);
    return way;
  }
  ChQuat q = ch_quat_product(to->orientation, ch_quat_conjugate(from->orientation));
  ChVec3 v = q.w < 0.0 ? ch_vec(-q.x, -q.y, -q.z) : ch_vec(q.x, q.y, q.z);
  double sine = ch_norm(v);
  if (!(sine > 0.0)) return way;
  way.axis = ch_scale(1.0 / sine, v);
  way.angle = 2.0 * atan2(sine, fabs(q.w));
  return way;
}

double ch_swept_turn(const ChSwept* swept) {
  return swept->way->angle > 0.0 ? swept->way->angle * swept->shape->reach : 0.0;  // the reach may be infinite
}

double ch_swept_motion(const ChSwept* a, const ChSwept* b) {
  return ch_norm(ch_sub(a->way->step, b->way->step)) + ch_swept_turn(a) + ch_swept_turn(b);
}

ChPosed ch_swept_at(const ChSwept* swept, double t) {
  const ChWay* way = swept->way;
  ChBodyState state = way->from;
  state.position = ch_along(state.position, t, way->step);
  if (way->angle > 0.0)
    state.orientation = ch_quat_product(ch_quat_about(way->axis, t * way->angle), state.orientation);
  ChFrame frame = ch_shape_frame(swept->shape, &state);
  return (ChPosed){.shape = swept->shape, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

static const ChGap* nearest(const ChSwept* a, const ChSwept* b, double t, double within, ChManifold* list) {
  ChPosed p = ch_swept_at(a, t), q = ch_swept_at(b, t);
  double bounds = p.shape->bound + q.shape->bound;
  if (!(ch_norm(ch_sub(q.frame.at, p.frame.at)) <= (1.0 + 1e-9) * bounds + within)) return NULL;
  list->count = 0;
  list->lists = NULL;
  ch_pair_collide(&p, &q, within, list);
  const ChGap* best = NULL;
  for (int k = 0; k < list->count; ++k)
    if (list->points[k].gap <= within && (!best || list->points[k].gap < best->gap)) best = &list->points[k];
  return best;
}

double ch_swept_gap(const ChSwept* a, const ChSwept* b, double t, double within, ChManifold* list) {
  const ChGap* gap = nearest(a, b, t, within, list);
  return gap ? gap->gap : INFINITY;
}

// How fast the nearest points may approach: a step's way.
static double approach(const ChSwept* a, const ChSwept* b, ChVec3 normal) {
  ChVec3 apart = ch_sub(a->way->step, b->way->step);
  bool convex = !a->shape->mesh && !b->shape->mesh;
  return fmax(0.0, convex ? ch_dot(apart, normal) : ch_norm(apart)) + ch_swept_turn(a) + ch_swept_turn(b);
}

double ch_swept_meet(const ChSwept* a, const ChSwept* b, double depth, ChManifold* list) {
  CH_ASSERT(depth > 0.0 && !a->shape->soft && !b->shape->soft);
  double motion = ch_swept_motion(a, b), t = 0.0;
  for (int k = 0; k < MOST_ADVANCES; ++k) {
    const ChGap* gap = nearest(a, b, t, (1.0 - t) * motion, list);
    if (!gap) return INFINITY;
    if (gap->gap < -MEETS * depth) return k > 0 ? t : INFINITY;
    double rate = approach(a, b, gap->normal), room = gap->gap + depth;
    if (!(room < (1.0 - t) * rate)) return INFINITY;
    t += room / rate;
  }
  return t;
}
