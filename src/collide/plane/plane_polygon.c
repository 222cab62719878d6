// Plane pairs of disks, polygons and half-planes.
#include "collide/plane/plane_pairs.h"
#include "collide/polytope/polytope_pair.h"

void ch_pair_plane_disk_disk(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChVec3 between = ch_sub(b->frame.at, a->frame.at);
  const double distance = ch_norm(between), ra = a->shape->radius, rb = b->shape->radius, gap = distance - ra - rb;
  if (!(gap <= margin)) return;
  const ChVec3 normal = distance > 0.0 ? ch_scale(1.0 / distance, between) : ch_axis(0);  // concentric: any will do
  ch_manifold_add(out, ch_along(a->frame.at, ra + 0.5 * gap, normal), normal, gap, 0);
}

ChPlaneFoot ch_plane_foot(const ChPolytope* p, ChVec3 x) {
  int highest = 0, nearest = 0;
  double height = -INFINITY, least = INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    const double d = ch_dot(p->normals[f], x) - p->offsets[f];
    if (d > height) height = d, highest = f;
  }
  ChPlaneFoot foot = {height, p->normals[highest], highest, -1};
  const ChVec3 from = p->vertices[p->face_vertex[2 * highest]], to = p->vertices[p->face_vertex[2 * highest + 1]];
  const ChVec3 along = ch_sub(to, from);
  if (height <= 0.0 || (ch_dot(along, ch_sub(x, from)) >= 0.0 && ch_dot(along, ch_sub(to, x)) >= 0.0)) return foot;
  // Beyond the end of the highest side: another side, or a corner.
  for (int f = 0; f < p->face_count; ++f) {
    const ChVec3 start = p->vertices[p->face_vertex[2 * f]], end = p->vertices[p->face_vertex[2 * f + 1]];
    const ChVec3 side = ch_sub(end, start);
    const double d = ch_dot(p->normals[f], x) - p->offsets[f];
    if (d > 0.0 && ch_dot(side, ch_sub(x, start)) >= 0.0 && ch_dot(side, ch_sub(end, x)) >= 0.0)
      return (ChPlaneFoot){d, p->normals[f], f, -1};
    const double squared = ch_dot(ch_sub(x, start), ch_sub(x, start));
    if (squared < least) least = squared, nearest = p->face_vertex[2 * f];
  }
  const ChVec3 out = ch_sub(x, p->vertices[nearest]);
  foot.distance = ch_norm(out);
  // So near that the difference has no digits left, the side's normal is as good.
  if (foot.distance > 1e-12 * p->radius) foot.normal = ch_scale(1.0 / foot.distance, out);
  foot.side = -1;
  foot.vertex = nearest;
  return foot;
}

void ch_pair_plane_disk_polygon(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChPlaneFoot foot = ch_plane_foot(b->shape->polytope, ch_frame_local(b->frame, a->frame.at));
  const double gap = foot.distance - a->shape->radius;
  if (!(gap <= margin)) return;
  const ChVec3 normal = ch_neg(ch_mat_apply(&b->turn, foot.normal));
  const uint64_t key = foot.side >= 0 ? (uint64_t)foot.side : (uint64_t)1 << 32 | (uint64_t)foot.vertex;
  ch_manifold_add(out, ch_along(a->frame.at, a->shape->radius + 0.5 * gap, normal), normal, gap, key);
}

void ch_pair_plane_polygon_polygon(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  ch_solid_collide(a, b, true, margin, out);
}

void ch_pair_plane_convex_halfplane(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  if (ch_shape_kind(a->shape)->info.ball) {
    ch_pair_sphere_halfspace(a, b, margin, out);
  } else if (a->shape->polytope) {
    ch_pair_polytope_halfspace(a, b, margin, out);
  } else {
    const ChVec3 normal = ch_mat_apply(&b->turn, b->shape->normal);
    const ChVec3 low = ch_plane_support(a, ch_neg(normal));
    const double gap = ch_dot(normal, ch_sub(low, b->frame.at)) - b->shape->offset;
    if (gap <= margin) ch_manifold_add(out, ch_along(low, -0.5 * gap, normal), ch_neg(normal), gap, 0);
  }
}
