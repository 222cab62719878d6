// The nearest point of a deformed skin, with sign: see skin.h. As in model/mesh_distance.h, on what moves.
#include "collide/skin.h"
#include "model/triangle_foot.h"

enum { STACK = 64 };                   // the tree is halved at every level
static const double WRONG_SIDE = 4.0;  // how much farther a triangle seems for not facing the one who asks
static const double AWAY = 0.5;        // cosine of normals above which two bodies face the same way

typedef struct Search {
  const ChSkin* skin;
  ChVec3 x, outward;
  bool leaves;   // from inside: triangles are weighted, and only those count that x is behind of
  double best2;  // square of the weighted distance
  int triangle;
  ChTriangleFoot foot;
} Search;

static ChVec3 area_of(const ChSkin* skin, int triangle) {
  ChVec3 p[3];
  ch_skin_corners(skin, triangle, p);
  return ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0]));
}

static void try_triangle(Search* s, int triangle) {
  ChVec3 p[3];
  ch_skin_corners(s->skin, triangle, p);
  ChTriangleFoot foot = ch_triangle_foot(p[0], p[1], p[2], s->x);
  ChVec3 apart = ch_sub(s->x, foot.point);
  double d2 = ch_dot(apart, apart);
  if (!(d2 < s->best2)) return;
  if (s->leaves) {
    ChVec3 normal = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
    if (!(ch_dot(normal, ch_sub(s->x, p[0])) < 0.0)) return;
    double weight = 1.0 + WRONG_SIDE * (1.0 + ch_dot(normal, s->outward));
    d2 *= weight * weight;
    if (!(d2 < s->best2)) return;
  }
  s->best2 = d2;
  s->triangle = triangle;
  s->foot = foot;
}

// Square of the least distance that anything in the ball can have.
static double least2(const Search* s, int node) {
  ChBall ball = ch_skin_ball(s->skin, node);
  double apart = ch_norm(ch_sub(s->x, ball.centre)) - ball.radius;
  return apart > 0.0 ? apart * apart : 0.0;
}

static void search(Search* s) {
  struct {
    int node;
    double d2;
  } stack[STACK];
  const ChSkinTree* tree = s->skin->tree;
  int depth = 1;
  stack[0].node = 0;
  stack[0].d2 = least2(s, 0);
  while (depth > 0) {
    --depth;
    if (!(stack[depth].d2 < s->best2)) continue;
    const ChSkinNode* node = &tree->nodes[stack[depth].node];
    if (node->count > 0) {
      for (int k = node->first; k < node->first + node->count; ++k) try_triangle(s, tree->triangles[k]);
      continue;
    }
    double d2[2] = {least2(s, node->first), least2(s, node->first + 1)};
    int far = d2[0] > d2[1] ? 0 : 1;  // the nearer one lies on top
    for (int k = 0; k < 2 && depth < STACK; ++k, ++depth) {
      int child = k == 0 ? far : 1 - far;
      stack[depth].node = node->first + child;
      stack[depth].d2 = d2[child];
    }
  }
}

// The normal of a vertex's triangles weighted by their angles (Baerentzen, Aanaes 2005).
static ChVec3 corner_normal(const ChSkin* skin, int vertex) {
  const ChSkinTree* tree = skin->tree;
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int k = tree->fan_start[vertex]; k < tree->fan_start[vertex + 1]; ++k) {
    const int* v = &tree->soft->skin.triangles[3 * tree->fan[k]];
    int c = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
    ChVec3 p[3];
    ch_skin_corners(skin, tree->fan[k], p);
    ChVec3 a = ch_sub(p[(c + 1) % 3], p[c]), b = ch_sub(p[(c + 2) % 3], p[c]), area = ch_cross(a, b);
    sum = ch_along(sum, atan2(ch_norm(area), ch_dot(a, b)), ch_unit(area));
  }
  return ch_unit(sum);
}

static ChVec3 feature_normal(const ChSkin* skin, int triangle, int feature) {
  const ChSoftSkin* rest = &skin->tree->soft->skin;
  if (feature >= 4) return corner_normal(skin, rest->triangles[3 * triangle + feature - 4]);
  ChVec3 own = ch_unit(area_of(skin, triangle));
  int other = feature > 0 ? rest->across[3 * triangle + feature - 1] : -1;
  return other < 0 ? own : ch_unit(ch_add(own, ch_unit(area_of(skin, other))));
}

// Of the triangles that meet in a feature, the normal of the one that faces the asking body most.
static ChVec3 facing_normal(const Search* s) {
  const ChSkinTree* tree = s->skin->tree;
  const ChSoftSkin* rest = &tree->soft->skin;
  ChVec3 best = ch_unit(area_of(s->skin, s->triangle));
  int first = 0, last = 1, edge = s->foot.feature - 1;
  int vertex = edge >= 3 ? rest->triangles[3 * s->triangle + edge - 3] : -1;
  if (vertex >= 0) first = tree->fan_start[vertex], last = tree->fan_start[vertex + 1];
  for (int k = first; k < last; ++k) {
    int other = vertex >= 0 ? tree->fan[k] : rest->across[3 * s->triangle + edge];
    ChVec3 normal = ch_unit(area_of(s->skin, other));
    if (ch_dot(normal, s->outward) < ch_dot(best, s->outward) - 1e-9) best = normal;
  }
  return best;
}

static ChSkinFoot foot_of(const Search* s, bool inside) {
  ChVec3 apart = ch_sub(s->x, s->foot.point), normal = feature_normal(s->skin, s->triangle, s->foot.feature);
  double height = ch_dot(apart, normal), distance = ch_norm(apart);
  double side = inside || height < 0.0 ? -1.0 : 1.0;
  ChSkinFoot foot = {side * distance, normal, s->triangle};
  if (s->foot.feature == 0) return foot;
  // Over a face the direction is the face's. On an edge or corner itself it is lost to rounding, and any of the faces'
  // will do.
  if (distance > 1e-9 * s->skin->bound)
    foot.normal = ch_scale(side / distance, apart);
  else if (!ch_vec_is_zero(s->outward))
    foot.normal = facing_normal(s);
  return foot;
}

bool ch_skin_foot(const ChSkin* skin, ChVec3 x, ChVec3 outward, double within, int start, ChSkinFoot* out) {
  Search s = {.skin = skin, .x = x, .outward = outward, .best2 = INFINITY, .triangle = -1};
  if (start >= 0) try_triangle(&s, start);
  search(&s);
  if (s.triangle < 0) return false;
  *out = foot_of(&s, false);
  bool asked = !ch_vec_is_zero(outward);
  if (out->distance >= 0.0) return out->distance <= within && !(asked && ch_dot(out->normal, outward) > AWAY);
  if (!asked) return true;
  Search exit = {.skin = skin, .x = x, .outward = outward, .leaves = true, .triangle = -1};
  double farthest = -(1.0 + 2.0 * WRONG_SIDE) * out->distance;
  exit.best2 = farthest * farthest * (1.0 + 1e-12);
  try_triangle(&exit, s.triangle);
  search(&exit);
  if (exit.triangle >= 0) *out = foot_of(&exit, true);
  return true;
}
