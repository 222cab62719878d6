// See self_touch.h.
#include "collide/skin/self_touch.h"

#include "model/mesh/triangle_foot.h"

enum { STACK = 64 };
static const double FACING = 0.25;  // cosine: two triangles of a rounded inner corner do not look at each other
static const double HALF = 0.5;     // of the thickness
static const double MOVES = 1e-9;   // share of what modes move of a point that counts as moving it apart

typedef struct Search {
  const ChSkin* skin;
  int vertex;
  ChVec3 x, outward;
  double before, behind;  // how far triangles may be that the vertex is before, and behind
  double best;
  int triangle;  // -1: none
  ChVec3 foot, normal;
  double height;
} Search;

static void try_triangle(Search* s, int triangle) {
  const int* v = &s->skin->tree->soft->skin.triangles[3 * triangle];
  if (v[0] == s->vertex || v[1] == s->vertex || v[2] == s->vertex) return;
  const ChVec3 n = ch_skin_normal(s->skin, triangle);
  if (!(ch_dot(n, s->outward) < -FACING)) return;
  ChVec3 p[3];
  ch_skin_corners(s->skin, triangle, p);
  const double height = ch_dot(n, ch_sub(s->x, p[0])), most = fmin(s->best, height < 0.0 ? s->behind : s->before);
  if (!(fabs(height) <= most)) return;
  const ChVec3 foot = ch_triangle_foot(p[0], p[1], p[2], s->x).point, apart = ch_sub(s->x, foot);
  const double distance = ch_norm(apart);
  if (!(distance <= most) || (distance == s->best && triangle > s->triangle)) return;
  if (height >= 0.0 && ch_dot(apart, s->outward) > 0.0) return;  // round a corner: it does not look that way
  s->best = distance, s->triangle = triangle, s->foot = foot, s->normal = n, s->height = height;
}

static bool is_near(const Search* s, int node) {
  ChBall room;
  const ChBall* ball = ch_skin_ball(s->skin, node, &room);
  const ChVec3 apart = ch_sub(s->x, ball->centre);
  const double reach = fmin(s->best, fmax(s->before, s->behind)) + ball->radius;
  return ch_dot(apart, apart) <= reach * reach;
}

static void search(Search* s) {
  const ChSkinTree* tree = s->skin->tree;
  int stack[STACK], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int index = stack[--depth];
    if (!is_near(s, index)) continue;
    const ChSkinNode* node = &tree->nodes[index];
    for (int k = node->first; k < node->first + node->count; ++k) try_triangle(s, tree->triangles[k]);
    if (node->count == 0 && depth + 2 <= STACK) stack[depth++] = node->first + 1, stack[depth++] = node->first;
  }
}

static Search search_of(const ChSkin* skin, int vertex, double before, double behind) {
  return (Search){.skin = skin,
                  .vertex = vertex,
                  .x = ch_skin_vertex(skin, vertex),
                  .outward = ch_skin_outward(skin, vertex),
                  .before = before,
                  .behind = behind,
                  .best = INFINITY,
                  .triangle = -1};
}

double* ch_self_depths(ChArena* arena, const ChSkinTree* tree) {
  const int count = tree->soft->skin.vertex_count;
  const double* still = CH_TAKE(arena, tree->soft->modes, double);
  double* depths = CH_TAKE(arena, count, double);
  ChSkin rest;
  ch_skin_init(arena, tree, &rest);
  ch_skin_move(&rest, still, still, 0.0);
  rest.alone = true;
  for (int v = 0; v < count; ++v) {
    Search s = search_of(&rest, v, -1.0, INFINITY);
    search(&s);
    depths[v] = HALF * fmin(s.best, rest.bound);
  }
  return depths;
}

// Whether the modes can part vertex and foot at all: a vertex and a triangle on a part that moves as one never do.
static bool can_part(const Search* s) {
  const ChSoft* soft = s->skin->tree->soft;
  const int modes = soft->modes, *corner = &soft->skin.triangles[3 * s->triangle];
  double weights[3], apart2 = 0.0, own2 = 0.0;
  ChVec3 p[3];
  ch_skin_corners(s->skin, s->triangle, p);
  ch_skin_weights(p, s->foot, weights);
  for (int a = 0; a < modes; ++a) {
    double own = 0.0, other = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double n = ch_component(s->normal, i);
      own += n * soft->skin.shape[(3L * s->vertex + i) * modes + a];
      for (int k = 0; k < 3; ++k) other += weights[k] * n * soft->skin.shape[(3L * corner[k] + i) * modes + a];
    }
    apart2 += (own - other) * (own - other), own2 += own * own + other * other;
  }
  return apart2 > MOVES * own2;
}

void ch_pair_soft_self(const ChPosed* shape, const double* depths, double margin, ChManifold* out) {
  const ChSkin* skin = shape->skin;
  const int count = skin->tree->soft->skin.vertex_count;
  for (int v = 0; v < count; ++v) {
    Search s = search_of(skin, v, margin, depths[v]);
    search(&s);
    if (s.triangle < 0 || !can_part(&s)) continue;
    const ChVec3 apart = ch_sub(s.x, s.foot);
    const bool direct = s.height >= 0.0 && s.best > 1e-9 * skin->bound;
    const ChVec3 n = direct ? ch_scale(1.0 / s.best, apart) : s.normal;
    const double gap = s.height >= 0.0 ? s.best : s.height;
    const ChVec3 middle = ch_along(s.x, -0.5 * gap, n);
    const int before = out->count;
    ch_manifold_add(out, ch_add(shape->frame.at, ch_mat_apply(&shape->turn, middle)),
                    ch_neg(ch_mat_apply(&shape->turn, n)), gap, (uint64_t)v);
    if (out->count == before) return;
    out->points[before].skin[0] = v;
    out->points[before].skin[1] = -2 - s.triangle;
  }
}
