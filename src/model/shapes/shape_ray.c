// Rays and shapes, in the shape's frame. A convex solid is met from where the ray has entered all that bounds it to
// where it leaves the first; a surface is met where the ray crosses the nearest of its cells.
#include "model/shapes/shape_ray.h"

#include <math.h>

#include "model/mesh/mesh.h"
#include "model/shapes/shape_kind.h"

enum { STRIDES = 1000 };

typedef struct Stretch {
  double enter, leave;
  ChVec3 normal;  // of what is entered last
} Stretch;

static const Stretch whole = {-INFINITY, INFINITY, {0.0, 0.0, 0.0}};

// What of the stretch is in normal . x <= offset.
static void cut(const ChRay* ray, ChVec3 normal, double offset, Stretch* s) {
  double above = ch_dot(normal, ray->from) - offset, speed = ch_dot(normal, ray->along);
  if (speed == 0.0) {
    if (above > 0.0) s->leave = -INFINITY;
    return;
  }
  double t = -above / speed;
  if (speed < 0.0 && t > s->enter) {
    s->enter = t;
    s->normal = normal;
  }
  if (speed > 0.0) s->leave = fmin(s->leave, t);
}

// What of it is in the ball of radius 1 about the origin, for a ray whose `along` need not be unit. The normal is where
// it enters.
static void cut_ball(ChVec3 from, ChVec3 along, Stretch* s) {
  double a = ch_dot(along, along), b = ch_dot(from, along), c = ch_dot(from, from) - 1.0;
  if (a == 0.0) {
    if (c > 0.0) s->leave = -INFINITY;
    return;
  }
  ChVec3 nearest = ch_along(from, -b / a, along);  // the root of 1 - |nearest|^2 loses nothing far from the ball
  double rest = 1.0 - ch_dot(nearest, nearest);
  if (rest < 0.0) {
    s->leave = -INFINITY;
    return;
  }
  double middle = -b / a, half = sqrt(rest / a);
  if (middle - half > s->enter) {
    s->enter = middle - half;
    s->normal = ch_along(from, s->enter, along);
  }
  s->leave = fmin(s->leave, middle + half);
}

static bool finish(const ChRay* ray, const Stretch* s, ChRayTouch* out) {
  if (!(s->enter <= s->leave && s->leave >= 0.0 && s->enter <= ray->reach)) return false;
  bool inside = s->enter < 0.0;
  *out = (ChRayTouch){inside ? 0.0 : s->enter, inside ? ch_neg(ray->along) : ch_unit(s->normal)};
  return true;
}

static bool nearer(const ChRayTouch* a, bool found, ChRayTouch* best) {
  if (found && !(best->distance <= a->distance)) *best = *a;
  return found;
}

// --- solids ----------------------------------------------------------------------------------------------------------

static ChVec3 scaled(ChVec3 v, ChVec3 half) { return ch_vec(v.x / half.x, v.y / half.y, v.z / half.z); }

static bool meet_ellipsoid(const ChRay* ray, ChVec3 half, ChRayTouch* out) {
  Stretch s = whole;
  cut_ball(scaled(ray->from, half), scaled(ray->along, half), &s);
  s.normal = scaled(s.normal, half);
  return finish(ray, &s, out);
}

bool ch_shape_ray_ellipsoid(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  return meet_ellipsoid(ray, shape->half, out);
}

bool ch_shape_ray_ellipse(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  return meet_ellipsoid(ray, ch_vec(shape->half.x, shape->half.y, 1.0), out);
}

bool ch_shape_ray_ball(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  double r = shape->radius;
  return meet_ellipsoid(ray, ch_vec(r, r, r), out);
}

bool ch_shape_ray_cylinder(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  Stretch s = whole;
  double r = shape->radius;
  cut_ball(ch_vec(ray->from.x / r, ray->from.y / r, 0.0), ch_vec(ray->along.x / r, ray->along.y / r, 0.0), &s);
  cut(ray, ch_axis(2), shape->half_length, &s);
  cut(ray, ch_neg(ch_axis(2)), shape->half_length, &s);
  return finish(ray, &s, out);
}

bool ch_shape_ray_capsule(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  ChRayTouch touch;
  out->distance = NAN;
  bool found = nearer(&touch, ch_shape_ray_cylinder(ray, shape, &touch), out);
  for (int end = -1; end <= 1; end += 2) {
    ChRay moved = *ray;
    moved.from.z -= end * shape->half_length;
    found = nearer(&touch, ch_shape_ray_ball(&moved, shape, &touch), out) || found;
  }
  return found;
}

bool ch_shape_ray_polytope(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  Stretch s = whole;
  const ChPolytope* p = shape->polytope;
  for (int f = 0; f < p->face_count; ++f) cut(ray, p->normals[f], p->offsets[f], &s);
  return finish(ray, &s, out);
}

bool ch_shape_ray_halfspace(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  Stretch s = whole;
  cut(ray, shape->normal, shape->offset, &s);
  return finish(ray, &s, out);
}

// --- surfaces --------------------------------------------------------------------------------------------------------

static bool cross(const ChRay* ray, double t, ChVec3 normal, ChRayTouch* out) {
  if (!(t >= 0.0 && t <= ray->reach)) return false;
  *out = (ChRayTouch){t, ch_dot(normal, ray->along) > 0.0 ? ch_neg(normal) : normal};
  return true;
}

