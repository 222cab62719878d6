// Half-spaces: normal . x <= offset is solid, so the gap of a point is normal . x - offset.
#include "collide/closest.h"

typedef struct Plane {
  ChVec3 normal;
  double offset;
} Plane;

// In the world.
static Plane plane_of(const ChPosed* b) {
  ChVec3 normal = ch_mat_apply(&b->turn, b->shape->normal);
  return (Plane){normal, b->shape->offset + ch_dot(normal, b->frame.at)};
}

// A ball of this radius about the point (0: the point itself) against the plane.
static void add_ball(const Plane* plane, ChVec3 centre, double radius, double margin, uint64_t key, ChManifold* out) {
  double height = ch_dot(plane->normal, centre) - plane->offset, gap = height - radius;
  if (!(gap <= margin)) return;
  // Midway between the ball's lowest point and the plane.
  ch_manifold_add(out, ch_along(centre, -0.5 * (height + radius), plane->normal), ch_neg(plane->normal), gap, key);
}

void ch_pair_sphere_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  Plane plane = plane_of(b);
  add_ball(&plane, a->frame.at, a->shape->radius, margin, 0, out);
}

void ch_pair_capsule_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  Plane plane = plane_of(b);
  ChSegment core = ch_capsule_core(a);
  for (int i = 0; i < 2; ++i) add_ball(&plane, core.end[i], a->shape->radius, margin, (uint64_t)i, out);
}

// All vertices, the key is the vertex.
void ch_pair_polytope_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  Plane plane = plane_of(b);
  const ChPolytope* p = a->shape->polytope;
  ChVec3 down = ch_mat_apply_transposed(&a->turn, plane.normal);  // in a's frame: no vertex is turned in vain
  double height = ch_dot(plane.normal, a->frame.at) - plane.offset;
  for (int v = 0; v < p->vertex_count; ++v)
    if (height + ch_dot(down, p->vertices[v]) <= margin + 1e-9 * p->radius)
      add_ball(&plane, ch_add(a->frame.at, ch_mat_apply(&a->turn, p->vertices[v])), 0.0, margin, (uint64_t)v, out);
}
