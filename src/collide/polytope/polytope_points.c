// All points of a polytope contact, given its normal n.
//
// Faces of A and of B that look at each other overlap, seen along n, in convex polygons. Each corner of such a polygon
// is a vertex of B over a face of A, a vertex of A under a face of B, or a crossing of two edges; its gap is the height
// of B's face over A's along n there. A vertex that lies outside a side by no more than the tolerance counts as inside,
// so that flush edges give vertices, not crossings that come and go with the last bit.
#include "collide/polytope/polytope_pair.h"

enum { HELD = 24 };  // corners of a face that are turned into the world once; those beyond it, each time

// A face of a solid, seen along the normal.
typedef struct Loop {
  const ChSolid* solid;
  int face, count;
  const int* vertex;
  ChVec3 held[HELD];
  ChVec3 plane;   // outward normal of the face
  double offset;  // plane . x = offset
  double slope;   // plane . n
} Loop;

typedef struct Scene {
  const ChSolidPair* pair;
  ChVec3 normal;
  double tolerance;
  int first;
  double least;
  ChManifold* out;
} Scene;

static ChVec3 corner(const Loop* loop, int k) {
  return k < HELD ? loop->held[k] : ch_solid_vertex(loop->solid, loop->vertex[k]);
}
static ChVec3 corner_after(const Loop* loop, int k) { return corner(loop, k + 1 < loop->count ? k + 1 : 0); }
static int vertex_after(const Loop* loop, int k) { return loop->vertex[k + 1 < loop->count ? k + 1 : 0]; }

static void open_loop(Loop* loop, const ChSolid* solid, int face, ChVec3 normal) {
  const ChPolytope* p = solid->polytope;
  loop->solid = solid;
  loop->face = face;
  loop->vertex = p->face_vertex + p->face_start[face];
  loop->count = p->face_start[face + 1] - p->face_start[face];
  for (int k = 0; k < loop->count && k < HELD; ++k) loop->held[k] = ch_solid_vertex(solid, loop->vertex[k]);
  loop->plane = ch_solid_normal(solid, face);
  loop->offset = ch_solid_offset(solid, face, loop->plane);
  loop->slope = ch_dot(loop->plane, normal);
}

// A place of a loop as seen along n.
typedef struct Place {
  bool inside;   // or outside by no more than the tolerance
  bool surely;   // inside up to rounding, and the surface is straight ahead
  double climb;  // how far along n from the point the loop's surface is
} Place;

// On the border of a face that looks askance the plane's height means little: the edge's, or the corner's, is meant.
static double climb_border(const Scene* scene, const Loop* loop, int side, ChVec3 x) {
  const ChVec3 from = corner(loop, side), to = corner_after(loop, side);
  const double reach = 2.0 * scene->tolerance;
  for (int end = 0; end < 2; ++end) {
    const ChVec3 apart = ch_sub(end ? to : from, x);
    const double along = ch_dot(apart, scene->normal);
    if (ch_dot(apart, apart) - along * along <= reach * reach) return along;
  }
  const ChVec3 edge = ch_sub(to, from), lateral = ch_along(edge, -ch_dot(edge, scene->normal), scene->normal);
  const double t = ch_dot(ch_sub(x, from), lateral) / ch_dot(lateral, lateral);
  return ch_dot(ch_sub(ch_along(from, t, edge), x), scene->normal);
}

// A side of a polygon in the plane is a loop of two corners: its ends are its border.
static Place find_place_on_side(const Scene* scene, const Loop* loop, ChVec3 x) {
  const ChVec3 across = ch_cross(ch_axis(2), scene->normal), from = corner(loop, 0), to = corner(loop, 1);
  const double sign = loop->slope < 0.0 ? -1.0 : 1.0;  // corners run counter-clockwise
  const double ahead[2] = {sign * ch_dot(across, ch_sub(x, from)), sign * ch_dot(across, ch_sub(to, x))};
  const double rounding = 1e-12 * scene->pair->size;
  bool surely = true;
  for (int end = 0; end < 2; ++end) {
    if (!(ahead[end] >= -scene->tolerance)) return (Place){false, false, 0.0};
    if (!(ahead[end] >= -rounding)) surely = false;
  }
  const double plane = (loop->offset - ch_dot(loop->plane, x)) / loop->slope;
  if (!(fabs(loop->slope) < 1.0 - 1e-13)) return (Place){true, surely, plane};
  for (int end = 0; end < 2; ++end)
    if (ahead[end] <= scene->tolerance) return (Place){true, false, ch_dot(ch_sub(end ? to : from, x), scene->normal)};
  return (Place){true, surely, plane};
}

