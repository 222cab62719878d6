// See skin_touch.h.
#include "collide/skin/skin_touch.h"

#include "collide/closest.h"
#include "collide/skin/skin_plane.h"

enum { LEAF_VERTICES = 3 * CH_SKIN_LEAF, RIM = 8 };
static const double eighth = 0.78539816339744830962;
static const double ROUNDING = 1e-9;  // of the skin's size: more than distances are off by

// The vertices of a leaf, with their distances.
typedef struct Leaf {
  ChVec3 y[LEAF_VERTICES], x[LEAF_VERTICES], outward[LEAF_VERTICES];  // in the skin's frame; in the probe's
  ChSampleStop stop[LEAF_VERTICES];
  double least[LEAF_VERTICES];  // no distance of a vertex is below, nor one between vertices below the least of theirs
} Leaf;

// --- round shapes inside a triangle ----------------------------------------------------------------------------------

// The same on the other end of a cylinder or capsule.
static ChVec3 other_end(const ChSmooth* s, ChVec3 point) {
  return ch_along(point, -2.0 * ch_dot(ch_sub(point, s->at), s->axis), s->axis);
}

// The points of a round shape that may touch a plane with this normal, the shape being in front of it.
static int low_points(const ChSmooth* s, ChVec3 n, ChVec3 points[2 + RIM]) {
  const ChShape* shape = s->shape;
  const ChRoundKind* round = &ch_shape_kind(shape)->round;
  double along = ch_dot(s->axis, n), side = shape->radius;
  int count = 0;
  points[count++] = ch_smooth_support(s, ch_neg(n));
  if (round->straight && fabs(along) < CH_SINE_SLANTED) {
    ChVec3 core = ch_along(points[0], round->swept ? side : 0.0, n);
    points[count++] = ch_along(other_end(s, core), ch_dot(n, ch_sub(points[0], core)), n);
  }
  if (!round->capped || !(1.0 - along * along < CH_SINE_SLANTED * CH_SINE_SLANTED)) return count;
  for (int k = 0; k < RIM; ++k) {
    ChVec3 local = ch_vec(side * cos(k * eighth), side * sin(k * eighth), -copysign(shape->half_length, along));
    points[count++] = ch_add(s->at, ch_mat_apply(&s->turn, local));
  }
  return count;
}

static bool is_over(const ChVec3 p[3], ChVec3 x) {
  double w[3];
  ch_skin_weights(p, x, w);
  return w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0;
}

// The shape's centre is in front of the triangle; what is behind it is inside the skin, and not round its border.
static void add_face(const ChSkinWalk* w, const Leaf* leaf, int k) {
  const ChSkinTree* tree = w->skin->tree;
  const uint8_t* corner = &tree->corners[3 * k];
  const ChVec3 p[3] = {leaf->y[corner[0]], leaf->y[corner[1]], leaf->y[corner[2]]};
  ChVec3 n = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0]))), points[2 + RIM];
  if (!(ch_dot(n, ch_sub(w->round->at, p[0])) > 0.0)) return;
  int count = low_points(w->round, n, points), triangle = tree->triangles[k];
  for (int i = 0; i < count; ++i) {
    double height = ch_dot(n, ch_sub(points[i], p[0]));
    if (!(height <= w->sampling.margin) || !is_over(p, points[i])) continue;
    ChSkinFoot inside;
    if (height < 0.0 &&
        !(ch_skin_foot(w->skin, points[i], ch_neg(n), 0.0, false, triangle, NULL, &inside) && inside.distance < 0.0))
      continue;
    ChProbeFoot foot = {height, ch_mat_apply(&w->sampling.turn, ch_neg(n)), -1};
    ChVec3 x = ch_sampling_place(&w->sampling, ch_along(points[i], -height, n));
    ch_sampling_add(&w->sampling, x, &foot, CH_SAMPLE_FACE, i, &(ChSampleName){triangle, -2 - triangle});
  }
}

// --- leaves ----------------------------------------------------------------------------------------------------------

static void add_edge(const ChSkinWalk* w, const Leaf* leaf, const ChSkinEdge* edge) {
  int a = edge->a, b = edge->b;
  const ChSampleStop *from = &leaf->stop[a], *to = &leaf->stop[b];
  ChVec3 along = ch_sub(leaf->x[b], leaf->x[a]);
  if (!from->known || !to->known) return;
  if (!(ch_dot(from->foot.normal, along) < 0.0 && ch_dot(to->foot.normal, along) > 0.0)) return;  // mostly
  ChVec3 outward = ch_unit(ch_add(leaf->outward[a], leaf->outward[b]));
  ChSampleName name = {3 * edge->triangle + edge->side, -2 - edge->triangle};
  ChSampleLine line = ch_sampling_line(&w->sampling, leaf->y[a], leaf->y[b], outward, name);
  ChSampleStop low = *from, high = *to;
  low.s = 0.0, high.s = line.length;
  ch_sampling_lowest(&w->sampling, &line, low, high, 0);
}

