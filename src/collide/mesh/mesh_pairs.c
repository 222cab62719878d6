// A convex shape and a triangle surface, exactly, from routines that exist already.
//
// Faces: to a triangle's inside the surface is a plane, so the shape meets the triangle's half-space, and those points
// count whose foot is in the triangle. Over a flat part of any number of triangles this gives exactly the points of the
// plane. Edges and vertices: a convex edge is a capsule of radius zero; its points count where the normal belongs to
// the edge, i.e. leads away from both its triangles, or at a vertex away from all edges there. Flat and concave edges
// touch nothing that a face does not touch before, so that nothing ever catches on an edge inside a smooth surface.
//
// A surface has an outside: triangles whose plane has the shape's centre behind it are seen from their back and left
// out. A point of the shape below the surface belongs to the nearest of the other triangles, not to all whose plane it
// is behind: else the foot of a wall would push a body up that leans against the wall.
#include "base/check.h"
#include "collide/closest.h"
#include "collide/mesh/mesh_walk.h"
#include "collide/shape_box.h"

static const double SMOOTH = 1e-6;    // sine of angles that count as none
static const double TOUCHING = 1e-8;  // of the shape's size
static const double DEEPER = 16.0;

typedef struct Query {
  const ChPosed *a, *b;
  ChPosed seen;  // the shape in the mesh's frame
  const ChMesh* mesh;
  ChVec3 centre;  // inside the shape, in the mesh's frame
  ChBox3 box;     // of the shape and its margin, in the mesh's frame
  double margin, slack;
  ChManifold* out;
  int first;
} Query;

static ChVec3 to_mesh(const Query* q, ChVec3 point) {
  return ch_mat_apply_transposed(&q->b->turn, ch_sub(point, q->b->frame.at));
}

static ChVec3 corner(const ChMesh* mesh, int cell, int k) { return mesh->vertices[mesh->cells[3 * cell + k % 3]]; }

static double height(const ChMesh* mesh, int cell, ChVec3 point) {
  return ch_dot(mesh->normals[cell], ch_sub(point, corner(mesh, cell, 0)));
}

static bool seen_from_behind(const Query* q, int cell) {
  return !q->mesh->front && height(q->mesh, cell, q->centre) < 0.0;
}

static ChForeign foreign(const Query* q, int cell) {
  return q->mesh->foreign ? (ChForeign)q->mesh->foreign[cell] : CH_FOREIGN_NOT;
}

static ChVec3 inward(const ChMesh* mesh, int cell, int k) { return mesh->inward[3 * cell + k]; }

// Edge k of `other` that it shares with `cell`.
static int shared_edge(const ChMesh* mesh, int other, int cell, int from, int to) {
  for (int k = 0; k < 3; ++k)
    if (mesh->across[3 * other + k] == cell && mesh->cells[3 * other + k] == to &&
        mesh->cells[3 * other + (k + 1) % 3] == from)
      return k;
  return 0;
}

// In the plane of the triangle across edge k, normal to the edge, into that triangle; unit.
static ChVec3 into_neighbour(const ChMesh* mesh, int cell, int k) {
  int other = mesh->across[3 * cell + k];
  int from = mesh->cells[3 * cell + k], to = mesh->cells[3 * cell + (k + 1) % 3];
  return inward(mesh, other, shared_edge(mesh, other, cell, from, to));
}

// Final keys are mixed from what touches; equal parts give equal keys from step to step.
static uint64_t mixed(uint64_t kind, uint64_t feature, uint64_t key) {
  uint64_t z = (4 * feature + kind) * 0x9e3779b97f4a7c15u;  // kinds are below 4: no two features share this
  z = (z ^ (z >> 32) ^ key) * 0xd6e8feb86659fd93u;
  return z ^ (z >> 32);
}

// Whether this pair has that point already, up to rounding.
static bool known(const Query* q, int until, const ChGap* point) {
  for (int i = q->first; i < until; ++i)
    if (ch_gap_is_same(&q->out->points[i], point, SMOOTH, q->slack)) return true;
  return false;
}

// --- faces -----------------------------------------------------------------------------------------------------------

static bool over_triangle(const ChMesh* mesh, int cell, ChVec3 point, double slack) {
  for (int k = 0; k < 3; ++k)
    if (!(ch_dot(inward(mesh, cell, k), ch_sub(point, corner(mesh, cell, k))) >= -slack)) return false;
  return true;
}

