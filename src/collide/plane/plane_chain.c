// A convex shape on a chain of segments, solid on the right of its direction.
//
// Every contact has a normal that the chain itself has there: on a segment its own, at a corner that juts out one
// between those of its two segments, at a corner that recedes none. A straight or smooth chain is thus met exactly as
// one curve, and nothing catches on the corners inside of it.
#include "collide/mesh/mesh_walk.h"
#include "collide/plane/plane_pairs.h"

static const double flush_angle = 1e-6;

// A segment in the world.
typedef struct Segment {
  int cell;
  ChVec3 from, along, normal;  // unit vectors; the normal points to the free side
  double length;
  bool start_open, end_open;  // an end of the chain
} Segment;

// The corner at the end of a segment, or at either end of the chain. Normals run clockwise from `first` to `last`.
typedef struct Corner {
  ChVec3 at, first, last;
  double angle;  // between the two; <= 0 where the chain recedes
  uint64_t key;
} Corner;

typedef struct Chain {
  const ChPosed *shape, *chain;
  const ChMesh* mesh;
  double margin, reach, touch;
  int first;
  ChManifold* out;
} Chain;

static ChVec3 vertex_at(const Chain* c, int v) {
  return ch_add(c->chain->frame.at, ch_mat_apply(&c->chain->turn, c->mesh->vertices[v]));
}

static Segment segment_at(const Chain* c, int cell) {
  const int* ends = c->mesh->cells + 2 * cell;
  const ChVec3 from = vertex_at(c, ends[0]), edge = ch_sub(vertex_at(c, ends[1]), from);
  Segment s = {.cell = cell, .from = from, .length = ch_norm(edge)};
  s.along = ch_scale(1.0 / s.length, edge);
  s.normal = ch_vec(-s.along.y, s.along.x, 0.0);
  s.start_open = c->mesh->across[2 * cell] < 0;
  s.end_open = c->mesh->across[2 * cell + 1] < 0;
  return s;
}

// Clockwise angle from a to b.
static double clockwise(ChVec3 a, ChVec3 b) { return atan2(-ch_cross(a, b).z, ch_dot(a, b)); }

static Corner corner_after(const Chain* c, const Segment* s) {
  const ChVec3 at = ch_along(s->from, s->length, s->along);
  const ChVec3 last = s->end_open ? s->along : segment_at(c, c->mesh->across[2 * s->cell + 1]).normal;
  return (Corner){at, s->normal, last, clockwise(s->normal, last), (uint64_t)s->cell};
}

static Corner corner_at_start(const Segment* s) {
  const ChVec3 back = ch_neg(s->along);
  return (Corner){s->from, back, s->normal, clockwise(back, s->normal), (uint64_t)s->cell | (uint64_t)1 << 31};
}

enum { KIND_SEGMENT, KIND_CORNER, KIND_SIDE, KIND_CORNERS };
static uint64_t make_key(uint64_t kind, uint64_t place, int feature) {
  return kind << 62 | place << 20 | ((uint64_t)feature & 0xfffff);
}

// m: from the chain to the shape. What two features give twice is one point; where corners meet, theirs is the only
// one.
static void add(Chain* c, ChVec3 on_chain, ChVec3 m, double gap, uint64_t key) {
  if (!(gap <= c->margin)) return;
  const ChVec3 point = ch_along(on_chain, 0.5 * gap, m);
  for (int k = c->first; k < c->out->count; ++k) {
    const ChGap* known = &c->out->points[k];
    const bool same = known->key >> 62 == KIND_CORNERS || ch_dot(known->normal, m) < -1.0 + 1e-9;
    if (same && ch_norm(ch_sub(known->point, point)) <= 2.0 * c->touch) return;
  }
  ch_manifold_add(c->out, point, ch_neg(m), gap, key);
}