static Place find_place(const Scene* scene, const Loop* loop, ChVec3 x) {
  const double side = loop->slope < 0.0 ? -1.0 : 1.0;  // loops turn left seen from outside
  const double tolerance = scene->tolerance * scene->tolerance;
  const double rounding = 1e-24 * scene->pair->size * scene->pair->size;
  int border = -1;
  bool surely = true;
  for (int k = 0; k < loop->count; ++k) {
    const ChVec3 from = corner(loop, k), edge = ch_sub(corner_after(loop, k), from);
    const ChVec3 left = ch_cross(scene->normal, edge);
    const double inside = side * ch_dot(left, ch_sub(x, from));
    const double length = ch_dot(left, left);
    const bool on_border = inside * inside <= tolerance * length;
    if (!(inside > 0.0) && !(inside * inside <= rounding * length)) surely = false;
    if (on_border)
      border = k;
    else if (!(inside > 0.0))
      return (Place){false, false, 0.0};
  }
  const bool askance = fabs(loop->slope) < 1.0 - 1e-13;
  if (border >= 0 && askance) return (Place){true, false, climb_border(scene, loop, border, x)};
  return (Place){true, surely, (loop->offset - ch_dot(loop->plane, x)) / loop->slope};
}

// Keys: which kind of corner, and the vertices and faces that make it. A face is named only where it faces the normal
// squarely: on edges and corners the choice among its faces means nothing and must not change the key.
enum { KIND_B = 1, KIND_A = 2, KIND_CROSSING = 3 };
static uint64_t pack(uint64_t kind, int i, int j, int k, int l) {
  const uint64_t mask = 0x7fff;
  return kind << 60 | ((uint64_t)i & mask) << 45 | ((uint64_t)j & mask) << 30 | ((uint64_t)k & mask) << 15 |
         ((uint64_t)l & mask);
}
static uint64_t vertex_key(int kind, int vertex, const Loop* face) {
  const bool square = fabs(face->slope) > 1.0 - 1e-6;
  return pack((uint64_t)kind, vertex, vertex >> 15, square ? face->face + 1 : 0, 0);
}
static uint64_t crossing_key(const Loop* a, int i, const Loop* b, int j) {
  const int a0 = a->vertex[i], a1 = vertex_after(a, i), b0 = b->vertex[j], b1 = vertex_after(b, j);
  return pack(KIND_CROSSING, a0 < a1 ? a0 : a1, a0 < a1 ? a1 : a0, b0 < b1 ? b0 : b1, b0 < b1 ? b1 : b0);
}

// Vertices are found once, whichever faces found them; a vertex of A on a vertex of B is one point
// between them.
static ChGap* find_known(const Scene* scene, ChVec3 point, uint64_t key) {
  const uint64_t mask = ~(uint64_t)0x3fffffff;  // without the face
  const bool crossing = key >> 60 == KIND_CROSSING;
  for (int k = scene->first; k < scene->out->count; ++k) {
    ChGap* known = &scene->out->points[k];
    if (crossing ? known->key == key : (known->key & mask) == (key & mask)) return known;
    if (crossing || known->key >> 60 == key >> 60) continue;
    const ChVec3 apart = ch_sub(ch_sub(known->point, scene->pair->origin), point);
    const double along = ch_dot(apart, scene->normal);
    if (ch_dot(apart, apart) - along * along <= 4.0 * scene->tolerance * scene->tolerance) return known;
  }
  return NULL;
}

static void add(Scene* scene, ChVec3 middle, double gap, uint64_t key, bool surely) {
  if (surely && gap < scene->least) scene->least = gap;
  if (!(gap <= scene->pair->margin)) return;
  const ChVec3 point = ch_add(middle, scene->pair->origin);
  ChGap* known = find_known(scene, middle, key);
  if (!known) {
    ch_manifold_add(scene->out, point, scene->normal, gap, key);
  } else {
    if (known->key >> 60 != key >> 60) known->point = ch_scale(0.5, ch_add(known->point, point));
    known->gap = fmin(known->gap, gap);
  }
}

static void add_vertices(Scene* scene, const Loop* own, const Loop* other, int kind) {
  const double sign = kind == KIND_B ? -1.0 : 1.0;
  for (int k = 0; k < own->count; ++k) {
    const ChVec3 x = corner(own, k);
    const Place place = other->count == 2 ? find_place_on_side(scene, other, x) : find_place(scene, other, x);
    const double gap = sign * place.climb;
    if (place.inside)
      add(scene, ch_along(x, 0.5 * sign * gap, scene->normal), gap, vertex_key(kind, own->vertex[k], other),
          place.surely);
  }
}

