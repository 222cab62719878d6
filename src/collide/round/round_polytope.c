// Spheres and capsules with polytopes: the signed distance of a point or a segment, less the radius.
//
// A segment p and a polytope that are apart are closest at an end of the segment or at an edge of the polytope. Where
// they intersect, the shortest translation that parts them is along a face's normal or along a vector normal to the
// segment and to an edge, inside that edge's normal cone. Where they touch up to rounding, the direction between
// closest points says nothing: they are apart along n only if the polytope ends there,
//
//   n . y <= n . foot   for all its vertices y.
//
// The closest point is always listed. Beside it: over every face that looks nearly the same way, the ends of the
// stretch of the segment above the face; and, where the segment lies along an edge, the ends of the stretch they share.
// A key names the place on the segment (an end, the edge or the vertex that it passes) but not face or edge below an
// end, so that it stays when a rod rocks from a face onto the face's edge.
#include "base/check.h"
#include "collide/closest.h"

enum { KEY_END = 1, KEY_PASSED = 16 };

static uint64_t key_of_edge(const ChPolytope* p, int v, int w) {
  uint64_t low = (uint64_t)(v < w ? v : w), high = (uint64_t)(v < w ? w : v);
  return KEY_PASSED + low * (uint64_t)p->vertex_count + high;  // low = high: the vertex
}

void ch_pair_sphere_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChPolytope* p = b->shape->polytope;
  double radius = a->shape->radius;
  ChVec3 centre = ch_mat_apply_transposed(&b->turn, ch_sub(a->frame.at, b->frame.at));
  ChPolytopeFoot foot = ch_polytope_foot(p, centre);
  double gap = foot.distance - radius;
  if (!(gap <= margin)) return;
  ChVec3 outward = ch_mat_apply(&b->turn, foot.normal);
  uint64_t key =
      foot.face >= 0 ? (uint64_t)foot.face : (uint64_t)p->face_count + key_of_edge(p, foot.vertex[0], foot.vertex[1]);
  ch_manifold_add(out, ch_along(a->frame.at, -0.5 * (foot.distance + radius), outward), ch_neg(outward), gap, key);
}

// --- capsules, in the polytope's frame -------------------------------------------------------------------------------

typedef struct Rod {
  const ChPolytope* p;
  const ChPosed* frame;  // of the polytope
  ChSegment core;
  ChVec3 along;  // unit, zero for a point
  double radius, length, margin;
  ChManifold* out;
  int first;  // where this pair's points begin
} Rod;

// A ball of the rod about `centre` at `distance` from the polytope along the outward normal.
static void rod_add(const Rod* rod, ChVec3 centre, ChVec3 outward, double distance, uint64_t key) {
  double gap = distance - rod->radius;
  if (!(gap <= rod->margin)) return;
  for (int i = rod->first; i < rod->out->count; ++i)
    if (rod->out->points[i].key == key) return;
  ChVec3 point = ch_along(centre, -0.5 * (distance + rod->radius), outward);
  ch_manifold_add(rod->out, ch_add(rod->frame->frame.at, ch_mat_apply(&rod->frame->turn, point)),
                  ch_neg(ch_mat_apply(&rod->frame->turn, outward)), gap, key);
}

// Where the two are closest, or deepest.
typedef struct Closest {
  double distance;
  ChVec3 normal, centre;  // outward; on the core
  int face;               // the core is in it, and this face is the nearest; else -1
  uint64_t key;
} Closest;

// Whether m points outward of the edge between faces of normals n1 and n2: inside the wedge that they span.
static bool in_edge_cone(ChVec3 n1, ChVec3 n2, ChVec3 m) {
  double c = ch_dot(n1, n2), m1 = ch_dot(m, n1), m2 = ch_dot(m, n2);
  return c * m1 <= m2 + 1e-9 && c * m2 <= m1 + 1e-9;
}

static bool core_hits(const Rod* rod) {
  double t0 = 0.0, t1 = 1.0;
  for (int f = 0; f < rod->p->face_count; ++f) {
    double limit = rod->p->offsets[f] + 1e-12 * rod->p->radius;
    double h0 = ch_dot(rod->p->normals[f], rod->core.end[0]) - limit;
    double h1 = ch_dot(rod->p->normals[f], rod->core.end[1]) - limit;
    if (h0 > 0.0 && h1 > 0.0) return false;
    if (h0 > 0.0) t0 = ch_max(t0, h0 / (h0 - h1));
    if (h1 > 0.0) t1 = ch_min(t1, h0 / (h0 - h1));
    if (t0 > t1) return false;
  }
  return true;
}

