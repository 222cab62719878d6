// See skin_tree.h.
#include "collide/skin/skin_tree.h"

#include <stdlib.h>
#include <string.h>

static const double FLAT = 0.86602540378443865;  // cosine of 30 degrees: what turns by less is not sharp

typedef struct Placed {
  double at;
  int triangle;
} Placed;

typedef struct Build {
  ChSkinTree* tree;
  const ChSoftSkin* skin;
  int modes;
  Placed* placed;
  int *list, *seen,
      *place;  // vertices of the node at hand; the node that saw a vertex last, plus one; where in the list
  bool* owned;
  int vertex_count;  // in the lists of the leaves so far
} Build;

static ChVec3 lower(ChVec3 a, ChVec3 b) { return ch_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static ChVec3 upper(ChVec3 a, ChVec3 b) { return ch_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

static ChVec3 mode_at(const Build* b, int vertex, int a) {
  const double* U = b->skin->shape + 3L * vertex * b->modes + a;
  return ch_vec(U[0], U[b->modes], U[2L * b->modes]);
}

// The corners of some triangles, each once.
static int list_vertices(Build* b, int node, int first, int count) {
  int listed = 0;
  for (int k = 3 * first; k < 3 * (first + count); ++k) {
    int v = b->skin->triangles[3 * b->tree->triangles[k / 3] + k % 3];
    if (b->seen[v] == node + 1) continue;
    b->seen[v] = node + 1;
    b->list[listed++] = v;
  }
  return listed;
}

static ChBox3 box_of(const Build* b, int count) {
  ChBox3 box = {b->skin->rest[b->list[0]], b->skin->rest[b->list[0]]};
  for (int k = 1; k < count; ++k) {
    box.low = lower(box.low, b->skin->rest[b->list[k]]);
    box.high = upper(box.high, b->skin->rest[b->list[k]]);
  }
  return box;
}

static void set_ball(Build* b, int node, ChBox3 box, int count) {
  ChSkinNode* ball = &b->tree->nodes[node];
  ball->centre = ch_scale(0.5, ch_add(box.low, box.high));
  for (int k = 0; k < count; ++k)
    ball->radius = fmax(ball->radius, ch_norm(ch_sub(b->skin->rest[b->list[k]], ball->centre)));
  double* sway = b->tree->sway + 4L * node * b->modes;
  for (int a = 0; a < b->modes; ++a) {
    ChVec3 low = mode_at(b, b->list[0], a), high = low;
    for (int k = 1; k < count; ++k) {
      ChVec3 u = mode_at(b, b->list[k], a);
      low = lower(low, u), high = upper(high, u);
    }
    ChVec3 middle = ch_scale(0.5, ch_add(low, high));
    double farthest = 0.0;
    for (int k = 0; k < count; ++k) farthest = fmax(farthest, ch_norm(ch_sub(mode_at(b, b->list[k], a), middle)));
    sway[4 * a] = middle.x, sway[4 * a + 1] = middle.y, sway[4 * a + 2] = middle.z;
    sway[4 * a + 3] = farthest;
  }
}

// Own vertices first, then those that an earlier leaf has; corners name places in that list.
static void make_leaf(Build* b, int node, int first, int count, int listed) {
  ChSkinTree* tree = b->tree;
  int own = 0, end = b->vertex_count;
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < listed; ++k) {
      int v = b->list[k];
      if (b->owned[v] != (round == 1)) continue;
      b->place[v] = end - b->vertex_count;
      tree->vertices[end++] = v;
    }
    if (round == 0) own = end - b->vertex_count;
  }
  // Marked after both rounds, so that the second lists other leaves' vertices only.
  for (int k = 0; k < own; ++k) b->owned[tree->vertices[b->vertex_count + k]] = true;
  for (int k = 3 * first; k < 3 * (first + count); ++k)
    tree->corners[k] = (uint8_t)b->place[b->skin->triangles[3 * tree->triangles[k / 3] + k % 3]];
  ChSkinNode* leaf = &tree->nodes[node];
  leaf->first = first, leaf->count = count;
  leaf->vertex_first = b->vertex_count, leaf->vertex_count = listed, leaf->vertex_own = own;
  b->vertex_count = end;
  leaf->leaf = tree->leaf_count++;
}

