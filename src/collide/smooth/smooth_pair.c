// Cylinders and ellipsoids against half-spaces and against every convex shape.
//
// Points: an ellipsoid or a sphere touches in one. A cylinder's flat caps and straight side touch in more. So that they
// have corners with names, a cylinder is stood in for by a prism inside of it whose corners lie on its rims: eight at
// fixed angles of the body, and one, on each rim, where the direction of the contact points. Its corners are points of
// the cylinder, the ones that touch among them, so every gap is true. A capsule is a prism whose edge is its touching
// line.
#include "collide/smooth/smooth_pair.h"
#include "collide/polytope/polytope_pair.h"

enum { FIXED = 8, ROUND = FIXED + 1, CORNERS = 2 * ROUND, FACES = ROUND + 2 };

static const double eighth = 0.78539816339744830962;

// A prism in its own frame: `count` corners on each end, counter-clockwise about the axis.
typedef struct Prism {
  ChPolytope polytope;
  ChVec3 vertices[CORNERS], normals[FACES];
  double offsets[FACES];
  int face_start[FACES + 1], face_vertex[2 * ROUND + 4 * ROUND];
} Prism;

static void close_face(Prism* p, int face, int end) {
  const int* v = p->face_vertex + p->face_start[face];
  p->face_start[face + 1] = end;
  const ChVec3 x = p->vertices[v[0]];
  ChVec3 area = ch_vec(0.0, 0.0, 0.0);
  for (int k = 1; k + 1 < end - p->face_start[face]; ++k)
    area = ch_add(area, ch_cross(ch_sub(p->vertices[v[k]], x), ch_sub(p->vertices[v[k + 1]], x)));
  p->normals[face] = ch_unit(area);
  p->offsets[face] = ch_dot(p->normals[face], x);
}

// order[k] is the corner that comes k-th round the axis; corner c is vertex c below and ROUND + c above.
static void make_prism(Prism* p, int count, const int* order, double radius) {
  int end = 0, face = 0;
  p->face_start[0] = 0;
  for (int k = 0; k < count; ++k, ++end) p->face_vertex[count - 1 - k] = order[k];
  close_face(p, face++, end);
  for (int k = 0; k < count; ++k) p->face_vertex[end++] = ROUND + order[k];
  close_face(p, face++, end);
  for (int k = 0; k < count; ++k) {
    const int here = order[k], next = order[(k + 1) % count];
    p->face_vertex[end++] = here;
    p->face_vertex[end++] = next;
    p->face_vertex[end++] = ROUND + next;
    p->face_vertex[end++] = ROUND + here;
    close_face(p, face++, end);
  }
  p->polytope = (ChPolytope){.vertex_count = CORNERS,
                             .face_count = face,
                             .vertices = p->vertices,
                             .normals = p->normals,
                             .offsets = p->offsets,
                             .face_start = p->face_start,
                             .face_vertex = p->face_vertex,
                             .radius = radius};
}

// d: outward direction of the contact in the cylinder's frame.
static void make_cylinder(Prism* p, const ChShape* shape, ChVec3 d) {
  int order[ROUND], count = 0;
  const double tilt = hypot(d.x, d.y), r = shape->radius, l = shape->half_length;
  const bool pointed = tilt > CH_SOLID_TOUCH;
  double angle = pointed ? atan2(d.y, d.x) / eighth : 0.0;
  if (angle < 0.0) angle += FIXED;
  for (int k = 0; k < FIXED; ++k) {
    p->vertices[k] = ch_vec(r * cos(k * eighth), r * sin(k * eighth), -l);
    order[count++] = k;
    // Nearer than this to a fixed corner the pointed one takes its place.
    if (pointed && angle > k + 1e-7 && angle < k + 1 - 1e-7) order[count++] = FIXED;
  }
  const int nearest = (int)(angle + 0.5) % FIXED;
  p->vertices[FIXED] = pointed ? ch_vec(r * d.x / tilt, r * d.y / tilt, -l) : p->vertices[0];
  if (pointed && count == FIXED) p->vertices[nearest] = p->vertices[FIXED];
  for (int k = 0; k < ROUND; ++k) p->vertices[ROUND + k] = ch_vec(p->vertices[k].x, p->vertices[k].y, l);
  make_prism(p, count, order, hypot(r, l));
}

