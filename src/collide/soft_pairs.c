// Deformable skins against rigid shapes and against each other.
//
// Against a rigid shape the places of the skin are listed at which its distance d to that shape can be least:
//
//   every vertex with d <= margin;
//   the lowest point inside an edge of the skin, where d falls at one end and rises at the other;
//   the lowest point inside a triangle: of a round shape the point farthest along - n that lies over the triangle, of a
//   polytope or mesh its corners, asked for their distance to the skin.
//
// Two skins meet with the vertices of each, and the lowest points inside the sharp edges of one, against the triangles
// of the other. Whatever one has of the other inside of itself leaves on the side that it came from (skin.h). Parts of
// the skin are found through its tree of balls.
#include <string.h>

#include "collide/closest.h"
#include "collide/closing.h"
#include "collide/leaf_list.h"
#include "collide/mesh_walk.h"
#include "collide/sampling.h"
#include "collide/skin_front.h"
#include "collide/skin_plane.h"
#include "collide/smooth_pair.h"
#include "model/sample_tree.h"

enum { STACK = 64, LEAF_VERTICES = 3 * CH_SKIN_LEAF, RIM = 8 };
static const double eighth = 0.78539816339744830962;
static const double ROUNDING = 1e-9;  // of the skin's size: more than distances are off by

// Feet of vertices: leaves share vertices, and ask again.
enum { SEEN = 128 };
typedef struct Seen {
  int vertex[SEEN];  // plus one
  ChProbeFoot foot[SEEN];
} Seen;

