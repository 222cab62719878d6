// Bodies of edges and points with everything: each part is a capsule or a ball of its radius, which may be zero, and
// has that one's routines. Where two parts share a point and both touch there, one of the two contacts is left out.
//
// Two edges that cross are another matter. Their distance has no sign: with x on one and y on the other nearest to each
// other and d the directions,
//
//   n = +- (d_a x d_b) / |d_a x d_b|,     gap = n . (y - x) - r_a - r_b,
//
// and the sign is the side on which they were: that of the last step's contact, whose key says it, and where they did
// not touch then the side on which they are. So a bare edge, too, is held by another, and overlaps leave by where they
// came in. Bare points, and ends of bare edges, touch no other bare edge or point: they pass beside it.
#include "base/check.h"
#include "collide/closest.h"
#include "collide/shape_box.h"
#include "model/mesh/mesh_features.h"
#include "model/shapes/net.h"
#include "model/shapes/shape_kind.h"

static const double SAME = 1e-9;  // of the size: points and normals that are the same
static const double BENT = 1e-3;  // sine of bends that count

// A part in the world.
typedef struct Part {
  ChShape shape;
  ChPosed posed;
  ChSegment core;
} Part;

static void part_of(const ChPosed* net, int k, Part* out) {
  ChVec3 ends[2];
  ch_net_ends(net->shape->net, k, ends);
  ChVec3 way = ch_sub(ends[1], ends[0]);
  double length = ch_norm(way), radius = net->shape->net->radius;
  ChFrame local = {ch_along(ends[0], 0.5, way), ch_quat_identity()};
  if (length > 0.0) local.orientation = ch_quat_from_z(ch_scale(1.0 / length, way));
  out->shape = *net->shape;
  out->shape.type = length > 0.0 ? CH_SHAPE_CAPSULE : CH_SHAPE_SPHERE;
  out->shape.net = NULL;
  out->shape.radius = radius;
  out->shape.half_length = 0.5 * length;
  out->shape.bound = 0.5 * length + radius;
  out->posed = *net;
  out->posed.shape = &out->shape;
  out->posed.frame = ch_frame_compose(net->frame, local);
  out->posed.turn = ch_mat_from_quat(out->posed.frame.orientation);
  for (int e = 0; e < 2; ++e) out->core.end[e] = ch_frame_point(net->frame, ends[e]);
}

static ChBox3 part_box(const ChPosed* net, int k, double margin) {
  ChVec3 ends[2], at[2];
  ch_net_ends(net->shape->net, k, ends);
  for (int e = 0; e < 2; ++e) at[e] = ch_frame_point(net->frame, ends[e]);
  double r = net->shape->net->radius + margin;
  return (ChBox3){ch_vec(fmin(at[0].x, at[1].x) - r, fmin(at[0].y, at[1].y) - r, fmin(at[0].z, at[1].z) - r),
                  ch_vec(fmax(at[0].x, at[1].x) + r, fmax(at[0].y, at[1].y) + r, fmax(at[0].z, at[1].z) + r)};
}

static uint64_t mixed(uint64_t part, uint64_t key) {
  uint64_t z = (part + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 32) ^ key) * 0xd6e8feb86659fd93u;
  return z ^ (z >> 32);
}

// Gives the points from `first` on the part's name, and drops what an earlier part has already.
static void name_points(ChManifold* out, int start, int first, uint64_t part, double size) {
  int kept = first;
  for (int i = first; i < out->count; ++i) {
    ChGap point = out->points[i];
    bool known = false;
    for (int j = start; j < first && !known; ++j)
      known = ch_gap_is_same(&out->points[j], &point, 1e3 * SAME, SAME * size);
    if (known) continue;
    point.key = mixed(part, point.key);
    out->points[kept++] = point;
  }
  out->count = kept;
}

// --- edges that cross ------------------------------------------------------------------------------------------------

static bool was_there(const ChPosed* a, const ChPosed* b, uint64_t key) {
  const ChAhead* ahead = a->ahead;
  return ahead && ahead->history && ahead->history(ahead->past, a->shape, b->shape, key);
}