// from + t along = a + u (b - a) + v (c - a) by Cramer's rule (Moeller, Trumbore 1997)
static bool meet_triangle(const ChRay* ray, ChVec3 a, ChVec3 b, ChVec3 c, ChRayTouch* out) {
  ChVec3 x = ch_sub(b, a), y = ch_sub(c, a), p = ch_cross(ray->along, y), o = ch_sub(ray->from, a);
  double det = ch_dot(x, p), u = ch_dot(o, p) / det;
  ChVec3 q = ch_cross(o, x);
  double v = ch_dot(ray->along, q) / det;
  if (!(u >= 0.0 && v >= 0.0 && u + v <= 1.0)) return false;  // also where det is 0
  return cross(ray, ch_dot(y, q) / det, ch_unit(ch_cross(x, y)), out);
}

bool ch_ray_meet_triangles(const ChRay* ray, int count, const int* triangles, ChRayVertexFn* vertex,
                           const void* surface, ChRayTouch* out) {
  bool found = false;
  out->distance = NAN;
  for (int k = 0; k < count; ++k) {
    const int* t = triangles + 3L * k;
    ChRayTouch touch;
    bool met = meet_triangle(ray, vertex(surface, t[0]), vertex(surface, t[1]), vertex(surface, t[2]), &touch);
    found = nearer(&touch, met, out) || found;
  }
  return found;
}

static bool meet_segment(const ChRay* ray, ChVec3 a, ChVec3 b, ChRayTouch* out) {
  ChVec3 x = ch_sub(b, a), normal = ch_unit(ch_vec(-x.y, x.x, 0.0));
  double speed = ch_dot(normal, ray->along), t = ch_dot(normal, ch_sub(a, ray->from)) / speed;
  double at = ch_dot(x, ch_sub(ch_along(ray->from, t, ray->along), a)) / ch_dot(x, x);
  return at >= 0.0 && at <= 1.0 && cross(ray, t, normal, out);  // not where speed is 0
}

static bool meets_box(const ChRay* ray, const ChBox3* box, double reach) {
  Stretch s = whole;
  for (int k = 0; k < 3; ++k) {
    cut(ray, ch_axis(k), ch_component(box->high, k), &s);
    cut(ray, ch_neg(ch_axis(k)), -ch_component(box->low, k), &s);
  }
  double slack = 1e-12 * (1.0 + fabs(s.enter));
  return s.enter <= s.leave + slack && s.leave >= -slack && s.enter <= reach + slack;
}

static bool meet_cell(const ChRay* ray, const ChMesh* mesh, int cell, ChRayTouch* out) {
  const int* c = mesh->cells + (long)mesh->width * cell;
  const ChVec3* v = mesh->vertices;
  return mesh->width == 3 ? meet_triangle(ray, v[c[0]], v[c[1]], v[c[2]], out)
                          : meet_segment(ray, v[c[0]], v[c[1]], out);
}

static bool walk(const ChRay* ray, const ChMesh* mesh, int node, ChRayTouch* out) {
  const ChMeshNode* n = &mesh->nodes[node];
  bool found = false;
  if (!meets_box(ray, &n->box, isnan(out->distance) ? ray->reach : out->distance)) return false;
  for (int k = 0; k < n->count; ++k) {
    ChRayTouch touch;
    found = nearer(&touch, meet_cell(ray, mesh, mesh->order[n->first + k], &touch), out) || found;
  }
  for (int child = 0; child < 2 && n->count == 0; ++child) found = walk(ray, mesh, n->first + child, out) || found;
  return found;
}

bool ch_shape_ray_mesh(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  out->distance = NAN;
  return shape->mesh->node_count > 0 && walk(ray, shape->mesh, 0, out);
}

// A curved shape whose row has no ray, by its distance: no point of it is nearer, so the ray may go that far at once.
static bool ray_round(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  const double near = 1e-12 * shape->bound;
  double s = 0.0;
  for (int k = 0; k < STRIDES && s <= ray->reach; ++k) {
    ChFieldPoint foot = ch_shape_kind(shape)->round.distance(shape, ch_along(ray->from, s, ray->along));
    if (!(foot.distance > near)) {
      out->distance = s, out->normal = foot.normal;
      return true;
    }
    s += foot.distance;
  }
  return false;
}

bool ch_ray_meet(const ChRay* ray, const ChShape* shape, ChFrame place, ChRayTouch* out) {
  ChVec3 to = ch_sub(place.at, ray->from);
  double along = ch_dot(to, ray->along);
  if (isfinite(shape->bound)) {  // the ball about the shape
    double aside2 = ch_dot(to, to) - along * along, bound = shape->bound * (1.0 + 1e-9);
    if (aside2 > bound * bound + 1e-12 * ch_dot(to, to) || along < -bound || along - bound > ray->reach) return false;
  }
  const ChShapeKind* kind = ch_shape_kind(shape);
  ChShapeRayFn* meet = kind->ray ? kind->ray : kind->round.distance ? ray_round : NULL;
  ChRay local = {ch_frame_local(place, ray->from), ch_rotate_back(place.orientation, ray->along), ray->reach};
  if (!meet || !meet(&local, shape, out)) return false;
  out->normal = ch_rotate(place.orientation, out->normal);
  return true;
}
