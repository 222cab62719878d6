// See skin.h.
#include "collide/skin/skin.h"

#include <string.h>

#include "linalg/quad.h"

// Of everything that is worked out on demand: one array, so that it is forgotten at once.
static size_t state_count(const ChSkinTree* tree) {
  const ChSoftSkin* rest = &tree->soft->skin;
  return (size_t)rest->vertex_count + (size_t)rest->triangle_count + (size_t)tree->node_count +
         2 * (size_t)tree->leaf_count;
}

void ch_skin_init(ChArena* arena, const ChSkinTree* tree, ChSkin* skin) {
  const ChSoftSkin* rest = &tree->soft->skin;
  *skin = (ChSkin){.tree = tree};
  skin->forms = CH_TAKE(arena, 4 * tree->soft->modes, double);
  skin->moves = CH_TAKE(arena, 4 * tree->soft->modes, double);
  skin->vertices = CH_TAKE_RAW(arena, rest->vertex_count, ChVec3);
  skin->balls = CH_TAKE_RAW(arena, tree->node_count, ChBall);
  skin->normals = CH_TAKE_RAW(arena, rest->triangle_count, ChVec3);
  skin->boxes = CH_TAKE_RAW(arena, tree->leaf_count, ChBox3);
  skin->leaves = CH_TAKE_RAW(arena, tree->leaf_count, ChSkinLeaf);
  skin->vertex_state = CH_TAKE(arena, state_count(tree), atomic_uchar);
  skin->normal_state = skin->vertex_state + rest->vertex_count;
  skin->ball_state = skin->normal_state + rest->triangle_count;
  skin->box_state = skin->ball_state + tree->node_count;
  skin->leaf_state = skin->box_state + tree->leaf_count;
}

// Along each axis a vertex moves by no less than sum_a min(q_a low_a, q_a high_a), and no more than the like maximum.
static ChBox3 box_of(const ChSkin* skin) {
  const ChSkinTree* tree = skin->tree;
  double low[3] = {tree->rest.low.x, tree->rest.low.y, tree->rest.low.z};
  double high[3] = {tree->rest.high.x, tree->rest.high.y, tree->rest.high.z};
  for (int k = 0; k < 3 * tree->soft->modes; ++k) {
    double a = skin->q[k / 3] * tree->low[k], b = skin->q[k / 3] * tree->high[k];
    low[k % 3] += fmin(a, b), high[k % 3] += fmax(a, b);
  }
  double slack = 0.0;
  for (int i = 0; i < 3; ++i) slack += 1e-13 * (fabs(low[i]) + fabs(high[i]));
  return (ChBox3){ch_vec(low[0] - slack, low[1] - slack, low[2] - slack),
                  ch_vec(high[0] + slack, high[1] + slack, high[2] + slack)};
}

void ch_skin_move(ChSkin* skin, const double* q, const double* rates, double ahead) {
  const ChSkinTree* tree = skin->tree;
  skin->q = q, skin->rates = rates, skin->ahead = ahead;
  skin->speed = 0.0;
  for (int a = 0; a < tree->soft->modes; ++a) {
    for (int i = 0; i < 4; ++i) {
      skin->forms[4 * a + i] = i < 3 ? q[a] : fabs(q[a]);
      skin->moves[4 * a + i] = i < 3 ? rates[a] : fabs(rates[a]);
    }
    skin->speed += fabs(rates[a]) * tree->reach[a];
  }
  ChBox3 box = skin->box = box_of(skin);
  skin->bound = ch_norm(ch_vec(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)),
                               fmax(fabs(box.low.z), fabs(box.high.z))));
  memset(skin->vertex_state, CH_SKIN_UNKNOWN, state_count(tree) * sizeof *skin->vertex_state);
}

// True for the one who may keep what he has worked out; he settles it.
static bool claim(const ChSkin* skin, atomic_uchar* state) {
  unsigned char expected = CH_SKIN_UNKNOWN;
  if (skin->alone) return atomic_load_explicit(state, memory_order_relaxed) == expected;
  return atomic_compare_exchange_strong_explicit(state, &expected, CH_SKIN_BUSY, memory_order_relaxed,
                                                 memory_order_relaxed);
}