static int compare_placed(const void* a, const void* b) {
  const Placed *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void sort_triangles(Build* b, int axis, int first, int count) {
  for (int k = 0; k < count; ++k) {
    int t = b->tree->triangles[first + k];
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) sum += ch_component(b->skin->rest[b->skin->triangles[3 * t + c]], axis);
    b->placed[k] = (Placed){sum, t};
  }
  qsort(b->placed, (size_t)count, sizeof *b->placed, compare_placed);
  for (int k = 0; k < count; ++k) b->tree->triangles[first + k] = b->placed[k].triangle;
}

static void build_node(Build* b, int node, int first, int count) {
  int listed = list_vertices(b, node, first, count);
  ChBox3 box = box_of(b, listed);
  set_ball(b, node, box, listed);
  if (count <= CH_SKIN_LEAF) {
    make_leaf(b, node, first, count, listed);
    return;
  }
  ChVec3 side = ch_sub(box.high, box.low);
  int axis = side.x >= side.y ? (side.x >= side.z ? 0 : 2) : (side.y >= side.z ? 1 : 2);
  sort_triangles(b, axis, first, count);
  int child = b->tree->node_count;
  b->tree->node_count += 2;
  b->tree->nodes[node].first = child;
  build_node(b, child, first, count / 2);
  build_node(b, child + 1, first + count / 2, count - count / 2);
}

static ChVec3 rest_normal(const ChSoftSkin* skin, int triangle) {
  const int* v = &skin->triangles[3 * triangle];
  ChVec3 from = skin->rest[v[0]];
  return ch_unit(ch_cross(ch_sub(skin->rest[v[1]], from), ch_sub(skin->rest[v[2]], from)));
}

static bool is_sharp(const ChSoftSkin* skin, int triangle, int k) {
  const int* v = &skin->triangles[3 * triangle];
  int other = skin->across[3 * triangle + k];
  ChVec3 along = ch_unit(ch_sub(skin->rest[v[(k + 1) % 3]], skin->rest[v[k]]));
  ChVec3 own = rest_normal(skin, triangle), next = rest_normal(skin, other);
  return ch_dot(ch_cross(own, next), along) > 0.0 && ch_dot(own, next) < FLAT;
}

// An edge of two triangles is the lower one's.
static void list_edges(ChSkinTree* tree, const ChSoftSkin* skin) {
  int count = 0;
  for (int n = 0; n < tree->node_count; ++n) {
    ChSkinNode* node = &tree->nodes[n];
    node->edge_first = count;
    for (int k = 3 * node->first; k < 3 * (node->first + node->count); ++k) {
      int triangle = tree->triangles[k / 3], side = k % 3;
      if (skin->across[3 * triangle + side] < triangle) continue;
      tree->edges[count++] = (ChSkinEdge){tree->corners[k], tree->corners[k - side + (side + 1) % 3], (uint8_t)side,
                                          is_sharp(skin, triangle, side), triangle};
    }
    node->edge_count = count - node->edge_first;
  }
}

// Vertices side by side with those near them.
static void make_blocks(ChArena* arena, ChSkinTree* tree, const ChSoftSkin* skin) {
  int count = (skin->vertex_count + CH_SKIN_BLOCK - 1) / CH_SKIN_BLOCK, modes = tree->soft->modes, placed = 0;
  tree->block_of = CH_TAKE(arena, skin->vertex_count, int);
  tree->blocks = CH_TAKE(arena, CH_SKIN_BLOCK * count, int);
  tree->block_rest = CH_TAKE(arena, 3L * CH_SKIN_BLOCK * count, double);
  tree->block_shape = CH_TAKE(arena, 3L * CH_SKIN_BLOCK * count * modes, double);
  for (int n = 0; n < tree->node_count; ++n)
    for (int k = 0; k < tree->nodes[n].vertex_own; ++k)
      tree->blocks[placed++] = tree->vertices[tree->nodes[n].vertex_first + k];
  for (int k = placed; k < CH_SKIN_BLOCK * count; ++k) tree->blocks[k] = tree->blocks[placed - 1];
  for (int k = 0; k < CH_SKIN_BLOCK * count; ++k) {
    int v = tree->blocks[k], block = k / CH_SKIN_BLOCK, lane = k % CH_SKIN_BLOCK;
    tree->block_of[v] = block;
    for (int i = 0; i < 3; ++i) {
      tree->block_rest[(3L * block + i) * CH_SKIN_BLOCK + lane] = ch_component(skin->rest[v], i);
      for (int a = 0; a < modes; ++a)
        tree->block_shape[((1L * block * modes + a) * 3 + i) * CH_SKIN_BLOCK + lane] =
            skin->shape[(3L * v + i) * modes + a];
    }
  }
}