// Only the edge that touches means anything; the other two are out of reach of the margin.
static void make_capsule(Prism* p, const ChShape* shape, ChVec3 d, double margin) {
  const int order[3] = {0, 1, 2};
  const double r = shape->radius, l = shape->half_length, tilt = hypot(d.x, d.y), away = 2.0 * (r + l + margin);
  const ChVec3 side = ch_vec(d.x / tilt, d.y / tilt, 0.0), across = ch_vec(-side.y, side.x, 0.0);
  for (int end = 0; end < 2; ++end) {
    const ChVec3 core = ch_vec(0.0, 0.0, end ? l : -l), back = ch_along(core, -away, side);
    p->vertices[end * ROUND] = ch_along(core, r, d);
    p->vertices[end * ROUND + 1] = ch_along(back, away, across);
    p->vertices[end * ROUND + 2] = ch_along(back, -away, across);
    for (int k = 3; k < ROUND; ++k) p->vertices[end * ROUND + k] = back;  // never farthest
  }
  make_prism(p, 3, order, r + l);
}

void ch_pair_smooth_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChVec3 up = ch_mat_apply(&b->turn, b->shape->normal), down = ch_neg(up);
  const ChSmooth s = ch_smooth_of(a, b->frame.at);
  Prism prism;
  const bool one = !ch_shape_kind(a->shape)->round.capped;
  if (!one) make_cylinder(&prism, a->shape, ch_mat_apply_transposed(&s.turn, down));
  const int count = one ? 1 : prism.face_start[2];  // the caps have all corners
  for (int k = 0; k < count; ++k) {
    const int v = one ? 0 : prism.face_vertex[k];
    const ChVec3 x = one ? ch_smooth_support(&s, down) : ch_add(s.at, ch_mat_apply(&s.turn, prism.vertices[v]));
    const double gap = ch_dot(up, x) - b->shape->offset;
    if (gap <= margin) ch_manifold_add(out, ch_along(ch_add(x, b->frame.at), -0.5 * gap, up), down, gap, (uint64_t)v);
  }
}

// The shape as a polytope that has its touching points as corners; false where it touches in one point only.
static bool stand_in(const ChSmooth* s, ChVec3 outward, double margin, Prism* prism, ChSolid* solid) {
  const ChShape* shape = s->shape;
  const ChVec3 d = ch_mat_apply_transposed(&s->turn, outward);
  *solid = (ChSolid){.polytope = shape->polytope, .turn = s->turn, .at = s->at, .half = shape->half};
  solid->box = ch_shape_is_box(shape);
  if (shape->polytope) return true;
  const ChRoundKind* round = &ch_shape_kind(shape)->round;
  if (round->capped)
    make_cylinder(prism, shape, d);
  else if (round->straight && fabs(d.z) < 0.5)
    make_capsule(prism, shape, d, margin);
  else
    return false;
  solid->polytope = &prism->polytope;
  return true;
}

void ch_pair_smooth_convex(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChVec3 origin = a->frame.at;
  const ChSmooth sa = ch_smooth_of(a, origin), sb = ch_smooth_of(b, origin);
  const ChSmoothAxis axis = ch_smooth_axis(&sa, &sb, margin);
  const int first = out->count;
  if (!(axis.gap <= margin)) return;
  Prism prism_a, prism_b;
  ChSolidPair pair = {.origin = origin, .margin = margin, .size = fmin(sa.size, sb.size)};
  pair.touch = CH_SOLID_TOUCH * pair.size;
  if (stand_in(&sa, axis.normal, margin, &prism_a, &pair.a) &&
      stand_in(&sb, ch_neg(axis.normal), margin, &prism_b, &pair.b))
    ch_solid_points(&pair, axis.normal, out);
  double least = INFINITY;
  for (int k = first; k < out->count; ++k) least = fmin(least, out->points[k].gap);
  if (least <= axis.gap + pair.touch) return;
  // One point, on the shape that is smooth there.
  out->count = first;
  const ChRoundKind* round_a = &ch_shape_kind(a->shape)->round;
  const bool smooth_a = (round_a->support && !round_a->straight && !round_a->swept) || b->shape->polytope;
  const ChVec3 x = smooth_a ? ch_along(ch_smooth_support(&sa, axis.normal), 0.5 * axis.gap, axis.normal)
                            : ch_along(ch_smooth_support(&sb, ch_neg(axis.normal)), -0.5 * axis.gap, axis.normal);
  ch_manifold_add(out, ch_add(x, origin), axis.normal, axis.gap, (uint64_t)1 << 63);
}