// A point x of the shape over a segment. Where the chain juts out at an end of it and x is less deep under the segment
// beyond, it is that one's.
static void add_over_segment(Chain* c, const Segment* s, ChVec3 x, uint64_t key) {
  const ChVec3 away = ch_sub(x, s->from);
  const double place = ch_dot(s->along, away), gap = ch_dot(s->normal, away);
  if (!(gap <= c->margin && gap >= -c->reach)) return;
  const double low = s->start_open ? -c->touch : 0.0, high = s->length + (s->end_open ? c->touch : 0.0);
  if (!(place >= low && (place < high || (s->end_open && place == high)))) return;
  for (int end = 0; end < 2 && gap < 0.0; ++end) {
    if (end ? s->end_open : s->start_open) continue;
    const Segment next = segment_at(c, c->mesh->across[2 * s->cell + end]);
    const double turn = ch_cross(s->along, next.along).z * (end ? 1.0 : -1.0);
    if (turn < 0.0 && ch_dot(next.normal, ch_sub(x, next.from)) > gap) return;
  }
  add(c, ch_along(x, -gap, s->normal), s->normal, gap, key);
}

// --- disks and ellipses ----------------------------------------------------------------------------------------------

// A round shape at a jutting corner: the best direction strictly between the corner's normals.
static void add_round_corner(Chain* c, const Corner* corner) {
  if (!(corner->angle > 1e-9)) return;
  const ChShape dot = {.type = CH_SHAPE_DISK};
  const ChPosed point = {.shape = &dot, .frame = {corner->at, ch_quat_identity()}, .turn = c->chain->turn};
  const ChVec3 down = ch_neg(corner->last);
  const double low = atan2(down.y, down.x), high = low + corner->angle;
  const ChPlaneAxis axis = ch_plane_axis(c->shape, &point, low, high);
  const ChVec3 m = ch_neg(axis.normal);
  if (!(axis.gap >= -c->reach) || !(clockwise(corner->first, m) > 1e-9) || !(clockwise(m, corner->last) > 1e-9)) return;
  add(c, corner->at, m, axis.gap, make_key(KIND_CORNER, corner->key, 0));
}

static void add_round(Chain* c, const Segment* s) {
  const ChVec3 low = ch_plane_support(c->shape, ch_neg(s->normal));
  add_over_segment(c, s, low, make_key(KIND_SEGMENT, (uint64_t)s->cell, 0));
  const Corner end = corner_after(c, s), start = corner_at_start(s);
  add_round_corner(c, &end);
  if (s->start_open) add_round_corner(c, &start);
}

// --- polygons --------------------------------------------------------------------------------------------------------

static bool is_between(const Corner* corner, ChVec3 m) {
  return clockwise(corner->first, m) >= -1e-9 && clockwise(m, corner->last) >= -1e-9;
}

// The corner of the chain under (or in) sides of the polygon: the least deep of those whose normal the corner has.
static void add_corner_under_sides(Chain* c, const Corner* corner) {
  const ChPolytope* p = c->shape->shape->polytope;
  const ChVec3 x = ch_mat_apply_transposed(&c->shape->turn, ch_sub(corner->at, c->shape->frame.at));
  int best = -1;
  double height = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    const double d = ch_dot(p->normals[f], x) - p->offsets[f];
    const ChVec3 from = p->vertices[p->face_vertex[2 * f]], to = p->vertices[p->face_vertex[2 * f + 1]];
    const ChVec3 side = ch_sub(to, from);
    if (!(d > height) || !(ch_dot(side, ch_sub(x, from)) >= 0.0) || !(ch_dot(side, ch_sub(to, x)) >= 0.0)) continue;
    if (!is_between(corner, ch_neg(ch_mat_apply(&c->shape->turn, p->normals[f])))) continue;
    height = d;
    best = f;
  }
  if (best < 0 || !(height >= -c->reach)) return;
  add(c, corner->at, ch_neg(ch_mat_apply(&c->shape->turn, p->normals[best])), height,
      make_key(KIND_SIDE, corner->key, best));
}