// Whether the point is nearer than `border` to an edge behind which the surface ends or falls away.
static bool near_brink(const ChMesh* mesh, int cell, ChVec3 point, double border) {
  for (int k = 0; k < 3; ++k) {
    if (ch_dot(inward(mesh, cell, k), ch_sub(point, corner(mesh, cell, k))) >= border) continue;
    bool ends = mesh->across[3 * cell + k] < 0;
    if (ends || ch_dot(mesh->normals[cell], into_neighbour(mesh, cell, k)) < -SMOOTH) return true;
  }
  return false;
}

static double distance_to_triangle(const ChMesh* mesh, int cell, ChVec3 point) {
  if (over_triangle(mesh, cell, point, 0.0)) return fabs(height(mesh, cell, point));
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    ChSegment edge = {{corner(mesh, cell, k), corner(mesh, cell, k + 1)}};
    least = fmin(least, ch_norm(ch_sub(point, ch_segment_at(&edge, ch_segment_foot(&edge, point)))));
  }
  return least;
}

// Whether some other triangle that faces the shape is nearer to the point than `depth`.
static bool nearer_elsewhere(const Query* q, int cell, ChVec3 point, double depth) {
  ChVec3 reach = ch_vec(depth, depth, depth);
  ChMeshWalk walk = ch_mesh_walk(q->mesh, (ChBox3){ch_sub(point, reach), ch_add(point, reach)});
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;)
    if (c != cell && !seen_from_behind(q, c) && distance_to_triangle(q->mesh, c, point) < depth - q->slack) return true;
  return false;
}

static bool face_owns(const Query* q, int cell, const ChGap* point) {
  // The normal leads from the shape into the surface: the shape's own point is half a gap back.
  ChVec3 own = to_mesh(q, ch_along(point->point, -0.5 * point->gap, point->normal));
  if (!over_triangle(q->mesh, cell, own, q->slack)) return false;
  // At a brink the plane does not go on: if the shape reaches below it there, an edge is touched.
  double border = q->slack + 4.0 * fmax(0.0, -point->gap);
  if (near_brink(q->mesh, cell, own, border)) {
    ChVec3 normal = q->mesh->normals[cell];
    double lowest = ch_shape_lowest(&q->seen, normal) - ch_dot(normal, corner(q->mesh, cell, 0));
    if (!(lowest >= fmin(point->gap, 0.0) - TOUCHING * q->a->shape->bound)) return false;
  }
  return point->gap >= 0.0 || !nearer_elsewhere(q, cell, own, -point->gap);
}

static void add_face(const Query* q, int cell) {
  ChVec3 normal = q->mesh->normals[cell];
  ChShape plane = {.type = CH_SHAPE_HALFSPACE, .normal = normal, .bound = INFINITY};
  plane.offset = ch_dot(normal, corner(q->mesh, cell, 0));
  ChPosed posed = *q->b;
  posed.shape = &plane;
  int first = q->out->count, kept = first;
  ch_pair_collide(q->a, &posed, q->margin, q->out);
  for (int i = first; i < q->out->count; ++i)
    if (face_owns(q, cell, &q->out->points[i]) && !known(q, kept, &q->out->points[i]))
      q->out->points[kept++] = q->out->points[i];
  q->out->count = kept;
}

// The shape's feature is the key, so that it stays when a body slides from one triangle to the next; a feature that
// touches several faces at once is numbered.
static void number_faces(const Query* q) {
  for (int i = q->out->count - 1; i >= q->first; --i) {
    uint64_t same = 0;
    for (int j = q->first; j < i; ++j) same += q->out->points[j].key == q->out->points[i].key;
    q->out->points[i].key = mixed(1, same, q->out->points[i].key);
  }
}

// --- edges -----------------------------------------------------------------------------------------------------------

typedef struct MeshEdge {
  int cell, k, other;       // triangles on both sides, `other` -1 at a border
  ChVec3 into, into_other;  // their inward directions
  ChSegment segment;        // in the mesh's frame
} MeshEdge;

