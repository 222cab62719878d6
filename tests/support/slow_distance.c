// See slow_distance.h.
#include "support/slow_distance.h"

#include <libqhull_r/libqhull_r.h>
#include <stdlib.h>

enum { POINTS_MAX = 2000, START_GRID = 3 };

static const double TOLERANCE = 1e-12;  // of the size of the difference

ChPosed ch_posed(const ChShape* shape, ChFrame frame) {
  return (ChPosed){.shape = shape, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

static double core_radius(const ChShape* s) {
  bool round = s->type == CH_SHAPE_SPHERE || s->type == CH_SHAPE_CAPSULE || s->type == CH_SHAPE_DISK;
  return round ? s->radius : 0.0;
}

static ChVec3 farthest_vertex(const ChPolytope* p, ChVec3 d) {
  int best = 0;
  for (int i = 1; i < p->vertex_count; ++i)
    if (ch_dot(d, p->vertices[i]) > ch_dot(d, p->vertices[best])) best = i;
  return p->vertices[best];
}

// Point of an ellipsoid or ellipse (half axes h) farthest along d.
static ChVec3 farthest_of_ellipsoid(ChVec3 h, ChVec3 d) {
  ChVec3 w = ch_vec(h.x * d.x, h.y * d.y, h.z * d.z);
  double norm = ch_norm(w);
  return norm > 0.0 ? ch_vec(h.x * w.x / norm, h.y * w.y / norm, h.z * w.z / norm) : ch_vec(0.0, 0.0, 0.0);
}

// Point of the core farthest along d, both in the shape's frame.
static ChVec3 core_support(const ChShape* s, ChVec3 d) {
  double rim = hypot(d.x, d.y);
  switch (s->type) {
    case CH_SHAPE_CAPSULE:
      return ch_vec(0.0, 0.0, d.z >= 0.0 ? s->half_length : -s->half_length);
    case CH_SHAPE_CYLINDER:
      return ch_vec(rim > 0.0 ? s->radius * d.x / rim : 0.0, rim > 0.0 ? s->radius * d.y / rim : 0.0,
                    d.z >= 0.0 ? s->half_length : -s->half_length);
    case CH_SHAPE_ELLIPSOID:
      return farthest_of_ellipsoid(s->half, d);
    case CH_SHAPE_ELLIPSE:
      return farthest_of_ellipsoid(ch_vec(s->half.x, s->half.y, 0.0), d);
    default:
      return s->polytope ? farthest_vertex(s->polytope, d) : ch_vec(0.0, 0.0, 0.0);
  }
}

static ChVec3 core_support_world(const ChPosed* a, ChVec3 d) {
  return ch_frame_point(a->frame, core_support(a->shape, ch_rotate_back(a->frame.orientation, d)));
}

double ch_slow_support(const ChPosed* a, ChVec3 d) {
  return ch_dot(d, core_support_world(a, d)) + core_radius(a->shape) * ch_norm(d);
}

static bool is_halfspace(const ChPosed* a) {
  return a->shape->type == CH_SHAPE_HALFSPACE || a->shape->type == CH_SHAPE_HALFPLANE;
}

static double halfspace_support(const ChPosed* a, ChVec3 d) {
  ChVec3 normal = ch_rotate(a->frame.orientation, a->shape->normal);
  if (!(ch_norm(ch_sub(normal, d)) <= 1e-12)) return INFINITY;
  return a->shape->offset + ch_dot(normal, a->frame.at);
}

double ch_slow_separation(const ChPosed* a, const ChPosed* b, ChVec3 n) {
  double ha = is_halfspace(a) ? halfspace_support(a, n) : ch_slow_support(a, n);
  double hb = is_halfspace(b) ? halfspace_support(b, ch_neg(n)) : ch_slow_support(b, ch_neg(n));
  return -ha - hb;
}

// --- the difference B - A of the cores as the hull of points ---------------------------------------------------------

typedef struct Hull {
  int dimension, count;
  ChVec3 points[POINTS_MAX];
  double size;
} Hull;

typedef struct Nearest {
  double gap;
  ChVec3 normal;
} Nearest;

static bool hull_add(Hull* hull, ChVec3 p) {
  for (int i = 0; i < hull->count; ++i)
    if (ch_norm(ch_sub(hull->points[i], p)) <= 1e-15 * hull->size) return false;
  if (hull->count == POINTS_MAX) return false;
  hull->points[hull->count++] = p;
  return true;
}

static ChVec3 nearest_on_segment(ChVec3 a, ChVec3 b) {
  ChVec3 d = ch_sub(b, a);
  double length2 = ch_dot(d, d), t = length2 > 0.0 ? -ch_dot(a, d) / length2 : 0.0;
  return t <= 0.0 ? a : t >= 1.0 ? b : ch_along(a, t, d);
}

// Point of a triangle, degenerate ones too, nearest to the origin.
static ChVec3 nearest_on_triangle(ChVec3 a, ChVec3 b, ChVec3 c) {
  ChVec3 best = nearest_on_segment(a, b), second = nearest_on_segment(b, c), third = nearest_on_segment(c, a);
  if (ch_norm(second) < ch_norm(best)) best = second;
  if (ch_norm(third) < ch_norm(best)) best = third;
  ChVec3 normal = ch_cross(ch_sub(b, a), ch_sub(c, a));
  double area2 = ch_dot(normal, normal);
  if (!(sqrt(area2) > 1e-12 * ch_norm(ch_sub(b, a)) * ch_norm(ch_sub(c, a)))) return best;  // its edges are all of it
  ChVec3 foot = ch_scale(ch_dot(normal, a) / area2, normal);
  bool inside = ch_dot(normal, ch_cross(ch_sub(b, a), ch_sub(foot, a))) >= 0.0 &&
                ch_dot(normal, ch_cross(ch_sub(c, b), ch_sub(foot, b))) >= 0.0 &&
                ch_dot(normal, ch_cross(ch_sub(a, c), ch_sub(foot, c))) >= 0.0;
  return inside && ch_norm(foot) < ch_norm(best) ? foot : best;
}

// A flat difference (of points and segments): the union of the triangles of its few points.
static Nearest nearest_of_flat(const Hull* hull) {
  ChVec3 best = hull->points[0], normal = ch_vec(0.0, 0.0, 0.0);
  for (int i = 0; i < hull->count; ++i)
    for (int j = 0; j < hull->count; ++j)
      for (int k = 0; k < hull->count; ++k) {
        ChVec3 a = hull->points[i], b = hull->points[j], c = hull->points[k];
        ChVec3 x = nearest_on_triangle(a, b, c), n = ch_cross(ch_sub(b, a), ch_sub(c, a));
        if (ch_norm(x) < ch_norm(best)) best = x;
        if (ch_norm(n) > ch_norm(normal)) normal = n;
      }
  double distance = ch_norm(best);
  if (distance > 1e-13 * hull->size) return (Nearest){distance, ch_unit(best)};
  return (Nearest){distance, ch_unit(normal)};
}

static ChVec3 from_coordinates(int dimension, const double* x) {
  return ch_vec(x[0], x[1], dimension == 3 ? x[2] : 0.0);
}

static Nearest nearest_of_facets(qhT* qh, int dimension, double size) {
  Nearest result = {-INFINITY, {0.0, 0.0, 0.0}};
  double least = INFINITY;
  ChVec3 nearest = {0.0, 0.0, 0.0};
  facetT* facet;
  FORALLfacets {
    if (facet->offset > result.gap)
      result = (Nearest){facet->offset, ch_neg(from_coordinates(dimension, facet->normal))};
    ChVec3 corner[3];
    int count = 0;
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices) if (count < dimension) corner[count++] = from_coordinates(dimension, vertex->point);
    ChVec3 x = nearest_on_triangle(corner[0], corner[1], corner[dimension - 1]);
    if (ch_norm(x) < least) {
      least = ch_norm(x);
      nearest = x;
    }
  }
  if (result.gap > 1e-13 * size) result = (Nearest){least, ch_unit(nearest)};  // apart: the nearest point tells
  return result;
}

static Nearest nearest_of_hull(const Hull* hull) {
  if (hull->count <= (hull->dimension == 3 ? 4 : 2)) return nearest_of_flat(hull);
  static double coordinates[3 * POINTS_MAX];
  for (int i = 0; i < hull->count; ++i)
    for (int k = 0; k < hull->dimension; ++k) coordinates[hull->dimension * i + k] = ch_component(hull->points[i], k);
  qhT storage, *qh = &storage;
  qh_zero(qh, NULL);
  char command[] = "qhull Qt Pp";
  Nearest result = {NAN, {NAN, NAN, NAN}};
  FILE* silent = fopen("/dev/null", "w");
  if (!qh_new_qhull(qh, hull->dimension, hull->count, coordinates, False, command, NULL, silent))
    result = nearest_of_facets(qh, hull->dimension, hull->size);
  qh_freeqhull(qh, !qh_ALL);
  int kept, bytes;
  qh_memfreeshort(qh, &kept, &bytes);
  if (silent) fclose(silent);
  return result;
}

static ChVec3 difference_support(const ChPosed* a, const ChPosed* b, ChVec3 n) {
  return ch_sub(core_support_world(b, ch_neg(n)), core_support_world(a, n));  // least n . (b - a)
}

static void hull_start(const ChPosed* a, const ChPosed* b, Hull* hull) {
  hull->dimension = a->shape->type >= CH_SHAPE_DISK ? 2 : 3;
  hull->count = 0;
  hull->size = a->shape->bound + b->shape->bound;
  bool space = hull->dimension == 3;
  for (int i = -START_GRID; i <= START_GRID; ++i)
    for (int j = -START_GRID; j <= START_GRID; ++j)
      for (int k = -START_GRID; k <= START_GRID; ++k)
        if (abs(i) == START_GRID || abs(j) == START_GRID || abs(k) == START_GRID)
          hull_add(hull, difference_support(a, b, ch_unit(ch_vec(i + 0.01, j + 0.02, space ? k + 0.03 : 0.0))));
}

static ChSlowGap gap_of_halfspace(const ChPosed* a, const ChPosed* b) {
  const ChPosed* space = is_halfspace(a) ? a : b;
  ChVec3 outward = ch_rotate(space->frame.orientation, space->shape->normal);
  ChVec3 normal = space == a ? outward : ch_neg(outward);
  return (ChSlowGap){.gap = ch_slow_separation(a, b, normal), .normal = normal};
}

ChSlowGap ch_slow_gap(const ChPosed* a, const ChPosed* b) {
  if (is_halfspace(a) || is_halfspace(b)) return gap_of_halfspace(a, b);
  static Hull hull;
  double radii = core_radius(a->shape) + core_radius(b->shape), lower = -INFINITY;
  ChSlowGap result = {0};
  hull_start(a, b, &hull);
  for (;;) {
    Nearest nearest = nearest_of_hull(&hull);
    ChVec3 p = difference_support(a, b, nearest.normal);
    double bound = ch_dot(nearest.normal, p);
    if (bound > lower || isnan(bound)) {
      lower = bound;
      result.normal = nearest.normal;
    }
    result.gap = nearest.gap - radii;
    result.slack = nearest.gap - lower;
    if (!(result.slack > TOLERANCE * hull.size) || !hull_add(&hull, p)) return result;
  }
}
