// A tree of balls over a deformable skin that follows the amplitudes without touching the vertices (BD-tree: James, Pai
// 2004; E8).
//
//   a node's ball holds every vertex i of its triangles at rest:          |X_i - c| <= r
//   deformed, y_i = X_i + U_i q, the ball with
//     centre  c + sum_a q_a m_a,   radius  r + sum_a |q_a| delta_a,       delta_a = max_i |U_ia - m_a|
//   holds them too, whatever m_a is. It is the middle of the U_ia, so that delta_a is small.
//
// Triangles lie between their corners, so the balls hold the whole skin. What depends on amplitudes is in skin.h.
#ifndef CH_COLLIDE_SKIN_SKIN_TREE_H
#define CH_COLLIDE_SKIN_SKIN_TREE_H

#include <stdint.h>

#include "base/arena.h"
#include "model/mesh/mesh.h"
#include "model/soft/soft.h"

enum { CH_SKIN_LEAF = 8 };   // triangles at most
enum { CH_SKIN_BLOCK = 4 };  // vertices that are deformed together

typedef struct ChSkinNode {
  ChVec3 centre;
  double radius;
  int first, count;  // leaf: triangles[first] .. ; inner: count = 0, children at `first` and first + 1
  int vertex_first, vertex_count, vertex_own;  // leaf: corners of its triangles; the first `own` are no other leaf's
  int edge_first, edge_count;  // leaf: edges of its triangles; one of two triangles is in the lower's leaf
  int leaf;                    // leaf: its number among leaves
} ChSkinNode;

typedef struct ChSkinEdge {
  uint8_t a, b;  // its ends, in the leaf's list of vertices
  uint8_t side;  // of the triangle
  bool sharp;    // it juts out by more than 30 degrees at rest
  int triangle;
} ChSkinEdge;

typedef struct ChSkinTree {
  const ChSoft* soft;
  int node_count, leaf_count;
  double grain;  // how large a leaf is at rest, about: the mean of their balls' radii
  ChSkinNode* nodes;
  double* sway;         // nodes x modes x 4: m_a, delta_a
  int* triangles;       // in the order of the leaves
  uint8_t* corners;     // of these: 3 places each in the leaf's list of vertices
  ChSkinEdge* edges;    // lists of the leaves: every edge is in one
  int* vertices;        // lists of the leaves
  int* block_of;        // vertices: number of the block that one is in
  int* blocks;          // blocks x 4: vertices in the order of the leaves that own them; the last may be repeated
  double* block_rest;   // blocks x 3 x 4: X
  double* block_shape;  // blocks x modes x 3 x 4: U
  int* fan_start;       // triangles that meet in a vertex: fan[fan_start[v]] ..
  int* fan;
  ChBox3 rest;         // box of the rest shape
  double *low, *high;  // modes x 3: least and largest of U along the axes
  double* reach;       // modes: largest |U_a|
} ChSkinTree;

ChSkinTree* ch_skin_tree_create(ChArena* arena, const ChSoft* soft);

#endif