// Fills the edge; false where it cannot be touched: out of reach, flat, concave, seen from behind.
static bool edge_stands_out(const Query* q, int cell, int k, MeshEdge* e) {
  const ChMesh* mesh = q->mesh;
  *e = (MeshEdge){.cell = cell, .k = k, .other = mesh->across[3 * cell + k]};
  if (e->other >= 0 && e->other < cell) return false;  // its turn comes with the other triangle
  if (foreign(q, cell) || (e->other >= 0 && foreign(q, e->other) == CH_FOREIGN_FIRST)) return false;
  e->segment = (ChSegment){{corner(mesh, cell, k), corner(mesh, cell, k + 1)}};
  if (ch_points_miss(2, e->segment.end, &q->box)) return false;
  e->into = inward(mesh, cell, k);
  if (e->other < 0) return !seen_from_behind(q, cell);
  e->into_other = into_neighbour(mesh, cell, k);
  if (!(ch_dot(mesh->normals[cell], e->into_other) < -SMOOTH)) return false;
  return !seen_from_behind(q, cell) || !seen_from_behind(q, e->other);
}

// Where an edge or a vertex of the surface is touched, and the best normal so far.
//
// A routine sees the edge alone. Apart from it, the direction of the closest points is the normal and either belongs to
// the surface or not. Where they touch or overlap a little, there is a choice, and the routine knows neither the rest
// of the surface nor, with an edge, the rest of the shape. A common normal n keeps the whole shape in front of the
// foot,
//
//   s(n) = min over the shape of n . (x - foot),  as large as can be,
//
// and for polyhedra the largest is among: normals of triangles at the foot, those of the shape's faces turned round,
// and vectors normal to an edge of each. A cylinder's caps and its side at the foot are faces here; its axis and the
// rim's tangent at the foot are edges. The routine's own stays unless another is clearly better.
typedef struct Touch {
  const Query* q;
  const MeshEdge* e;
  int vertex;       // -1: inside the edge
  ChVec3 foot;      // in the mesh's frame
  ChVec3 outward;   // the best
  double distance;  // its s
} Touch;

static bool edge_owns(const Touch* t, ChVec3 outward) {
  const MeshEdge* e = t->e;
  ChVec3 d = ch_sub(e->segment.end[1], e->segment.end[0]);
  if (!(fabs(ch_dot(outward, d)) <= SMOOTH * ch_norm(d))) return false;
  if (!(ch_dot(outward, e->into) <= SMOOTH)) return false;
  return e->other >= 0 ? ch_dot(outward, e->into_other) <= SMOOTH
                       : ch_dot(outward, t->q->mesh->normals[e->cell]) >= -SMOOTH;
}

static ChMeshWalk walk_at(const Touch* t) {
  ChVec3 at = t->q->mesh->vertices[t->vertex];
  return ch_mesh_walk(t->q->mesh, (ChBox3){at, at});
}

static bool has_corner(const ChMesh* mesh, int cell, int vertex) {
  const int* c = &mesh->cells[3 * cell];
  return c[0] == vertex || c[1] == vertex || c[2] == vertex;
}

// Whether `outward` leads away from all edges at the vertex.
static bool vertex_owns(const Touch* t, ChVec3 outward) {
  const ChMesh* mesh = t->q->mesh;
  if (t->e->other < 0 && !(ch_dot(outward, mesh->normals[t->e->cell]) >= -SMOOTH)) return false;
  ChMeshWalk walk = walk_at(t);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;) {
    if (!has_corner(mesh, c, t->vertex)) continue;
    for (int k = 0; k < 3; ++k) {
      ChVec3 edge = ch_sub(corner(mesh, c, k), mesh->vertices[t->vertex]);
      if (!(ch_dot(outward, edge) <= SMOOTH * ch_norm(edge))) return false;
    }
  }
  return true;
}

// Of a soup a rim may lie on another triangle, and a corner in the middle of one: whether the direction belongs to all
// triangles at the foot, wherever it lies on them.
static bool soup_owns(const Touch* t, ChVec3 outward) {
  const ChMesh* mesh = t->q->mesh;
  ChVec3 side = ch_sub(mesh->nodes[0].box.high, mesh->nodes[0].box.low);
  double near = 1e-9 * ch_norm(side) + t->q->slack;
  ChVec3 reach = ch_vec(near, near, near);
  ChMeshWalk walk = ch_mesh_walk(mesh, (ChBox3){ch_sub(t->foot, reach), ch_add(t->foot, reach)});
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;) {
    if (seen_from_behind(t->q, c) || !(distance_to_triangle(mesh, c, t->foot) <= near)) continue;
    bool on_edge = false;
    for (int k = 0; k < 3; ++k) {
      if (ch_dot(inward(mesh, c, k), ch_sub(t->foot, corner(mesh, c, k))) > near) continue;
      on_edge = true;
      if (!(ch_dot(outward, inward(mesh, c, k)) <= SMOOTH)) return false;
    }
    if (!on_edge && ch_norm(ch_sub(outward, mesh->normals[c])) > SMOOTH) return false;
  }
  return true;
}