// The two of a crossing: keys of both sides differ by their last bit.
static uint64_t crossing_key(int i, int j, int side) {
  return (mixed((uint64_t)i, mixed((uint64_t)j, 0)) & ~(uint64_t)1) | (uint64_t)side;
}

static ChVec3 direction(const ChNet* net, int k) {
  ChVec3 ends[2];
  ch_net_ends(net, k, ends);
  return ch_sub(ends[1], ends[0]);
}

// Segment k and those that begin where it ends; `along`: whether they go the same way.
enum { MOST_BESIDE = 8 };
static int list_beside(const ChNet* net, int k, int segment[MOST_BESIDE], bool along[MOST_BESIDE]) {
  int count = 0;
  const int* own = net->segments + 2 * k;
  segment[count] = k, along[count++] = true;
  for (int i = 0; i < net->segment_count && count < MOST_BESIDE; ++i) {
    const int* s = net->segments + 2 * i;
    if (i == k || (s[0] != own[0] && s[0] != own[1] && s[1] != own[0] && s[1] != own[1])) continue;
    segment[count] = i, along[count++] = ch_dot(direction(net, i), direction(net, k)) > 0.0;
  }
  return count;
}

// The side on which the last step had these two, or others beside them from which they slid; -1: on none.
static int known_side(const ChPosed* a, const ChPosed* b, int i, int j) {
  int one[MOST_BESIDE], two[MOST_BESIDE];
  bool same[MOST_BESIDE], way[MOST_BESIDE];
  if (!a->ahead || !a->ahead->history) return -1;
  int n = list_beside(a->shape->net, i, one, same), m = list_beside(b->shape->net, j, two, way);
  for (int k = 0; k < n * m; ++k)
    for (int side = 0; side < 2; ++side) {
      bool turned = same[k / m] != way[k % m];
      if (was_there(a, b, crossing_key(one[k / m], two[k % m], turned ? !side : side))) return side;
    }
  return -1;
}

// How far the line of segment k goes on behind the next one, which is bent towards the other wire; 0 where none is.
static double hidden_beyond(const ChPosed* net, int k, bool end, ChVec3 other) {
  const ChMesh* mesh = net->shape->net->lines;
  if (!mesh) return 0.0;
  const ChMeshFeatures* f = mesh->features;
  ChVec3 beyond = ch_scale(end ? 1.0 : -1.0, ch_unit(direction(net->shape->net, k)));
  ChVec3 towards = ch_mat_apply_transposed(&net->turn, other);
  const ChMeshCorner* corner = &f->corners[f->corner_of[mesh->cells[3 * k + end]]];
  double most = 0.0;
  for (int i = corner->first; i < corner->first + corner->count; ++i) {
    ChVec3 d = ch_sub(mesh->vertices[f->fan[i]], mesh->vertices[corner->vertex]);
    double along = ch_dot(d, beyond);
    if (along > 0.5 * ch_norm(d) && ch_dot(d, towards) > BENT * ch_norm(d)) most = fmax(most, along);
  }
  return most;
}

// Whether lines that are nearest at `at`, a share of the segment's length, are met there. Inside of a bend both
// segments hold what is there, and each of them from before it is reached.
static bool is_met(const ChPosed* net, int k, double at, double length, ChVec3 other) {
  double beyond = fmax(-at, at - 1.0) * length;
  return beyond <= 0.0 || beyond <= hidden_beyond(net, k, at > 1.0, other);
}