static ChSegment edge_segment(const ChPolytope* p, int e) {
  return (ChSegment){{p->vertices[p->edges[e].vertex[0]], p->vertices[p->edges[e].vertex[1]]}};
}

// Apart: an end against the polytope, or the inside of the core against an edge.
static Closest closest_apart(const Rod* rod) {
  const ChPolytope* p = rod->p;
  Closest best = {.distance = INFINITY, .face = -1};
  for (int i = 0; i < 2; ++i) {
    ChPolytopeFoot foot = ch_polytope_foot(p, rod->core.end[i]);
    if (foot.distance < best.distance)
      best = (Closest){foot.distance, foot.normal, rod->core.end[i], -1, KEY_END + (uint64_t)i};
  }
  for (int e = 0; e < p->edge_count; ++e) {
    ChSegment edge = edge_segment(p, e);
    ChSegmentPair pair = ch_segment_pair(&rod->core, &edge);
    if (pair.distance < best.distance - 1e-15 * p->radius) {
      uint64_t key = pair.t[0] == 0.0 || pair.t[0] == 1.0 ? KEY_END + (uint64_t)(pair.t[0] == 1.0)
                     : pair.t[1] == 0.0                   ? key_of_edge(p, p->edges[e].vertex[0], p->edges[e].vertex[0])
                     : pair.t[1] == 1.0                   ? key_of_edge(p, p->edges[e].vertex[1], p->edges[e].vertex[1])
                                        : key_of_edge(p, p->edges[e].vertex[0], p->edges[e].vertex[1]);
      best = (Closest){pair.distance, ch_neg(pair.normal), pair.point[0], -1, key};
    }
  }
  return best;
}

// The core against edge e along the vector normal to both: better than `best`?
static void offer_crossing(const Rod* rod, int e, Closest* best) {
  const ChPolytope* p = rod->p;
  const ChEdge* edge = &p->edges[e];
  ChSegment s = edge_segment(p, e);
  ChVec3 d = ch_sub(s.end[1], s.end[0]), across = ch_cross(d, rod->along);
  double norm = ch_norm(across);
  if (!(norm > CH_SINE_PARALLEL * ch_norm(d))) return;
  ChVec3 n1 = p->normals[edge->face[0]], n2 = p->normals[edge->face[1]], m = ch_scale(1.0 / norm, across);
  if (ch_dot(m, ch_add(n1, n2)) < 0.0) m = ch_neg(m);
  double distance = ch_dot(m, ch_sub(rod->core.end[0], s.end[0]));
  if (!(distance > best->distance + 1e-12 * p->radius) || !in_edge_cone(n1, n2, m)) return;
  ChSegmentPair pair = ch_segment_pair(&rod->core, &s);
  *best = (Closest){distance, m, pair.point[0], -1, key_of_edge(p, edge->vertex[0], edge->vertex[1])};
}

// Intersecting: the direction of least depth.
static Closest closest_deep(const Rod* rod) {
  const ChPolytope* p = rod->p;
  Closest best = {.distance = -INFINITY, .face = -1};
  for (int f = 0; f < p->face_count; ++f) {
    double h[2];
    for (int i = 0; i < 2; ++i) h[i] = ch_dot(p->normals[f], rod->core.end[i]) - p->offsets[f];
    int low = h[1] < h[0];
    if (h[low] > best.distance) best = (Closest){h[low], p->normals[f], rod->core.end[low], f, KEY_END + (uint64_t)low};
  }
  for (int e = 0; e < p->edge_count; ++e) offer_crossing(rod, e, &best);
  return best;
}

// Whether the polytope ends where the closest points say, up to a slant that counts as none.
static bool is_separating(const Rod* rod, const Closest* apart) {
  double limit = ch_dot(apart->normal, apart->centre) - apart->distance + CH_SINE_PARALLEL * rod->p->radius;
  for (int v = 0; v < rod->p->vertex_count; ++v)
    if (!(ch_dot(apart->normal, rod->p->vertices[v]) <= limit)) return false;
  return true;
}

static Closest closest(const Rod* rod) {
  if (core_hits(rod)) return closest_deep(rod);
  Closest apart = closest_apart(rod);
  return is_separating(rod, &apart) ? apart : closest_deep(rod);
}