// Crossings where each edge's ends lie on both sides of the other, beyond the tolerance.
static void add_crossing(Scene* scene, const Loop* a, int i, const Loop* b, int j) {
  const ChVec3 a0 = corner(a, i), b0 = corner(b, j);
  const ChVec3 ea = ch_sub(corner_after(a, i), a0), eb = ch_sub(corner_after(b, j), b0), ab = ch_sub(b0, a0);
  const ChVec3 across_a = ch_cross(scene->normal, ea), across_b = ch_cross(scene->normal, eb);
  const double b_start = ch_dot(across_a, ab), b_end = b_start + ch_dot(across_a, eb);
  const double a_start = -ch_dot(across_b, ab), a_end = a_start + ch_dot(across_b, ea);
  if (!(b_start * b_end < 0.0) || !(a_start * a_end < 0.0)) return;
  const double least_a = scene->tolerance * ch_norm(across_a), least_b = scene->tolerance * ch_norm(across_b);
  if (!(fmin(fabs(b_start), fabs(b_end)) > least_a) || !(fmin(fabs(a_start), fabs(a_end)) > least_b)) return;
  const ChVec3 pa = ch_along(a0, a_start / (a_start - a_end), ea), pb = ch_along(b0, b_start / (b_start - b_end), eb);
  const double gap = ch_dot(scene->normal, ch_sub(pb, pa));
  add(scene, ch_scale(0.5, ch_add(pa, pb)), gap, crossing_key(a, i, b, j), true);
}

static void add_overlap(Scene* scene, const Loop* a, const Loop* b) {
  add_vertices(scene, b, a, KIND_B);
  add_vertices(scene, a, b, KIND_A);
  for (int i = 0; i < a->count && !scene->pair->plane; ++i)
    for (int j = 0; j < b->count; ++j) add_crossing(scene, a, i, b, j);
}

static bool has_vertex(const ChPolytope* p, int face, int vertex) {
  for (int k = p->face_start[face]; k < p->face_start[face + 1]; ++k)
    if (p->face_vertex[k] == vertex) return true;
  return false;
}

// Of the faces round the vertex farthest along the direction, the one that looks along it most.
static int main_face(const ChSolid* s, ChVec3 direction) {
  const int top = ch_solid_support(s, direction, 0);
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, direction);
  int best = 0;
  double most = -INFINITY;
  for (int f = 0; f < s->polytope->face_count; ++f) {
    const double facing = ch_dot(local, s->polytope->normals[f]);
    if (facing > most && has_vertex(s->polytope, f, top)) {
      most = facing;
      best = f;
    }
  }
  return best;
}

// Other faces of a solid that look along the direction within 60 degrees and come within the margin of its end.
static void add_neighbours(Scene* scene, const ChSolid* own, ChVec3 direction, int main, const Loop* other,
                           bool own_is_a) {
  int hint = 0;
  const ChPolytope* p = own->polytope;
  const ChVec3 local = ch_mat_apply_transposed(&own->turn, direction);
  const double level = ch_solid_reach(own, direction, &hint) - ch_dot(direction, own->at) - scene->pair->margin +
                       fmin(scene->least, 0.0);
  for (int f = 0; f < p->face_count; ++f) {
    if (f == main || !(ch_dot(local, p->normals[f]) > 0.5)) continue;
    bool near = false;
    for (int k = p->face_start[f]; k < p->face_start[f + 1] && !near; ++k)
      near = ch_dot(local, p->vertices[p->face_vertex[k]]) >= level;
    if (!near) continue;
    Loop loop;
    open_loop(&loop, own, f, scene->normal);
    add_overlap(scene, own_is_a ? &loop : other, own_is_a ? other : &loop);
  }
}

double ch_solid_points(const ChSolidPair* pair, ChVec3 normal, ChManifold* out) {
  Scene scene = {pair, normal, 4.0 * pair->touch, out->count, INFINITY, out};
  const ChVec3 back = ch_neg(normal);
  const int face_a = main_face(&pair->a, normal), face_b = main_face(&pair->b, back);
  Loop a, b;
  open_loop(&a, &pair->a, face_a, normal);
  open_loop(&b, &pair->b, face_b, normal);
  add_overlap(&scene, &a, &b);
  add_neighbours(&scene, &pair->b, back, face_b, &a, false);
  add_neighbours(&scene, &pair->a, normal, face_a, &b, true);
  return scene.least;
}