static void offer(Touch* t, ChVec3 outward) {
  double distance = ch_shape_lowest(&t->q->seen, outward) - ch_dot(outward, t->foot);
  if (!(distance > t->distance + t->q->slack)) return;
  if (!(t->vertex < 0 ? edge_owns(t, outward) : vertex_owns(t, outward))) return;
  if (t->q->mesh->soup && !soup_owns(t, outward)) return;
  t->outward = outward;
  t->distance = distance;
}

static void offer_both(Touch* t, ChVec3 n) {
  offer(t, n);
  offer(t, ch_neg(n));
}

static void offer_cross(Touch* t, ChVec3 d, ChVec3 own) {
  ChVec3 n = ch_cross(d, own);
  if (ch_norm(n) > CH_SINE_PARALLEL * ch_norm(d) * ch_norm(own)) offer_both(t, ch_unit(n));
}

// From the axis of a shape with caps to the foot, normal to the axis; zero on the axis.
static ChVec3 radial(const Touch* t, ChVec3 axis) {
  ChVec3 from_centre = ch_sub(t->foot, t->q->seen.frame.at);
  return ch_unit(ch_along(from_centre, -ch_dot(from_centre, axis), axis));
}

// Normals to an edge of the surface, direction d, and to the shape's edges.
static void offer_crosses(Touch* t, ChVec3 d) {
  const ChPosed* seen = &t->q->seen;
  const ChPolytope* p = seen->shape->polytope;
  for (int e = 0; p && e < p->edge_count; ++e) {
    ChVec3 own = ch_sub(p->vertices[p->edges[e].vertex[1]], p->vertices[p->edges[e].vertex[0]]);
    offer_cross(t, d, ch_mat_apply(&seen->turn, own));
  }
  if (!ch_shape_kind(seen->shape)->round.capped) return;
  ChVec3 axis = ch_mat_apply(&seen->turn, ch_axis(2));
  offer_cross(t, d, axis);
  offer_cross(t, d, ch_cross(axis, radial(t, axis)));
}

static void offer_faces(Touch* t) {
  const ChPosed* seen = &t->q->seen;
  const ChPolytope* p = seen->shape->polytope;
  for (int f = 0; p && f < p->face_count; ++f) offer(t, ch_neg(ch_mat_apply(&seen->turn, p->normals[f])));
  if (!ch_shape_kind(seen->shape)->round.capped) return;
  ChVec3 axis = ch_mat_apply(&seen->turn, ch_axis(2)), side = radial(t, axis);
  offer_both(t, axis);
  if (ch_dot(side, side) > 0.5) offer(t, ch_neg(side));
}

static void offer_triangle(Touch* t, int cell) {
  const ChMesh* mesh = t->q->mesh;
  offer(t, mesh->normals[cell]);
  for (int k = 0; k < 3; ++k) {
    bool at_foot = t->vertex < 0
                       ? cell == t->e->cell && k == t->e->k
                       : mesh->cells[3 * cell + k] == t->vertex || mesh->cells[3 * cell + (k + 1) % 3] == t->vertex;
    if (at_foot) offer_crosses(t, ch_sub(corner(mesh, cell, k + 1), corner(mesh, cell, k)));
  }
}

static void offer_common_normals(Touch* t) {
  offer_faces(t);
  if (t->vertex < 0) {
    offer_triangle(t, t->e->cell);
    if (t->e->other >= 0) offer_triangle(t, t->e->other);
    return;
  }
  ChMeshWalk walk = walk_at(t);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;)
    if (has_corner(t->q->mesh, c, t->vertex)) offer_triangle(t, c);
}