// The stretch of the core above face f, ends with their keys.
static void add_face_stretch(const Rod* rod, int f) {
  const ChPolytope* p = rod->p;
  double t[2] = {0.0, 1.0};
  uint64_t key[2] = {KEY_END, KEY_END + 1};
  int first = p->face_start[f], count = p->face_start[f + 1] - first;
  for (int k = 0; k < count; ++k) {
    int v = p->face_vertex[first + k], w = p->face_vertex[first + (k + 1 < count ? k + 1 : 0)];
    ChVec3 side = ch_cross(ch_sub(p->vertices[w], p->vertices[v]), p->normals[f]);
    double h0 = ch_dot(side, ch_sub(rod->core.end[0], p->vertices[v]));
    double h1 = ch_dot(side, ch_sub(rod->core.end[1], p->vertices[v]));
    double slack = 1e-12 * p->radius * ch_norm(side);  // a core that runs along the side is not cut by rounding
    if (h0 > slack && h1 > slack) return;
    double crossing = h0 / (h0 - h1);
    int end = h0 > slack ? 0 : 1;
    if ((h0 > slack && crossing > t[0]) || (h1 > slack && crossing < t[1])) {
      t[end] = crossing;
      key[end] = key_of_edge(p, v, w);
    }
  }
  if (t[0] > t[1]) return;
  for (int i = 0; i < 2; ++i) {
    ChVec3 x = ch_segment_at(&rod->core, t[i]);
    rod_add(rod, x, p->normals[f], ch_dot(p->normals[f], x) - p->offsets[f], key[i]);
  }
}

// A ball of the core about x against the edge's point y, where the direction from y to x belongs to the edge.
static void add_edge_ball(const Rod* rod, const ChEdge* edge, ChVec3 x, ChVec3 y, uint64_t key) {
  ChVec3 apart = ch_sub(x, y), normal = ch_unit(apart);
  double distance = ch_norm(apart);
  if (!(distance > 1e-12 * rod->p->radius)) return;
  if (!in_edge_cone(rod->p->normals[edge->face[0]], rod->p->normals[edge->face[1]], normal)) return;
  rod_add(rod, x, normal, distance, key);
}

// The stretch that the core shares with an edge along which it lies.
static void add_edge_stretch(const Rod* rod, int e) {
  const ChEdge* edge = &rod->p->edges[e];
  ChSegment s = edge_segment(rod->p, e);
  ChVec3 d = ch_sub(s.end[1], s.end[0]);
  double length = ch_norm(d), slack = 1e-6 * (length + rod->length);
  if (!(ch_norm(ch_cross(d, rod->along)) <= CH_SINE_SLANTED * length)) return;
  for (int i = 0; i < 2; ++i) {
    double t = ch_segment_foot(&s, rod->core.end[i]), u = ch_segment_foot(&rod->core, s.end[i]);
    if (t * length >= -slack && t * length <= length + slack)
      add_edge_ball(rod, edge, rod->core.end[i], ch_segment_at(&s, t), KEY_END + (uint64_t)i);
    if (u * rod->length > slack && u * rod->length < rod->length - slack)
      add_edge_ball(rod, edge, ch_segment_at(&rod->core, u), s.end[i],
                    key_of_edge(rod->p, edge->vertex[i], edge->vertex[i]));
  }
}

void ch_pair_capsule_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  ChSegment core = ch_capsule_core(a);
  for (int i = 0; i < 2; ++i) core.end[i] = ch_mat_apply_transposed(&b->turn, ch_sub(core.end[i], b->frame.at));
  Rod rod = {.p = b->shape->polytope, .frame = b, .core = core, .radius = a->shape->radius, .margin = margin};
  rod.length = 2.0 * a->shape->half_length;
  rod.along = ch_unit(ch_sub(core.end[1], core.end[0]));
  rod.out = out;
  rod.first = out->count;
  Closest best = closest(&rod);
  if (!(best.distance - rod.radius <= margin)) return;
  // A core that lies in a face is lowest at any of its points: those above the face count, not its ends beyond.
  if (best.face >= 0) add_face_stretch(&rod, best.face);
  if (out->count == rod.first) rod_add(&rod, best.centre, best.normal, best.distance, best.key);
  const double same_way = sqrt(1.0 - CH_SINE_SLANTED * CH_SINE_SLANTED);
  for (int f = 0; f < rod.p->face_count; ++f)
    if (ch_dot(rod.p->normals[f], best.normal) >= same_way) add_face_stretch(&rod, f);
  for (int e = 0; e < rod.p->edge_count; ++e) add_edge_stretch(&rod, e);
}
