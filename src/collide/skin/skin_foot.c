// The nearest point of a deformed skin, with sign: see skin.h. As in model/mesh/mesh_distance.h, on what moves.
#include "collide/skin/skin.h"
#include "model/mesh/triangle_foot.h"

enum { STACK = 64, STROLL = 16 };      // the tree is halved at every level; triangles
static const double WRONG_SIDE = 4.0;  // how much farther a triangle seems for not facing the one who asks
static const double OPPOSED = -0.98;   // cosine of normals below which no other triangle can be better by much
static const double ALONG = -0.35;     // cosine of normals above which the way to a rim leads along the asking body
static const double SAME = 0.25;       // cosine of normals above which a face is no way out if another one is near:
static const double NEAR_RIM = 0.03;   // in parts of the skin's radius; and so near is on the rim:
static const double ON_RIM = 0.003;
static const double AWAY = 0.5;  // cosine of normals above which two bodies face the same way

typedef struct Search {
  const ChSkin* skin;
  ChVec3 x, outward;
  bool opposed;        // only triangles that do not face as the one who asks
  bool leaves;         // from inside: triangles are weighted, and only those count that x is behind of
  double best2, best;  // the least weighted distance so far, and its square
  int triangle;
  ChTriangleFoot foot;
} Search;

// What is as near as the best to rounding is asked, too: of equals the first counts, however they are come by.
#define TIE (1.0 + 1e-12)

// A triangle is no nearer than its plane, which is soon asked.
static bool try_triangle(Search* s, int triangle) {
  ChVec3 p[3], normal = ch_skin_normal(s->skin, triangle);
  ChVec3 on = ch_skin_vertex(s->skin, s->skin->tree->soft->skin.triangles[3 * triangle]);
  double height = ch_dot(normal, ch_sub(s->x, on)), weight = 1.0;
  if (s->leaves) {
    if (!(height < 0.0)) return false;
    const double facing = ch_dot(normal, s->outward);
    if (s->opposed && facing > SAME) return false;
    weight = 1.0 + WRONG_SIDE * (1.0 + facing);
  }
  if (!(weight * weight * height * height <= TIE * s->best2)) return false;
  ch_skin_corners(s->skin, triangle, p);
  ChTriangleFoot foot = ch_triangle_foot(p[0], p[1], p[2], s->x);
  ChVec3 apart = ch_sub(s->x, foot.point);
  double d2 = weight * weight * ch_dot(apart, apart);
  if (!(d2 < s->best2 || (d2 == s->best2 && triangle < s->triangle))) return false;
  s->best2 = d2, s->best = sqrt(d2);
  s->triangle = triangle;
  s->foot = foot;
  return true;
}

// From triangle to triangle as long as the next one is nearer: where the last search ended is mostly not far.
static void stroll(Search* s, int start) {
  const int* across = s->skin->tree->soft->skin.across;
  if (!try_triangle(s, start)) return;
  for (int k = 0; k < STROLL && s->foot.feature > 0; ++k) {
    int here = s->triangle,
        edge = (s->foot.feature - 1) % 3;  // a corner: the edge that begins there, and the one before
    bool nearer = try_triangle(s, across[3 * here + edge]);
    if (!nearer && s->foot.feature >= 4) nearer = try_triangle(s, across[3 * here + (edge + 2) % 3]);
    if (!nearer) return;
  }
}

typedef struct Reached {
  int node;
  double apart2, radius;  // of the ball's centre from x
} Reached;

static inline Reached reach(const Search* s, int node) {
  ChBall room;
  const ChBall* ball = ch_skin_ball(s->skin, node, &room);
  ChVec3 apart = ch_sub(s->x, ball->centre);
  return (Reached){node, ch_dot(apart, apart), ball->radius};
}