// Whether the point is the edge's or its vertex's own; if so it has its key and its normal.
static bool settle(const Query* q, const MeshEdge* e, ChGap* point) {
  Touch t = {.q = q, .e = e, .vertex = -1, .distance = -INFINITY};
  t.foot = to_mesh(q, ch_along(point->point, 0.5 * point->gap, point->normal));
  double length = ch_norm(ch_sub(e->segment.end[1], e->segment.end[0]));
  double along = ch_segment_foot(&e->segment, t.foot) * length;
  if (along <= q->slack || along >= length - q->slack)
    t.vertex = q->mesh->cells[3 * e->cell + (along > 0.5 * length ? e->k + 1 : e->k) % 3];
  point->key = t.vertex < 0 ? mixed(2, (uint64_t)(3 * e->cell + e->k), point->key) : mixed(3, (uint64_t)t.vertex, 0);
  ChVec3 own = ch_neg(ch_mat_apply_transposed(&q->b->turn, point->normal));
  offer(&t, own);
  double touching = TOUCHING * q->a->shape->bound;
  if (point->gap > touching || t.distance >= point->gap - q->slack) return t.distance > -INFINITY;
  offer_common_normals(&t);
  // No normal that keeps the shape in front of the foot: the overlap is not this feature's to part. Along a common
  // normal it may be some times deeper than the edge alone is in the shape.
  if (!(t.distance >= DEEPER * fmin(point->gap, 0.0) - touching)) return false;
  point->normal = ch_neg(ch_mat_apply(&q->b->turn, t.outward));
  point->gap = t.distance;
  ChVec3 middle = ch_along(t.foot, 0.5 * t.distance, t.outward);
  point->point = ch_add(q->b->frame.at, ch_mat_apply(&q->b->turn, middle));
  return true;
}

static ChGap* with_key(const Query* q, int until, uint64_t key) {
  for (int i = q->first; i < until; ++i)
    if (q->out->points[i].key == key) return &q->out->points[i];
  return NULL;
}

static void add_edge(const Query* q, const MeshEdge* e) {
  ChVec3 from = e->segment.end[0], d = ch_sub(e->segment.end[1], from);
  double length = ch_norm(d);
  ChShape line = {.type = CH_SHAPE_CAPSULE, .half_length = 0.5 * length, .bound = 0.5 * length};
  ChFrame local = {ch_along(from, 0.5, d), ch_quat_from_z(ch_scale(1.0 / length, d))};
  ChPosed posed = {.shape = &line, .frame = ch_frame_compose(q->b->frame, local)};
  posed.turn = ch_mat_from_quat(posed.frame.orientation);
  int first = q->out->count, kept = first;
  ch_pair_collide(q->a, &posed, q->margin, q->out);
  for (int i = first; i < q->out->count; ++i) {
    ChGap point = q->out->points[i];
    if (!settle(q, e, &point) || known(q, kept, &point)) continue;
    ChGap* same = with_key(q, kept, point.key);
    // A vertex is met with every edge that ends there, by more than one point of the shape: the nearest to touching is
    // its own, be it the closer of two or the shallower of two overlaps.
    if (!same)
      q->out->points[kept++] = point;
    else if (fabs(point.gap) < fabs(same->gap))
      *same = point;
  }
  q->out->count = kept;
}

// ----------------------------------------------------------------------------------------------------------------------

static ChVec3 inner_point(const ChPosed* a) {
  const ChPolytope* p = a->shape->polytope;
  if (!p) return a->frame.at;
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int v = 0; v < p->vertex_count; ++v) sum = ch_add(sum, p->vertices[v]);
  return ch_frame_point(a->frame, ch_scale(1.0 / p->vertex_count, sum));
}

void ch_pair_convex_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  Query q = {.a = a, .b = b, .mesh = b->shape->mesh, .margin = margin, .out = out, .first = out->count};
  q.slack = 1e-9 * a->shape->bound;
  q.centre = to_mesh(&q, inner_point(a));
  q.seen = ch_posed_in(a, b);
  q.box = ch_shape_box(&q.seen);
  ChVec3 reach = ch_vec(margin + q.slack, margin + q.slack, margin + q.slack);
  q.box = (ChBox3){ch_sub(q.box.low, reach), ch_add(q.box.high, reach)};
  if (q.mesh->below) q.box.high.z = INFINITY;
  ChMeshWalk faces = ch_mesh_walk(q.mesh, q.box), edges = faces;
  for (int c; (c = ch_mesh_walk_next(&faces)) >= 0;)
    if (!foreign(&q, c) && !seen_from_behind(&q, c)) add_face(&q, c);
  number_faces(&q);
  for (int c; (c = ch_mesh_walk_next(&edges)) >= 0;)
    for (int k = 0; k < 3; ++k) {
      MeshEdge e;
      if (edge_stands_out(&q, c, k, &e)) add_edge(&q, &e);
    }
}