static void settle(atomic_uchar* state) { atomic_store_explicit(state, CH_SKIN_KNOWN, memory_order_release); }

// y of the four vertices of a block, by their coordinates; modes in two sums, so that neither waits for the other.
static void deform(const ChSkin* skin, int block, double y[3][CH_SKIN_BLOCK]) {
  const ChSkinTree* tree = skin->tree;
  const int modes = tree->soft->modes;
  const ChQuad* rest = (const ChQuad*)tree->block_rest + 3L * block;
  const ChQuad* u = (const ChQuad*)tree->block_shape + 3L * block * modes;
  ChQuad x = rest[0], x2 = {0.0}, y_ = rest[1], y2 = {0.0}, z = rest[2], z2 = {0.0};
  int a = 0;
  for (; a + 2 <= modes; a += 2, u += 6) {
    const double p = skin->q[a], q = skin->q[a + 1];
    x += u[0] * p, y_ += u[1] * p, z += u[2] * p;
    x2 += u[3] * q, y2 += u[4] * q, z2 += u[5] * q;
  }
  if (a < modes) x += u[0] * skin->q[a], y_ += u[1] * skin->q[a], z += u[2] * skin->q[a];
  *(ChQuad*)y[0] = x + x2, *(ChQuad*)y[1] = y_ + y2, *(ChQuad*)y[2] = z + z2;
}

// A vertex comes with the others of its block.
ChVec3 ch_skin_make_vertex(const ChSkin* skin, int v) {
  const int block = skin->tree->block_of[v], *vertices = skin->tree->blocks + CH_SKIN_BLOCK * block;
  double y[3][CH_SKIN_BLOCK];
  ChVec3 asked = ch_vec(0.0, 0.0, 0.0);
  deform(skin, block, y);
  for (int k = 0; k < CH_SKIN_BLOCK; ++k) {
    ChVec3 at = ch_vec(y[0][k], y[1][k], y[2][k]);
    if (vertices[k] == v) asked = at;
    if (!claim(skin, &skin->vertex_state[vertices[k]])) continue;
    skin->vertices[vertices[k]] = at;
    settle(&skin->vertex_state[vertices[k]]);
  }
  return asked;
}

// sum_a sway_a q_a, sum_a delta_a |q_a|; in two sums, so that neither waits for the other.
static void sway_by(int modes, const double* sway, const double* by, double sum[4]) {
  const ChQuad *u = (const ChQuad*)sway, *q = (const ChQuad*)by;
  ChQuad one = {0.0}, two = {0.0};
  for (int a = 0; a + 2 <= modes; a += 2) one += u[a] * q[a], two += u[a + 1] * q[a + 1];
  if (modes % 2) one += u[modes - 1] * q[modes - 1];
  *(ChQuad*)sum = one + two;
}

ChBall ch_skin_make_ball(const ChSkin* skin, int node) {
  const ChSkinTree* tree = skin->tree;
  int modes = tree->soft->modes;
  double form[4], move[4];
  sway_by(modes, tree->sway + 4L * node * modes, skin->forms, form);
  ChBall ball = {ch_add(tree->nodes[node].centre, ch_vec(form[0], form[1], form[2])),
                 tree->nodes[node].radius + form[3], 0.0};
  ball.radius += 1e-12 * (ball.radius + ch_norm(ball.centre));  // rounding
  if (skin->ahead > 0.0) {
    sway_by(modes, tree->sway + 4L * node * modes, skin->moves, move);
    ball.swing = (1.0 + 1e-9) * skin->ahead * (ch_norm(ch_vec(move[0], move[1], move[2])) + move[3]);
  }
  if (claim(skin, &skin->ball_state[node])) {
    skin->balls[node] = ball;
    settle(&skin->ball_state[node]);
  }
  return ball;
}

