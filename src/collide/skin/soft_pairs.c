// Deformable skins against rigid shapes and against each other: down the skin's tree of balls, or along a list of the
// leaves that were near before, to the leaves that may touch (skin_touch.h). Corners of polytopes and meshes are asked
// for their distance to the skin. Whatever one skin has of another inside of itself leaves on the side that it came
// from (skin.h).
#include <string.h>

#include "collide/mesh/mesh_walk.h"
#include "collide/skin/leaf_list.h"
#include "collide/skin/skin_plane.h"
#include "collide/skin/skin_touch.h"
#include "model/mesh/sample_tree.h"

enum { STACK = 64 };

// --- the way down ----------------------------------------------------------------------------------------------------

typedef struct Visit {
  int node;
  ChSkinPart part;  // of the other skin, that the node above may touch
  bool inside;      // of the other skin, and far from all of it
} Visit;

// An edge's normal over a crease is not the way to a foot: there a foot may be anywhere.
static ChClosingReach reach_of(const ChSkinWalk* w, ChVec3 centre, const ChBall* ball) {
  ChClosingReach reach = ch_closing_reach(&w->closing, centre, ball->radius, ball->swing);
  bool creases = w->edges ? !w->sampling.probe.convex : w->sharp;
  if (creases) reach.middle = centre, reach.within = reach.margin;
  return reach;
}

// Whether anything of a node can touch the other skin, and what of that; where nothing is near it may still be inside.
static bool meets_skin(ChSkinWalk* w, const ChSkinNode* node, const ChBall* ball, const ChClosingReach* reach,
                       Visit* visit) {
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
static bool is_met(ChSkinWalk* w, double covered, Visit* visit, Place* place) {
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

static void touch_leaf(ChSkinWalk* w, const Visit* visit, const Place* place) {
  ChSampling* s = &w->sampling;
  w->pierced = w->round && !ch_shape_kind(w->round->shape)->info.ball ? 2.0 * place->ball.radius : 0.0;
  w->part = visit->part, w->swing = place->ball.swing, w->inside = visit->inside;
  s->margin = fmin(place->reach.margin + visit->part.swing, w->closing.most);
  ch_skin_touch_leaf(w, &w->skin->tree->nodes[visit->node]);
}

// A leaf that is nearer than the list covers, unless its vertices say otherwise.
static void keep_leaf(ChSkinWalk* w, const Visit* visit, ChLeafList* list) {
  w->part = visit->part, w->inside = visit->inside, w->pierced = 0.0;
  w->sampling.margin = list->covered;
  if (!ch_skin_leaf_is_near(w, &w->skin->tree->nodes[visit->node])) return;
  int count = w->front && !w->inside ? w->part.count : 0;
  if (count && !ch_skin_front_is_fine(w->front, &w->part)) list->covered = 0.0;  // too many to be told apart: no list
  ch_leaf_list_add(list, &(ChNearLeaf){.node = visit->node, .count = count, .inside = w->inside},
                   count ? w->front->nodes + w->part.first : NULL);
}

// Down the tree, to leaves that may touch; or, with a list, to those that it is to cover.
static void walk_tree(ChSkinWalk* w, ChLeafList* list) {
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
static void touch_kept(ChSkinWalk* w, const ChLeafList* list, const ChNearLeaf* leaf) {
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
  ch_skin_touch_leaf(w, node);
}

// `list`: of what was near, or NULL.
static void walk(ChSkinWalk* w, ChLeafList* list) {
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
  ChSkinWalk w = {.sampling = ch_sampling(a, b, a->frame.at, margin, false, out), .skin = a->skin};
  ch_probe_flatten(&w.sampling.probe, ch_shape_box_in(a, b));
  w.faces = mesh && !mesh->field;
  w.closing = ch_closing(a, b, margin);
  if (w.sampling.probe.flat) {
    ch_skin_over_plane(&w.sampling, &w.closing, a->skin, out->lists);
    return;
  }
  w.edges = true;
  ChSkinSeen feet;
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
  bool lasting = b->shape->polytope || ch_shape_kind(b->shape)->info.ball;
  walk(&w, lasting ? out->lists : NULL);
  if (mesh || b->shape->polytope) add_corners(a, b, margin, out);
}

void ch_pair_soft_soft(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  for (int side = 0; side < 2; ++side) {
    const ChPosed *from = side ? b : a, *to = side ? a : b;
    int last = -1;
    ChSkinWalk w = {
        .sampling = ch_sampling(from, to, from->frame.at, margin, side, out), .skin = from->skin, .faces = true};
    ChEmptyBalls empty = {.count = 0};
    ChLeafList* list = out->lists ? &out->lists[side] : NULL;
    ChSkinFront front;
    ChSkinSeen feet;
    memset(feet.vertex, 0, sizeof feet.vertex);
    w.seen = &feet;
    w.sampling.probe.last = &last, w.sampling.probe.empty = list ? &list->empty : &empty, w.front = &front;
    w.closing = ch_closing(from, to, margin);
    w.sharp = side == 0;  // where two edges cross, either finds the place
    walk(&w, list);
  }
}