// False where the two do not cross, inside both.
static bool add_crossing(const ChPosed* a, const ChPosed* b, const Part* p, const Part* q, int i, int j, double margin,
                         ChManifold* out) {
  if (p->shape.type != CH_SHAPE_CAPSULE || q->shape.type != CH_SHAPE_CAPSULE) return false;
  ChVec3 u = ch_sub(p->core.end[1], p->core.end[0]), v = ch_sub(q->core.end[1], q->core.end[0]);
  ChVec3 from = ch_sub(q->core.end[0], p->core.end[0]);
  double uu = ch_dot(u, u), vv = ch_dot(v, v), uv = ch_dot(u, v), det = uu * vv - uv * uv;
  if (!(det > CH_SINE_SLANTED * CH_SINE_SLANTED * uu * vv)) return false;
  double at[2] = {(vv * ch_dot(u, from) - uv * ch_dot(v, from)) / det,
                  (uv * ch_dot(u, from) - uu * ch_dot(v, from)) / det};
  ChVec3 x = ch_along(p->core.end[0], at[0], u), y = ch_along(q->core.end[0], at[1], v), apart = ch_sub(y, x);
  if (!(fabs(at[0] - 0.5) <= 1.5 && fabs(at[1] - 0.5) <= 1.5)) return false;
  ChVec3 across = ch_unit(ch_cross(u, v));
  int side = known_side(a, b, i, j);
  if (side < 0) side = ch_dot(apart, across) >= 0.0;
  ChVec3 normal = side ? across : ch_neg(across);
  double ra = p->shape.radius, rb = q->shape.radius, gap = ch_dot(apart, normal) - ra - rb;
  if (!is_met(a, i, at[0], sqrt(uu), normal) || !is_met(b, j, at[1], sqrt(vv), ch_neg(normal))) return false;
  if (!(gap <= margin)) return true;
  ChVec3 own = ch_along(x, ra, normal), other = ch_along(y, -rb, normal);
  ch_manifold_add(out, ch_scale(0.5, ch_add(own, other)), normal, gap, crossing_key(i, j, side));
  return true;
}

// Of a segment and what its line may be met at beyond its ends.
static ChBox3 line_box(const ChPosed* net, int k, double margin) {
  return part_box(net, k, margin + (net->shape->net->segments ? ch_norm(direction(net->shape->net, k)) : 0.0));
}

static void net_with_net(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChNet *one = a->shape->net, *two = b->shape->net;
  ChBox3 all = ch_shape_box(b);
  bool bare = one->radius + two->radius == 0.0;
  double size = a->shape->bound + b->shape->bound;
  int start = out->count;
  for (int i = 0; i < ch_net_parts(one); ++i) {
    ChBox3 box = line_box(a, i, margin);
    if (!ch_boxes_meet(&box, &all)) continue;
    Part p;
    part_of(a, i, &p);
    for (int j = 0; j < ch_net_parts(two); ++j) {
      ChBox3 other = line_box(b, j, 0.0);
      if (!ch_boxes_meet(&box, &other)) continue;
      Part q;
      part_of(b, j, &q);
      int first = out->count;
      if (add_crossing(a, b, &p, &q, i, j, margin, out) || bare) continue;
      ch_pair_collide(&p.posed, &q.posed, margin, out);
      name_points(out, start, first, mixed((uint64_t)i, (uint64_t)j), size);
    }
  }
}

// Bare lines and points and triangles: as triangles do with each other. They have no inside, and their side of a sheet
// is known from the last step.
static bool meets_exactly(const ChPosed* net, const ChPosed* other) {
  const ChMesh* mesh = other->shape->mesh;
  return net->shape->net->lines && mesh && mesh->features && !mesh->samples && !mesh->front && !other->skin;
}

static void lines_with_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  int first = out->count;
  ch_exact_pair(b, b->shape->mesh, a, a->shape->net->lines, margin, out);
  for (int k = first; k < out->count; ++k) out->points[k].normal = ch_neg(out->points[k].normal);
}

void ch_pair_net(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  CH_ASSERT(a->shape->net);
  if (meets_exactly(a, b)) {
    lines_with_mesh(a, b, margin, out);
    return;
  }
  if (b->shape->net) {
    net_with_net(a, b, margin, out);
    return;
  }
  struct ChLeafList* lists = out->lists;
  out->lists = NULL;  // they are of one part
  bool endless = ch_shape_kind(b->shape)->info.endless;
  ChBox3 all = endless ? (ChBox3){{0, 0, 0}, {0, 0, 0}} : ch_shape_box(b);
  int start = out->count;
  for (int i = 0; i < ch_net_parts(a->shape->net); ++i) {
    ChBox3 box = part_box(a, i, margin);
    if (!endless && !ch_boxes_meet(&box, &all)) continue;
    Part p;
    part_of(a, i, &p);
    int first = out->count;
    ch_pair_collide(&p.posed, b, margin, out);
    name_points(out, start, first, (uint64_t)i, a->shape->bound);
  }
  out->lists = lists;
}