// Exactly those triangles that a quick look finds near enough, the nearest first.
static void try_leaf(Search* s, int index) {
  const ChSkinTree* tree = s->skin->tree;
  const ChSkinNode* node = &tree->nodes[index];
  ChBox3 box_room;
  if (!(ch_box_distance2(ch_skin_box(s->skin, index, &box_room), s->x) <= TIE * s->best2)) return;
  ChSkinLeaf room;
  const ChSkinLeaf* leaf = ch_skin_leaf(s->skin, index, &room);
  float about2[CH_SKIN_LEAF], facing[CH_SKIN_LEAF];
  double heaviest = s->leaves ? 1.0 + 2.0 * WRONG_SIDE : 1.0;  // weight, and so of what distances are off by
  ch_skin_leaf_distances(leaf, s->x, about2);
  if (s->leaves) {
    ch_skin_leaf_facing(leaf, s->outward, facing);
    for (int k = 0; k < CH_SKIN_LEAF; ++k) {
      float weight = 1.0f + (float)WRONG_SIDE * (1.0f + facing[k]);
      about2[k] *= weight * weight;
    }
  }
  int nearest = 0;
  for (int k = 1; k < node->count; ++k)
    if (about2[k] < about2[nearest]) nearest = k;
  for (int k = -1; k < node->count; ++k) {
    double most = s->best + heaviest * ch_skin_leaf_slack(leaf, s->best),
           limit = isfinite(most) ? most * most : INFINITY;
    int lane = k < 0 ? nearest : k;
    if (!(about2[lane] > limit) && k != nearest) try_triangle(s, tree->triangles[node->first + lane]);
    if (k < 0 && about2[lane] > limit) return;
  }
}

static inline bool is_worth_it(const Search* s, const Reached* r) {
  double most = s->best + r->radius;
  return r->apart2 <= TIE * most * most;
}

static void search(Search* s) {
  Reached stack[STACK];
  const ChSkinNode* nodes = s->skin->tree->nodes;
  int depth = 1;
  stack[0] = reach(s, 0);
  while (depth > 0) {
    const Reached* here = &stack[--depth];
    if (!is_worth_it(s, here)) continue;
    const ChSkinNode* node = &nodes[here->node];
    if (node->count > 0) {
      try_leaf(s, here->node);
      continue;
    }
    Reached one = reach(s, node->first), other = reach(s, node->first + 1);
    if (depth + 2 > STACK) return;
    bool nearer = one.apart2 < other.apart2;  // it lies on top
    if (is_worth_it(s, nearer ? &other : &one)) stack[depth++] = nearer ? other : one;
    if (is_worth_it(s, nearer ? &one : &other)) stack[depth++] = nearer ? one : other;
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
    ChVec3 a = ch_sub(p[(c + 1) % 3], p[c]), b = ch_sub(p[(c + 2) % 3], p[c]);
    sum = ch_along(sum, atan2(ch_norm(ch_cross(a, b)), ch_dot(a, b)), ch_skin_normal(skin, tree->fan[k]));
  }
  return ch_unit(sum);
}

static ChVec3 feature_normal(const ChSkin* skin, int triangle, int feature) {
  const ChSoftSkin* rest = &skin->tree->soft->skin;
  if (feature >= 4) return corner_normal(skin, rest->triangles[3 * triangle + feature - 4]);
  ChVec3 own = ch_skin_normal(skin, triangle);
  int other = feature > 0 ? rest->across[3 * triangle + feature - 1] : -1;
  return other < 0 ? own : ch_unit(ch_add(own, ch_skin_normal(skin, other)));
}