typedef struct Walk {
  ChSampling sampling;
  ChClosing closing;
  ChSkinFront* front;  // where the other one is a skin
  ChSkinPart part;     // that the leaf at hand may touch
  Seen* seen;          // where the other one is convex, or a skin
  double swing;        // of this leaf
  bool inside;         // this leaf is inside of the other, and far from all of it
  const ChSkin* skin;
  bool faces;             // the probe wants to know where samples face
  bool edges;             // inner points of all edges count too
  bool sharp;             // inner points of sharp ones do
  const ChSmooth* round;  // what the skin meets, in the skin's frame; NULL where it has corners or is a skin
  double pierced;         // a triangle of this leaf that one thin and round sticks through is so far from it at most
} Walk;

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
  bool ends = shape->type == CH_SHAPE_CAPSULE || shape->type == CH_SHAPE_CYLINDER;
  double along = ch_dot(s->axis, n), side = shape->radius;
  int count = 0;
  points[count++] = ch_smooth_support(s, ch_neg(n));
  if (ends && fabs(along) < CH_SINE_SLANTED) {
    ChVec3 core = ch_along(points[0], shape->type == CH_SHAPE_CAPSULE ? side : 0.0, n);
    points[count++] = ch_along(other_end(s, core), ch_dot(n, ch_sub(points[0], core)), n);
  }
  if (shape->type != CH_SHAPE_CYLINDER || !(1.0 - along * along < CH_SINE_SLANTED * CH_SINE_SLANTED)) return count;
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
static void add_face(const Walk* w, const Leaf* leaf, int k) {
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

static void add_edge(const Walk* w, const Leaf* leaf, const ChSkinEdge* edge) {
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
static bool bound_below(const Walk* w, int count, ChVec3 middle, Leaf* leaf) {
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
static bool is_clear(const Walk* w, ChVec3 x, double half) {
  double empty;
  if (!w->front || w->inside) return false;
  ChClosingReach reach = ch_closing_reach(&w->closing, x, half, w->swing);
  if (half > 0.0) reach.middle = x, reach.within = half + reach.margin;
  return !ch_skin_front_touches(w->front, &w->part, reach.middle, reach.within, &empty) &&
         ch_probe_is_outside(&w->sampling.probe, reach.middle, empty);
}

// Edges of a leaf that are asked for inner points, as bits, and the vertices that are their ends; `longest`: how long
// these edges are at most.
static uint32_t choose_edges(const Walk* w, const ChSkinNode* node, const Leaf* leaf, uint32_t* ends, double* longest) {
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

static bool is_near_corner(const Walk* w, const Leaf* leaf, int k) {
  const uint8_t* corner = &w->skin->tree->corners[3 * k];
  double most = w->sampling.margin + w->pierced;
  return leaf->least[corner[0]] <= most || leaf->least[corner[1]] <= most || leaf->least[corner[2]] <= most;
}

// What of the other skin is near a leaf's vertices.
static const ChSkinNear* find_near(Walk* w, int count, const ChVec3* x, ChSkinNear* near) {
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
static bool is_leaf_clear(Walk* w, ChVec3 x) {
  const ChProbe* probe = &w->sampling.probe;
  const ChSkinNear* near = probe->near;
  if (!near || near->count > 0) return false;
  w->inside = ch_probe_holds(probe, x, fmin(near->within, near->radius - ch_norm(ch_sub(x, near->at))));
  return !w->inside;
}

// The foot of a vertex; `outward` in the skin's frame.
static bool ask(const Walk* w, int vertex, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* foot) {
  const ChSampling* s = &w->sampling;
  int place = vertex % SEEN;
  if (w->seen && w->seen->vertex[place] == vertex + 1) {
    *foot = w->seen->foot[place];
    return foot->distance <= within;
  }
  bool known = s->probe.at(&s->probe, x, ch_mat_apply(&s->turn, outward), within, foot);
  if (w->seen && known) w->seen->vertex[place] = vertex + 1, w->seen->foot[place] = *foot;
  return known;
}

static void place_vertices(const Walk* w, const ChSkinNode* node, Leaf* leaf) {
  const int* vertices = w->skin->tree->vertices + node->vertex_first;
  for (int k = 0; k < node->vertex_count; ++k) {
    leaf->y[k] = ch_skin_vertex(w->skin, vertices[k]);
    leaf->x[k] = ch_sampling_place(&w->sampling, leaf->y[k]);
  }
}

static void add_leaf(Walk* w, const ChSkinNode* node) {
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

// --- the way down ----------------------------------------------------------------------------------------------------

typedef struct Visit {
  int node;
  ChSkinPart part;  // of the other skin, that the node above may touch
  bool inside;      // of the other skin, and far from all of it
} Visit;

// An edge's normal over a crease is not the way to a foot: there a foot may be anywhere.
static ChClosingReach reach_of(const Walk* w, ChVec3 centre, const ChBall* ball) {
  ChClosingReach reach = ch_closing_reach(&w->closing, centre, ball->radius, ball->swing);
  bool creases = w->edges ? !w->sampling.probe.convex : w->sharp;
  if (creases) reach.middle = centre, reach.within = reach.margin;
  return reach;
}

// Whether anything of a node can touch the other skin, and what of that; where nothing is near it may still be inside.
static bool meets_skin(Walk* w, const ChSkinNode* node, const ChBall* ball, const ChClosingReach* reach, Visit* visit) {
  if (visit->inside) return true;
  const ChSkinPart* part = &visit->part;
  double most = ball->radius + reach->within + part->swing;
  if (!(ch_box_distance2(&w->sampling.probe.box, reach->middle) <= most * most)) return false;
  double size = node->count > 0 ? 0.0 : ball->radius;
  visit->part = ch_skin_front_narrow(w->front, part, part->first + part->count, reach->middle,
                                     ball->radius + reach->within, size);
  visit->inside = visit->part.count == 0 && ch_probe_holds(&w->sampling.probe, visit->part.at, visit->part.radius);
  return visit->part.count > 0 || visit->inside;
}

// Where a node is and how far it reaches.
typedef struct Place {
  ChBall ball;
  ChVec3 centre;
  ChClosingReach reach;
} Place;

// Whether a node may touch, or, if that is more than nothing, is nearer than `covered`.
static bool is_met(Walk* w, double covered, Visit* visit, Place* place) {
  const ChSampling* s = &w->sampling;
  ChBall room;
  place->ball = *ch_skin_ball(w->skin, visit->node, &room);
  place->centre = ch_sampling_place(s, place->ball.centre);
  place->reach =
      covered > 0.0 ? (ChClosingReach){place->centre, covered, covered} : reach_of(w, place->centre, &place->ball);
  const ChClosingReach* reach = &place->reach;
  if (w->front) return meets_skin(w, &w->skin->tree->nodes[visit->node], &place->ball, reach, visit);
  return s->probe.may_reach(&s->probe, reach->middle, place->ball.radius, reach->within);
}

static void touch_leaf(Walk* w, const Visit* visit, const Place* place) {
  ChSampling* s = &w->sampling;
  w->pierced = w->round && w->round->shape->type != CH_SHAPE_SPHERE ? 2.0 * place->ball.radius : 0.0;
  w->part = visit->part, w->swing = place->ball.swing, w->inside = visit->inside;
  s->margin = fmin(place->reach.margin + visit->part.swing, w->closing.most);
  add_leaf(w, &w->skin->tree->nodes[visit->node]);
}

// A leaf that is nearer than the list covers, unless its vertices say otherwise. Where the other one's nodes are too
// many to be leaves there will be no list.
static void keep_leaf(Walk* w, const Visit* visit, ChLeafList* list) {
  const ChSkinNode* node = &w->skin->tree->nodes[visit->node];
  Leaf leaf;
  ChSkinNear near;
  bool inside = visit->inside;
  w->part = visit->part, w->inside = inside, w->sampling.margin = list->covered, w->pierced = 0.0;
  place_vertices(w, node, &leaf);
  if (w->front && !inside) {
    bool sifted = find_near(w, node->vertex_count, leaf.x, &near);
    inside = sifted && near.count == 0 && ch_probe_holds(&w->sampling.probe, leaf.x[0], list->covered);
    if (!sifted) list->covered = 0.0;
    if (!sifted || (near.count == 0 && !inside)) return;
  }
  if (!w->front && !bound_below(w, node->vertex_count, middle_of(node->vertex_count, leaf.x), &leaf)) return;
  int count = w->front ? w->part.count : 0;
  ch_leaf_list_add(list, &(ChNearLeaf){.node = visit->node, .count = count, .inside = inside},
                   count ? w->front->nodes + w->part.first : NULL);
}

// Down the tree, to leaves that may touch; or, with a list, to those that it is to cover.
static void walk_tree(Walk* w, ChLeafList* list) {
  Visit stack[STACK];
  int depth = 1;
  stack[0] = (Visit){.node = 0};
  if (w->front) stack[0].part = ch_skin_front_start(w->front, w->sampling.probe.posed->skin);
  while (depth > 0) {
    Visit here = stack[--depth];
    const ChSkinNode* node = &w->skin->tree->nodes[here.node];
    Place place;
    if (!is_met(w, list ? list->covered : 0.0, &here, &place)) continue;
    if (node->count == 0) {
      if (depth + 2 > STACK) return;
      stack[depth] = stack[depth + 1] = here;
      stack[depth++].node = node->first + 1, stack[depth++].node = node->first;
    } else if (list) {
      keep_leaf(w, &here, list);
    } else {
      touch_leaf(w, &here, &place);
    }
  }
}

// A leaf of a list. Of another skin, whatever may touch any point of it is in the leaf's own list.
static void touch_kept(Walk* w, const ChLeafList* list, const ChNearLeaf* leaf) {
  const ChSkinNode* node = &w->skin->tree->nodes[leaf->node];
  w->sampling.margin = w->closing.most;
  w->pierced = 0.0;
  if (w->front) {
    ChBall room;
    w->front->skin = w->sampling.probe.posed->skin;
    if (leaf->count) memcpy(w->front->nodes, list->others + leaf->first, (size_t)leaf->count * sizeof(int));
    w->part = (ChSkinPart){.count = leaf->count, .radius = INFINITY, .sifted = list->covered - list->moved};
    w->swing = ch_skin_ball(w->skin, leaf->node, &room)->swing, w->inside = leaf->inside;
  }
  add_leaf(w, node);
}

// `list`: of what was near, or NULL.
static void walk(Walk* w, ChLeafList* list) {
  bool covers = list && ch_leaf_list_covers(list, &w->sampling, w->skin, w->closing.most);
  if (list && !covers && ch_leaf_list_begin(list, &w->sampling, w->skin, &w->closing)) {
    walk_tree(w, list);
    covers = list->covered > 0.0;
  }
  if (!covers) walk_tree(w, NULL);
  for (int k = 0; covers && k < list->count; ++k) touch_kept(w, list, &list->leaves[k]);
}

// --- corners of rigid shapes -----------------------------------------------------------------------------------------

// Within reach of the skin at all.
static bool is_near(const ChSampling* s, ChVec3 local) {
  return ch_box_distance2(&s->probe.box, ch_sampling_place(s, local)) <= s->margin * s->margin;
}

static void add_polytope_corners(const ChSampling* s, const ChPolytope* p) {
  for (int v = 0; v < p->vertex_count; ++v) {
    if (!is_near(s, p->vertices[v])) continue;
    ChVec3 outward = ch_vec(0.0, 0.0, 0.0);
    for (int f = 0; f < p->face_count; ++f)
      for (int k = p->face_start[f]; k < p->face_start[f + 1]; ++k)
        if (p->face_vertex[k] == v) outward = ch_add(outward, p->normals[f]);
    ch_sampling_corner(s, p->vertices[v], ch_unit(outward), (ChSampleName){v, -1});
  }
}

// A corner is many triangles': it is listed with the first. One without a convex edge touches no smooth skin first.
static void add_surface_corners(const ChSampling* s, const ChMesh* mesh, ChBox3 near) {
  int first = s->out->count;
  ChMeshWalk cells = ch_mesh_walk(mesh, near);
  for (int c; (c = ch_mesh_walk_next(&cells)) >= 0;)
    for (int k = 0; k < 3; ++k) {
      int v = mesh->cells[3 * c + k], count = s->out->count;
      if (!(ch_mesh_edge_turn(mesh, c, k) > CH_SAME_NORMAL) || !is_near(s, mesh->vertices[v])) continue;
      ch_sampling_corner(s, mesh->vertices[v], ch_unit(mesh->vertex_normals[v]), (ChSampleName){v, -1});
      for (int i = first; i < count && s->out->count > count; ++i)
        if (s->out->points[i].key == s->out->points[count].key) s->out->count = count;
    }
}

static void add_corners(const ChPosed* skin, const ChPosed* rigid, double margin, ChManifold* out) {
  int last = -1;
  ChSampling s = ch_sampling(rigid, skin, rigid->frame.at, margin, true, out);
  s.probe.last = &last;
  if (rigid->shape->polytope) {
    add_polytope_corners(&s, rigid->shape->polytope);
    return;
  }
  ChBox3 near = ch_shape_box_in(skin, rigid);
  ChVec3 reach = ch_vec(margin, margin, margin);
  near = (ChBox3){ch_sub(near.low, reach), ch_add(near.high, reach)};
  add_surface_corners(&s, rigid->shape->mesh, near);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

void ch_pair_soft_rigid(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChMesh* mesh = b->shape->mesh;
  Walk w = {.sampling = ch_sampling(a, b, a->frame.at, margin, false, out), .skin = a->skin};
  ch_probe_flatten(&w.sampling.probe, ch_shape_box_in(a, b));
  w.faces = mesh && !mesh->field;
  w.closing = ch_closing(a, b, margin);
  if (w.sampling.probe.flat) {
    ch_skin_over_plane(&w.sampling, &w.closing, a->skin, out->lists);
    return;
  }
  w.edges = true;
  Seen feet;
  if (w.sampling.probe.convex) {
    memset(feet.vertex, 0, sizeof feet.vertex);
    w.seen = &feet;
  }
  ChPosed seen = ch_posed_in(b, a);
  ChSmooth round;
  if (!mesh && !b->shape->polytope) {
    round = ch_smooth_of(&seen, ch_vec(0.0, 0.0, 0.0));
    w.round = &round;
  }
  // How far what is behind an open surface counts, or how far thin shapes stick through, no list knows.
  bool lasting = b->shape->polytope || b->shape->type == CH_SHAPE_SPHERE;
  walk(&w, lasting ? out->lists : NULL);
  if (mesh || b->shape->polytope) add_corners(a, b, margin, out);
}

void ch_pair_soft_soft(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  for (int side = 0; side < 2; ++side) {
    const ChPosed *from = side ? b : a, *to = side ? a : b;
    int last = -1;
    Walk w = {.sampling = ch_sampling(from, to, from->frame.at, margin, side, out), .skin = from->skin, .faces = true};
    ChEmptyBalls empty = {.count = 0};
    ChSkinFront front;
    Seen feet;
    memset(feet.vertex, 0, sizeof feet.vertex);
    w.seen = &feet;
    w.sampling.probe.last = &last, w.sampling.probe.empty = &empty, w.front = &front;
    w.closing = ch_closing(from, to, margin);
    w.sharp = side == 0;  // where two edges cross, either finds the place
    walk(&w, out->lists ? &out->lists[side] : NULL);
  }
}
