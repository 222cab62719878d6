// The skin of a deformable body as it is at this moment, in the body's frame: y = X + U q.
//
// Vertices, normals, balls and boxes are worked out when they are asked for and kept until the amplitudes change: what
// is far from everything is never deformed. Threads may ask at the same time; whoever comes first keeps the result,
// which is the same for all.
#ifndef CH_COLLIDE_SKIN_SKIN_H
#define CH_COLLIDE_SKIN_SKIN_H

#include <stdatomic.h>

#include "collide/skin/skin_leaf.h"
#include "collide/skin/skin_tree.h"

typedef struct ChBall {
  ChVec3 centre;
  double radius;
  double swing;  // the modes move nothing of it by more in the look-ahead
} ChBall;

typedef struct ChSkin {
  const ChSkinTree* tree;
  const double *q, *rates;
  double *forms, *moves;       // modes x 4: q_a three times and |q_a|, the same of the rates
  ChBox3 box;                  // holds every vertex; from the amplitudes and the extremes of the modes
  double bound;                // radius about the frame's origin that holds it
  double speed;                // no vertex is faster than this in the body's frame: sum_a |dq_a/dt| max |U_a|
  double ahead;                // seconds of look-ahead
  bool alone;                  // only one thread asks
  ChVec3 *vertices, *normals;  // normals of triangles, unit
  ChBall* balls;
  ChBox3* boxes;  // of leaves
  ChSkinLeaf* leaves;
  atomic_uchar *vertex_state, *normal_state, *ball_state, *box_state, *leaf_state;
} ChSkin;

// Takes what a skin needs; `tree` must stay.
void ch_skin_init(ChArena* arena, const ChSkinTree* tree, ChSkin* skin);
// To be called when amplitudes or rates have changed; both stay the caller's and must stay. `ahead`: the look-ahead.
void ch_skin_move(ChSkin* skin, const double* q, const double* rates, double ahead);

// What is worked out on demand; the functions below ask for it.
ChVec3 ch_skin_make_vertex(const ChSkin* skin, int vertex);
ChVec3 ch_skin_make_normal(const ChSkin* skin, int triangle);
ChBall ch_skin_make_ball(const ChSkin* skin, int node);
ChBox3 ch_skin_make_box(const ChSkin* skin, int node);
const ChSkinLeaf* ch_skin_make_leaf(const ChSkin* skin, int node, ChSkinLeaf* room);

enum { CH_SKIN_UNKNOWN, CH_SKIN_BUSY, CH_SKIN_KNOWN };
static inline bool ch_skin_knows(atomic_uchar* state) {
  return atomic_load_explicit(state, memory_order_acquire) == CH_SKIN_KNOWN;
}

static inline ChVec3 ch_skin_vertex(const ChSkin* skin, int vertex) {
  return ch_skin_knows(&skin->vertex_state[vertex]) ? skin->vertices[vertex] : ch_skin_make_vertex(skin, vertex);
}
static inline ChVec3 ch_skin_normal(const ChSkin* skin, int triangle) {
  return ch_skin_knows(&skin->normal_state[triangle]) ? skin->normals[triangle] : ch_skin_make_normal(skin, triangle);
}
// `room` is the caller's, for what another thread is about to keep.
static inline const ChBall* ch_skin_ball(const ChSkin* skin, int node, ChBall* room) {
  if (ch_skin_knows(&skin->ball_state[node])) return &skin->balls[node];
  *room = ch_skin_make_ball(skin, node);
  return room;
}
// The box of a leaf's triangles.
static inline const ChBox3* ch_skin_box(const ChSkin* skin, int node, ChBox3* room) {
  int leaf = skin->tree->nodes[node].leaf;
  if (ch_skin_knows(&skin->box_state[leaf])) return &skin->boxes[leaf];
  *room = ch_skin_make_box(skin, node);
  return room;
}
// Of a node that is a leaf.
static inline const ChSkinLeaf* ch_skin_leaf(const ChSkin* skin, int node, ChSkinLeaf* room) {
  int leaf = skin->tree->nodes[node].leaf;
  return ch_skin_knows(&skin->leaf_state[leaf]) ? &skin->leaves[leaf] : ch_skin_make_leaf(skin, node, room);
}
static inline void ch_skin_corners(const ChSkin* skin, int triangle, ChVec3 corners[3]) {
  const int* v = &skin->tree->soft->skin.triangles[3 * triangle];
  for (int k = 0; k < 3; ++k) corners[k] = ch_skin_vertex(skin, v[k]);
}
// The way out at a vertex, unit: the mean of its triangles' normals, by area.
ChVec3 ch_skin_outward(const ChSkin* skin, int vertex);

// Shares of the three corners in a point of the triangle's plane.
void ch_skin_weights(const ChVec3 corners[3], ChVec3 point, double weights[3]);
// U q' of what a gap's `skin` names (a vertex v as v, a triangle t as -2 - t) at a point, for any q', in the body's
// frame.
ChVec3 ch_skin_displacement(const ChSkin* skin, int what, ChVec3 point, const double* q);

typedef struct ChSkinFoot {
  double distance;  // signed: negative inside
  ChVec3 normal;    // unit, outward: the gradient of the distance
  int triangle;     // that holds the foot
} ChSkinFoot;

// Leaves near the points that are asked about: all that have anything nearer to them than `within` and nearer to `at`
// than `radius`.
typedef struct ChSkinNear {
  int count;
  const int* leaves;
  double within, radius;
  ChVec3 at;
} ChSkinNear;

// The nearest point of the skin. `near`, or NULL: where it is looked for first. `start`: a triangle to begin with, or
// -1. False when it is farther than `within`, outside. With `outside` x is known to be, so that nothing farther is
// looked at.
//
// `outward`, unit or zero: where the body faces that asks, at the point x. An outside point whose nearest triangle
// faces the same way has its own body in between and is not found. An inside one leaves on the side that it came from:
// the distance of a triangle with normal n counts 1 + 4 (1 + n . outward) times, so that the far side of a thin strip
// does not attract what has come in by more than half of it. Near a rim a face that looks as the asking body does is no
// way out where another one is near: the sides of two cubes on each other would part them sideways, and not upwards.
bool ch_skin_foot(const ChSkin* skin, ChVec3 x, ChVec3 outward, double within, bool outside, int start,
                  const ChSkinNear* near, ChSkinFoot* foot);

#endif