// The corner of the chain against a corner of the polygon: along their distance, or, where they touch, the middle of
// the normals that both have; but a side that lies flush on a segment keeps the segment's normal to its very end.
static void add_corner_at_corner(Chain* c, const Corner* corner, int f) {
  const ChPolytope* p = c->shape->shape->polytope;
  const int v = p->face_vertex[2 * f + 1];
  const ChVec3 x = ch_add(c->shape->frame.at, ch_mat_apply(&c->shape->turn, p->vertices[v]));
  const ChVec3 away = ch_sub(x, corner->at);
  const double distance = ch_norm(away);
  if (!(distance <= c->margin)) return;
  const ChVec3 n0 = ch_neg(ch_mat_apply(&c->shape->turn, p->normals[f]));
  const ChVec3 n1 = ch_neg(ch_mat_apply(&c->shape->turn, p->normals[(f + 1) % p->face_count]));
  // Angles clockwise from the corner's first normal; the polygon's run anticlockwise.
  const double high = fmin(corner->angle, clockwise(corner->first, n0)), low = fmax(0.0, clockwise(corner->first, n1));
  if (!(low <= high)) return;
  double angle = distance > c->touch ? clockwise(corner->first, away) : 0.5 * (low + high);
  if (distance <= c->touch && fabs(clockwise(corner->first, n0)) <= flush_angle) angle = low;
  if (distance <= c->touch && fabs(clockwise(n1, corner->last)) <= flush_angle) angle = high;
  if (!(angle >= low && angle <= high)) return;
  const ChVec3 m = ch_rotate(ch_quat_about(ch_axis(2), -angle), corner->first);
  add(c, corner->at, m, ch_dot(m, away), make_key(KIND_CORNERS, corner->key, v));
}

static void add_corners(Chain* c, const Corner* corner) {
  for (int f = 0; f < c->shape->shape->polytope->face_count && corner->angle > 1e-9; ++f)
    add_corner_at_corner(c, corner, f);
}

static void add_polygon(Chain* c, const Segment* s) {
  const ChPolytope* p = c->shape->shape->polytope;
  const Corner end = corner_after(c, s);
  Corner start = corner_at_start(s);
  if (!s->start_open) {
    const Segment before = segment_at(c, c->mesh->across[2 * s->cell]);
    start = corner_after(c, &before);
  }
  add_corners(c, &start);
  add_corners(c, &end);
  if (end.angle > 1e-9) add_corner_under_sides(c, &end);
  if (s->start_open) add_corner_under_sides(c, &start);
  const ChVec3 down = ch_mat_apply_transposed(&c->shape->turn, ch_neg(s->normal));
  for (int f = 0; f < p->face_count; ++f) {
    const int next = (f + 1) % p->face_count, v = p->face_vertex[2 * f + 1];
    if (!(ch_dot(p->normals[f], down) > 0.0) && !(ch_dot(p->normals[next], down) > 0.0)) continue;
    const ChVec3 x = ch_add(c->shape->frame.at, ch_mat_apply(&c->shape->turn, p->vertices[v]));
    add_over_segment(c, s, x, make_key(KIND_SEGMENT, (uint64_t)s->cell, v));
  }
}

void ch_pair_plane_convex_chain(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const double size = a->shape->bound;
  Chain c = {a, b, b->shape->mesh, margin, size, 1e-6 * size, out->count, out};
  ChBox3 box = ch_shape_box_in(a, b);
  const ChVec3 wide = ch_vec(margin + size, margin + size, margin);  // deep under the chain is still on it
  box = (ChBox3){ch_sub(box.low, wide), ch_add(box.high, wide)};
  ChMeshWalk walk = ch_mesh_walk(c.mesh, box);
  for (int cell; (cell = ch_mesh_walk_next(&walk)) >= 0;) {
    const Segment s = segment_at(&c, cell);
    if (a->shape->polytope)
      add_polygon(&c, &s);
    else
      add_round(&c, &s);
  }
}