static void make_fans(ChArena* arena, ChSkinTree* tree, const ChSoftSkin* skin) {
  tree->fan_start = CH_TAKE(arena, skin->vertex_count + 2, int);
  tree->fan = CH_TAKE(arena, 3 * skin->triangle_count, int);
  int* start = tree->fan_start + 1;
  for (int k = 0; k < 3 * skin->triangle_count; ++k) ++start[skin->triangles[k] + 1];
  for (int v = 0; v < skin->vertex_count; ++v) start[v + 1] += start[v];
  for (int k = 0; k < 3 * skin->triangle_count; ++k) tree->fan[start[skin->triangles[k]]++] = k / 3;
}

static void find_extremes(ChArena* arena, Build* b) {
  ChSkinTree* tree = b->tree;
  tree->low = CH_TAKE(arena, 3 * b->modes, double);
  tree->high = CH_TAKE(arena, 3 * b->modes, double);
  tree->reach = CH_TAKE(arena, b->modes, double);
  for (int a = 0; a < b->modes; ++a) {
    ChVec3 low = mode_at(b, 0, a), high = low;
    for (int v = 0; v < b->skin->vertex_count; ++v) {
      ChVec3 u = mode_at(b, v, a);
      low = lower(low, u), high = upper(high, u);
      tree->reach[a] = fmax(tree->reach[a], ch_norm(u));
    }
    for (int i = 0; i < 3; ++i) {
      tree->low[3 * a + i] = ch_component(low, i);
      tree->high[3 * a + i] = ch_component(high, i);
    }
  }
}

ChSkinTree* ch_skin_tree_create(ChArena* arena, const ChSoft* soft) {
  const ChSoftSkin* skin = &soft->skin;
  ChSkinTree* tree = CH_TAKE(arena, 1, ChSkinTree);
  int count = skin->triangle_count, nodes = count / (CH_SKIN_LEAF / 4) + 1;  // half a leaf or more in every leaf
  tree->soft = soft;
  tree->nodes = CH_TAKE(arena, nodes, ChSkinNode);
  tree->triangles = CH_TAKE(arena, count, int);
  tree->corners = CH_TAKE(arena, 3 * count, uint8_t);
  tree->edges = CH_TAKE(arena, 3 * count / 2 + 1, ChSkinEdge);
  tree->vertices = CH_TAKE(arena, 3 * count, int);
  for (int t = 0; t < count; ++t) tree->triangles[t] = t;
  Build b = {.tree = tree, .skin = skin, .modes = soft->modes};
  make_fans(arena, tree, skin);
  find_extremes(arena, &b);
  tree->sway = CH_TAKE(arena, 4L * soft->modes * nodes, double);
  ChArenaMark mark = ch_arena_mark(arena);
  b.placed = CH_TAKE(arena, count, Placed);
  b.list = CH_TAKE(arena, skin->vertex_count, int);
  b.seen = CH_TAKE(arena, skin->vertex_count, int);
  b.place = CH_TAKE(arena, skin->vertex_count, int);
  b.owned = CH_TAKE(arena, skin->vertex_count, bool);
  tree->node_count = 1;
  build_node(&b, 0, 0, count);
  list_edges(tree, skin);
  for (int n = 0; n < tree->node_count; ++n)
    if (tree->nodes[n].count > 0) tree->grain += tree->nodes[n].radius / tree->leaf_count;
  tree->rest = (ChBox3){ch_vec(INFINITY, INFINITY, INFINITY), ch_vec(-INFINITY, -INFINITY, -INFINITY)};
  for (int v = 0; v < skin->vertex_count; ++v) {
    tree->rest.low = lower(tree->rest.low, skin->rest[v]);
    tree->rest.high = upper(tree->rest.high, skin->rest[v]);
  }
  ch_arena_release(arena, mark);
  make_blocks(arena, tree, skin);
  return tree;
}