static ChVec3 middle_of(int count, const ChVec3* x) {
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int k = 0; k < count; ++k) sum = ch_add(sum, x[k]);
  return ch_scale(1.0 / count, sum);
}

static double radius_about(ChVec3 middle, int count, const ChVec3* x) {
  double most2 = 0.0;
  for (int k = 0; k < count; ++k) {
    ChVec3 apart = ch_sub(x[k], middle);
    double apart2 = ch_dot(apart, apart);
    if (apart2 > most2) most2 = apart2;
  }
  return (1.0 + 1e-12) * sqrt(most2);
}

// A convex distance is nowhere below its tangents: that of the leaf's middle bounds it from below at the vertices, and
// between them. False where nothing of the leaf is within the margin.
static bool bound_below(const ChSkinWalk* w, int count, ChVec3 middle, Leaf* leaf) {
  const ChSampling* s = &w->sampling;
  ChProbeFoot foot;
  for (int k = 0; k < count; ++k) leaf->least[k] = -INFINITY;
  if (!s->probe.convex || !s->probe.at(&s->probe, middle, ch_vec(0.0, 0.0, 0.0), INFINITY, &foot)) return true;
  double at_origin = foot.distance - ch_dot(foot.normal, middle) - ROUNDING * s->size;
  bool near = false;
  for (int k = 0; k < count; ++k) {
    leaf->least[k] = at_origin + ch_dot(foot.normal, leaf->x[k]);
    near = near || leaf->least[k] <= s->margin + w->pierced;
  }
  return near;
}

// Whether there is nothing of the other skin near that may touch a vertex, or an edge by its middle and half its
// length; and it is outside of it. Over a crease an edge's normal is not the way to a foot: a foot may be anywhere.
static bool is_clear(const ChSkinWalk* w, ChVec3 x, double half) {
  double empty;
  if (!w->front || w->inside) return false;
  ChClosingReach reach = ch_closing_reach(&w->closing, x, half, w->swing);
  if (half > 0.0) reach.middle = x, reach.within = half + reach.margin;
  double aside = ch_norm(ch_sub(reach.middle, x));
  return !ch_skin_front_touches(w->front, &w->part, reach.middle, reach.within, aside, &empty) &&
         ch_probe_is_outside(&w->sampling.probe, reach.middle, empty);
}

// Edges of a leaf that are asked for inner points, as bits, and the vertices that are their ends; `longest`: how long
// these edges are at most.
static uint32_t choose_edges(const ChSkinWalk* w, const ChSkinNode* node, const Leaf* leaf, uint32_t* ends,
                             double* longest) {
  const ChSkinEdge* edges = w->skin->tree->edges + node->edge_first;
  const double margin = w->sampling.margin;
  uint32_t chosen = 0;
  double longest2 = 0.0;
  *ends = 0;
  for (int k = 0; (w->edges || w->sharp) && k < node->edge_count; ++k) {
    int a = edges[k].a, b = edges[k].b;
    if (!w->edges && !edges[k].sharp) continue;
    if (leaf->least[a] > margin && leaf->least[b] > margin) continue;
    ChVec3 along = ch_sub(leaf->y[b], leaf->y[a]), middle = ch_along(leaf->y[a], 0.5, along);
    double length2 = ch_dot(along, along);
    if (w->front && is_clear(w, ch_sampling_place(&w->sampling, middle), 0.5 * sqrt(length2))) continue;
    *ends |= 1u << a | 1u << b, chosen |= 1u << k;
    if (length2 > longest2) longest2 = length2;  // fmax would be a call
  }
  *longest = sqrt(longest2);
  return chosen;
}

static bool is_near_corner(const ChSkinWalk* w, const Leaf* leaf, int k) {
  const uint8_t* corner = &w->skin->tree->corners[3 * k];
  double most = w->sampling.margin + w->pierced;
  return leaf->least[corner[0]] <= most || leaf->least[corner[1]] <= most || leaf->least[corner[2]] <= most;
}

// What of the other skin is near a leaf's vertices.
static const ChSkinNear* find_near(ChSkinWalk* w, int count, const ChVec3* x, ChSkinNear* near) {
  ChBox3 box = {x[0], x[0]};
  for (int k = 1; k < count; ++k) {
    ChVec3 *low = &box.low, *high = &box.high;
    *low =
        ch_vec(x[k].x < low->x ? x[k].x : low->x, x[k].y < low->y ? x[k].y : low->y, x[k].z < low->z ? x[k].z : low->z);
    *high = ch_vec(x[k].x > high->x ? x[k].x : high->x, x[k].y > high->y ? x[k].y : high->y,
                   x[k].z > high->z ? x[k].z : high->z);
  }
  double within = w->sampling.margin;
  if (w->inside) return NULL;
  *near = (ChSkinNear){0, w->front->nodes + w->part.first, within, w->part.radius, w->part.at};
  if (w->part.sifted < INFINITY) {  // it knows more than the margin's
    if (ch_skin_front_meets(w->front, &w->part, &box, within))
      near->count = w->part.count, near->within = w->part.sifted;
    return near;
  }
  if (!ch_skin_front_sift(w->front, &w->part, &box, within)) return NULL;
  near->count = w->part.count;
  return near;
}