// Of the triangles that meet in a feature, the normal of the one that faces the asking body most.
static ChVec3 facing_normal(const Search* s) {
  const ChSkinTree* tree = s->skin->tree;
  const ChSoftSkin* rest = &tree->soft->skin;
  ChVec3 best = ch_skin_normal(s->skin, s->triangle);
  int first = 0, last = 1, edge = s->foot.feature - 1;
  int vertex = edge >= 3 ? rest->triangles[3 * s->triangle + edge - 3] : -1;
  if (vertex >= 0) first = tree->fan_start[vertex], last = tree->fan_start[vertex + 1];
  for (int k = first; k < last; ++k) {
    int other = vertex >= 0 ? tree->fan[k] : rest->across[3 * s->triangle + edge];
    ChVec3 normal = ch_skin_normal(s->skin, other);
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
  // will do. So it does where the direction leads along the asking body, as where the rims of two cubes meet.
  bool asked = !ch_vec_is_zero(s->outward), there = distance <= 1e-9 * s->skin->bound;
  if (!there) foot.normal = ch_scale(side / distance, apart);
  if (asked && (there || (distance <= ON_RIM * s->skin->bound && ch_dot(foot.normal, s->outward) > ALONG))) {
    foot.normal = facing_normal(s);
    foot.distance = ch_dot(apart, foot.normal);
  }
  return foot;
}

// The leaf with the nearest box first: it leaves little to do for the others.
static void try_near(Search* s, const ChSkinNear* near) {
  int first = 0;
  double least2 = INFINITY;
  for (int k = 0; k < near->count && near->count > 1; ++k) {
    ChBox3 room;
    double apart2 = ch_box_distance2(ch_skin_box(s->skin, near->leaves[k], &room), s->x);
    if (apart2 < least2) least2 = apart2, first = k;
  }
  if (near->count > 0) try_leaf(s, near->leaves[first]);
  for (int k = 0; k < near->count; ++k)
    if (k != first) try_leaf(s, near->leaves[k]);
}

// Nothing is nearer to x than this but what is listed.
static double known_about(const ChSkinNear* near, ChVec3 x) {
  double radius = near->radius * (1.0 - 1e-12) - ch_norm(ch_sub(x, near->at));
  return radius < near->within ? radius : near->within;
}

// Just inside of a rim the nearest face may be the one that both bodies have in common, as the sides of two cubes on
// each other. Out of it they would slide along each other, and sink.
static void leave_by_another_face(const ChSkin* skin, ChVec3 x, ChVec3 outward, ChSkinFoot* out) {
  Search other = {.skin = skin, .x = x, .outward = outward, .leaves = true, .opposed = true, .triangle = -1};
  other.best = (1.0 + 2.0 * WRONG_SIDE) * NEAR_RIM * skin->bound;
  other.best2 = other.best * other.best;
  search(&other);
  if (other.triangle < 0) return;
  ChSkinFoot foot = foot_of(&other, true);
  if (foot.distance < 0.0 && -foot.distance <= NEAR_RIM * skin->bound) *out = foot;
}

bool ch_skin_foot(const ChSkin* skin, ChVec3 x, ChVec3 outward, double within, bool outside, int start,
                  const ChSkinNear* near, ChSkinFoot* out) {
  double most = outside ? within * (1.0 + 1e-12) : INFINITY;
  Search s = {.skin = skin, .x = x, .outward = outward, .best2 = most * most, .best = most, .triangle = -1};
  if (near) try_near(&s, near);
  if (!(near && s.best < known_about(near, x))) {
    if (s.triangle < 0 && start >= 0) stroll(&s, start);
    search(&s);
  }
  if (s.triangle < 0) return false;
  *out = foot_of(&s, false);
  bool asked = !ch_vec_is_zero(outward);
  if (out->distance >= 0.0) return out->distance <= within && !(asked && ch_dot(out->normal, outward) > AWAY);
  if (!asked || ch_dot(out->normal, outward) < OPPOSED) return true;
  Search exit = {.skin = skin, .x = x, .outward = outward, .leaves = true, .triangle = -1};
  exit.best = -(1.0 + 2.0 * WRONG_SIDE) * (1.0 + 1e-12) * out->distance;
  exit.best2 = exit.best * exit.best;
  try_triangle(&exit, s.triangle);
  search(&exit);
  if (exit.triangle >= 0) *out = foot_of(&exit, true);
  if (ch_dot(out->normal, outward) > SAME) leave_by_another_face(skin, x, outward, out);
  return true;
}
