// See skin_plane.h. In the skin's frame a vertex y is at the height n . y + h, and what rigid motion lets it sink in
// the look-ahead is linear, too: g . y + k. A ball of vertices has one that counts only if
//
//   n . c + h - r <= margin + max(0, g . c + k + |g| r + swing)
#include "collide/skin/skin_plane.h"

enum { STACK = 64 };
static const double ROUNDING = 1.0 + 1e-9;

typedef struct Plane {
  ChVec3 n, g;
  double h, k, turning;  // turning: |g|
  double least, most;    // margins
} Plane;

static Plane plane_of(const ChSampling* s, const ChClosing* closing) {
  ChVec3 normal = s->probe.normal, turn = ch_cross(closing->turn, normal);
  Plane p = {.least = closing->least, .most = closing->most};
  p.n = ch_mat_apply_transposed(&s->turn, normal);
  p.h = ch_dot(normal, s->shift) - s->probe.offset;
  p.g = ch_mat_apply_transposed(&s->turn, turn);
  p.k = ch_dot(turn, s->shift) - ch_dot(normal, closing->step);
  p.turning = ROUNDING * ch_norm(p.g);
  double rounding = 1e-12 * (s->size + ch_norm(s->shift) + fabs(s->probe.offset));
  p.least += rounding, p.most += rounding;
  return p;
}

// The largest gap that counts.
static double margin_of(const Plane* p, const ChBall* ball) {
  double sinks = ROUNDING * (ch_dot(p->g, ball->centre) + p->k + ball->swing) + p->turning * ball->radius;
  double margin = sinks > 0.0 ? p->least + sinks : p->least;
  return margin < p->most ? margin : p->most;
}

void ch_skin_leaf_over_plane(const ChSampling* s, const ChSkin* skin, const ChSkinNode* leaf,
                             const ChProbePlane* plane) {
  const int* vertices = skin->tree->vertices + leaf->vertex_first;
  for (int k = 0; k < leaf->vertex_own; ++k) {
    ChVec3 x = ch_sampling_place(s, ch_skin_vertex(skin, vertices[k]));
    ChProbeFoot foot = {ch_dot(plane->normal, x) - plane->offset, plane->normal, -1};
    if (foot.distance <= s->margin)
      ch_sampling_add(s, x, &foot, CH_SAMPLE_CORNER, 0, &(ChSampleName){vertices[k], vertices[k]});
  }
}

// Leaves that are nearer than `covered`.
static void keep_leaf(const Plane* p, const ChSkin* skin, int index, ChLeafList* list) {
  const ChSkinNode* node = &skin->tree->nodes[index];
  const int* vertices = skin->tree->vertices + node->vertex_first;
  bool near = false;
  for (int k = 0; k < node->vertex_count && !near; ++k)
    near = ch_dot(p->n, ch_skin_vertex(skin, vertices[k])) + p->h <= list->covered;
  if (near) ch_leaf_list_add(list, &(ChNearLeaf){.node = index}, NULL);
}

static void walk(ChSampling* s, const Plane* p, const ChSkin* skin, const ChProbePlane* plane, ChLeafList* list) {
  int stack[STACK], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    int index = stack[--depth];
    const ChSkinNode* node = &skin->tree->nodes[index];
    ChBall room;
    const ChBall* ball = ch_skin_ball(skin, index, &room);
    s->margin = list ? list->covered : margin_of(p, ball);
    if (!(ch_dot(p->n, ball->centre) + p->h - ball->radius <= s->margin)) continue;
    if (node->count > 0 && list)
      keep_leaf(p, skin, index, list);
    else if (node->count > 0)
      ch_skin_leaf_over_plane(s, skin, node, plane);
    else if (depth + 2 <= STACK)
      stack[depth++] = node->first + 1, stack[depth++] = node->first;
  }
}

void ch_skin_over_plane(const ChSampling* sampling, const ChClosing* closing, const ChSkin* skin, ChLeafList* list) {
  ChSampling s = *sampling;
  const Plane p = plane_of(&s, closing);
  const ChProbePlane plane = {s.probe.normal, s.probe.offset};
  bool covers = list && ch_leaf_list_covers(list, &s, skin, closing->most);
  if (list && !covers && ch_leaf_list_begin(list, &s, skin, closing)) {
    walk(&s, &p, skin, &plane, list);
    covers = list->covered > 0.0;
  }
  if (!covers) walk(&s, &p, skin, &plane, NULL);
  s.margin = p.most;
  for (int k = 0; covers && k < list->count; ++k)
    ch_skin_leaf_over_plane(&s, skin, &skin->tree->nodes[list->leaves[k].node], &plane);
}