// Whether nothing is near a leaf at all and it is outside, which one point of it tells.
static bool is_leaf_clear(ChSkinWalk* w, ChVec3 x) {
  const ChProbe* probe = &w->sampling.probe;
  const ChSkinNear* near = probe->near;
  if (!near || near->count > 0) return false;
  w->inside = ch_probe_holds(probe, x, fmin(near->within, near->radius - ch_norm(ch_sub(x, near->at))));
  return !w->inside;
}

// The foot of a vertex; `outward` in the skin's frame.
static bool ask(const ChSkinWalk* w, int vertex, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* foot) {
  const ChSampling* s = &w->sampling;
  int place = vertex % CH_SKIN_SEEN;
  if (w->seen && w->seen->vertex[place] == vertex + 1) {
    *foot = w->seen->foot[place];
    return foot->distance <= within;
  }
  bool known = s->probe.at(&s->probe, x, ch_mat_apply(&s->turn, outward), within, foot);
  if (w->seen && known) w->seen->vertex[place] = vertex + 1, w->seen->foot[place] = *foot;
  return known;
}

static void place_vertices(const ChSkinWalk* w, const ChSkinNode* node, Leaf* leaf) {
  const int* vertices = w->skin->tree->vertices + node->vertex_first;
  for (int k = 0; k < node->vertex_count; ++k) {
    leaf->y[k] = ch_skin_vertex(w->skin, vertices[k]);
    leaf->x[k] = ch_sampling_place(&w->sampling, leaf->y[k]);
  }
}

bool ch_skin_leaf_is_near(ChSkinWalk* w, const ChSkinNode* node) {
  Leaf leaf;
  ChSkinNear near;
  place_vertices(w, node, &leaf);
  if (!w->front) return bound_below(w, node->vertex_count, middle_of(node->vertex_count, leaf.x), &leaf);
  w->sampling.probe.near = find_near(w, node->vertex_count, leaf.x, &near);
  bool clear = is_leaf_clear(w, leaf.x[0]);
  w->sampling.probe.near = NULL;
  return !clear;
}

void ch_skin_touch_leaf(ChSkinWalk* w, const ChSkinNode* node) {
  const ChSampling* s = &w->sampling;
  const ChSkinTree* tree = w->skin->tree;
  const int* vertices = tree->vertices + node->vertex_first;
  Leaf leaf;
  ChSkinNear near;
  place_vertices(w, node, &leaf);
  if (w->front) w->sampling.probe.near = find_near(w, node->vertex_count, leaf.x, &near);
  if (w->front && is_leaf_clear(w, leaf.x[0])) return;
  ChVec3 middle = middle_of(node->vertex_count, leaf.x);
  ChProbePlane plane;
  if (s->probe.posed->shape->polytope &&
      ch_probe_is_plane(&s->probe, middle, radius_about(middle, node->vertex_count, leaf.x), &plane)) {
    ch_skin_leaf_over_plane(s, w->skin, node, &plane);  // only vertices touch first
    return;
  }
  if (!bound_below(w, node->vertex_count, middle, &leaf)) return;
  double longest;
  uint32_t ends, edges = choose_edges(w, node, &leaf, &ends, &longest);
  for (int k = 0; k < node->vertex_count; ++k) {
    ChSampleStop* stop = &leaf.stop[k];
    bool is_end = ends >> k & 1u;
    stop->known = false;
    if (!is_end && (k >= node->vertex_own || leaf.least[k] > s->margin)) continue;
    double within = s->margin + (is_end ? longest : 0.0);  // an edge's end may be farther than its lowest point
    ChVec3 x = leaf.x[k];
    leaf.outward[k] = ch_vec(0.0, 0.0, 0.0);
    if (!(ch_box_distance2(&s->probe.box, x) <= within * within)) continue;
    if (!is_end && is_clear(w, x, 0.0)) continue;
    if (w->faces) leaf.outward[k] = ch_skin_outward(w->skin, vertices[k]);
    stop->known = ask(w, vertices[k], x, leaf.outward[k], within, &stop->foot);
    stop->near = stop->known && stop->foot.distance <= s->margin;
    if (stop->near && k < node->vertex_own)
      ch_sampling_add(s, x, &stop->foot, CH_SAMPLE_CORNER, 0, &(ChSampleName){vertices[k], vertices[k]});
  }
  for (int k = 0; edges >> k; ++k)
    if (edges >> k & 1u) add_edge(w, &leaf, &tree->edges[node->edge_first + k]);
  for (int k = node->first; w->round && k < node->first + node->count; ++k)
    if (is_near_corner(w, &leaf, k)) add_face(w, &leaf, k);
}