ChVec3 ch_skin_make_normal(const ChSkin* skin, int triangle) {
  ChVec3 p[3];
  ch_skin_corners(skin, triangle, p);
  ChVec3 normal = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
  if (claim(skin, &skin->normal_state[triangle])) {
    skin->normals[triangle] = normal;
    settle(&skin->normal_state[triangle]);
  }
  return normal;
}

ChBox3 ch_skin_make_box(const ChSkin* skin, int node) {
  const ChSkinNode* at = &skin->tree->nodes[node];
  const int* vertices = skin->tree->vertices + at->vertex_first;
  ChVec3 low = ch_skin_vertex(skin, vertices[0]), high = low;
  for (int k = 1; k < at->vertex_count; ++k) {
    ChVec3 y = ch_skin_vertex(skin, vertices[k]);
    low = ch_vec(y.x < low.x ? y.x : low.x, y.y < low.y ? y.y : low.y, y.z < low.z ? y.z : low.z);
    high = ch_vec(y.x > high.x ? y.x : high.x, y.y > high.y ? y.y : high.y, y.z > high.z ? y.z : high.z);
  }
  ChBox3 box = {low, high};
  if (claim(skin, &skin->box_state[at->leaf])) {
    skin->boxes[at->leaf] = box;
    settle(&skin->box_state[at->leaf]);
  }
  return box;
}

const ChSkinLeaf* ch_skin_make_leaf(const ChSkin* skin, int node, ChSkinLeaf* room) {
  const ChSkinNode* at = &skin->tree->nodes[node];
  ChVec3 vertices[3 * CH_SKIN_LEAF];
  ChBox3 box;
  for (int k = 0; k < at->vertex_count; ++k)
    vertices[k] = ch_skin_vertex(skin, skin->tree->vertices[at->vertex_first + k]);
  bool keeps = claim(skin, &skin->leaf_state[at->leaf]);
  ChSkinLeaf* leaf = keeps ? &skin->leaves[at->leaf] : room;
  ch_skin_leaf_fill(at->count, &skin->tree->corners[3 * at->first], vertices, ch_skin_box(skin, node, &box), leaf);
  if (keeps) settle(&skin->leaf_state[at->leaf]);
  return leaf;
}

ChVec3 ch_skin_outward(const ChSkin* skin, int vertex) {
  const ChSkinTree* tree = skin->tree;
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int k = tree->fan_start[vertex]; k < tree->fan_start[vertex + 1]; ++k) {
    ChVec3 p[3];
    ch_skin_corners(skin, tree->fan[k], p);
    sum = ch_add(sum, ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
  }
  return ch_unit(sum);
}

// Areas of the parts that the point cuts the triangle into.
void ch_skin_weights(const ChVec3 p[3], ChVec3 x, double weights[3]) {
  ChVec3 area = ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0]));
  double whole = ch_dot(area, area);
  for (int k = 1; k < 3; ++k) {
    ChVec3 from = p[(k + 1) % 3], edge = ch_sub(p[(k + 2) % 3], from);
    weights[k] = whole > 0.0 ? ch_dot(area, ch_cross(edge, ch_sub(x, from))) / whole : 1.0 / 3.0;
  }
  weights[0] = 1.0 - weights[1] - weights[2];
}

ChVec3 ch_skin_displacement(const ChSkin* skin, int what, ChVec3 point, const double* q) {
  const ChSoft* soft = skin->tree->soft;
  if (what >= 0) return ch_soft_displacement(soft->modes, soft->skin.shape + 3L * what * soft->modes, q);
  ChVec3 corners[3], sum = ch_vec(0.0, 0.0, 0.0);
  double weights[3];
  ch_skin_corners(skin, -2 - what, corners);
  ch_skin_weights(corners, point, weights);
  for (int k = 0; k < 3; ++k) {
    int v = soft->skin.triangles[3 * (-2 - what) + k];
    sum = ch_along(sum, weights[k], ch_soft_displacement(soft->modes, soft->skin.shape + 3L * v * soft->modes, q));
  }
  return sum;
}
