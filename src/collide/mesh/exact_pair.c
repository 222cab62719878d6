// Two triangle surfaces: the triangles that are near each other, what of them meets, each point once. See exact_pair.h.
#include "collide/mesh/exact_pair.h"

#include <stdlib.h>
#include <stdio.h>

#include "base/check.h"
#include "collide/shape_box.h"
#include "collide/skin/leaf_list.h"

enum { STACK = 256, LEAF_MOST = 8 };
static const double TILT = 0.1;         // sine: bodies that start so far from flat may lie flat when the step ends
static const double TURN_OF_HIT = 3.0;  // a body of size R hit at speed v turns by no more than some v / R
static const double STEPS = 8.0;        // for which a list of near leaves is to last, if all goes on as fast
static const double SPARE = 0.5;        // of the margin, that it covers beyond

// --- points ----------------------------------------------------------------------------------------------------------

void ch_exact_add(const ChExact* x, int s, ChVec3 own, ChVec3 other, ChVec3 normal, double gap, uint64_t key) {
  if (gap < -1e-3 && getenv("CHDBG")) fprintf(stderr, "DBG s%d kind %d %d %d gap %g own %g %g %g other %g %g %g n %g %g %g slack %g\n", s, (int)(key >> 60), (int)(key >> 30 & 0x3fffffff), (int)(key & 0x3fffffff), gap, own.x, own.y, own.z, other.x, other.y, other.z, normal.x, normal.y, normal.z, x->slack);
  ChVec3 middle = ch_scale(0.5, ch_add(own, other)), n = s == 0 ? normal : ch_neg(normal);
  const ChPosed* frame = x->frame;
  ch_manifold_add(x->out, ch_add(frame->frame.at, ch_mat_apply(&frame->turn, middle)), ch_mat_apply(&frame->turn, n),
                  gap, key);
}

static int by_place(const void* a, const void* b) {
  const ChGap *p = a, *q = b;
  if (p->point.x != q->point.x) return p->point.x < q->point.x ? -1 : 1;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return (p->gap > q->gap) - (p->gap < q->gap);
}

static int by_key(const void* a, const void* b) {
  const ChGap *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return (p->gap > q->gap) - (p->gap < q->gap);
}

static bool is_same(const ChGap* a, const ChGap* b, double slack) {
  return ch_norm(ch_sub(a->normal, b->normal)) <= CH_MESH_SMOOTH && ch_norm(ch_sub(a->point, b->point)) <= slack;
}

// A corner on an edge of the triangles below it is found with each of them, one on a corner with edges, too: the lowest
// key stays.
static void keep_each_once(ChManifold* m, int first, double slack) {
  ChGap* p = m->points + first;
  int count = m->count - first, kept = 0;
  if (count < 2) return;
  qsort(p, (size_t)count, sizeof *p, by_key);
  for (int k = 0; k < count; ++k)
    if (kept == 0 || p[k].key != p[kept - 1].key) p[kept++] = p[k];
  count = kept, kept = 0;
  qsort(p, (size_t)count, sizeof *p, by_place);
  for (int k = 0; k < count; ++k) {
    bool known = false;
    for (int j = kept - 1; j >= 0 && p[k].point.x - p[j].point.x <= slack && !known; --j) {
      if (!is_same(&p[j], &p[k], slack)) continue;
      if (p[k].key < p[j].key) p[j] = p[k];
      known = true;
    }
    if (!known) p[kept++] = p[k];
  }
  qsort(p, (size_t)kept, sizeof *p, by_key);
  m->count = first + kept;
}

// --- near leaves -----------------------------------------------------------------------------------------------------

// A box of the first surface, seen in the second's frame.
static ChBox3 seen_box(const ChExactSide* side, const ChBox3* box) {
  ChVec3 middle = ch_exact_place(side, ch_scale(0.5, ch_add(box->low, box->high)));
  ChVec3 h = ch_scale(0.5, ch_sub(box->high, box->low)), r;
  const ChMat3* t = &side->turn;
  r.x = fabs(t->m[0][0]) * h.x + fabs(t->m[0][1]) * h.y + fabs(t->m[0][2]) * h.z;
  r.y = fabs(t->m[1][0]) * h.x + fabs(t->m[1][1]) * h.y + fabs(t->m[1][2]) * h.z;
  r.z = fabs(t->m[2][0]) * h.x + fabs(t->m[2][1]) * h.y + fabs(t->m[2][2]) * h.z;
  return (ChBox3){ch_sub(middle, r), ch_add(middle, r)};
}

static bool are_near(const ChBox3* a, const ChBox3* b, double reach) {
  return a->low.x - b->high.x <= reach && b->low.x - a->high.x <= reach && a->low.y - b->high.y <= reach &&
         b->low.y - a->high.y <= reach && a->low.z - b->high.z <= reach && b->low.z - a->high.z <= reach;
}

typedef struct LeafWalk {
  const ChExact* x;
  double reach;
  void (*meet)(const ChExact* x, const ChMeshNode* a, const ChMeshNode* b);
  ChLeafList* list;  // or NULL
} LeafWalk;

static double widest(const ChBox3* box) {
  ChVec3 side = ch_sub(box->high, box->low);
  return fmax(side.x, fmax(side.y, side.z));
}

// Which of two nodes is split depends on the meshes alone, so that leaves come in the same order whatever the reach is.
static bool split_first(const ChMeshNode* a, const ChMeshNode* b) {
  return b->count > 0 || (a->count == 0 && widest(&a->box) >= widest(&b->box));
}

static void walk_leaves(const LeafWalk* w) {
  const ChMeshNode* nodes[2] = {w->x->side[0].mesh->nodes, w->x->side[1].mesh->nodes};
  int stack[STACK][2] = {{0, 0}}, depth = 1;
  while (depth > 0) {
    --depth;
    int at[2] = {stack[depth][0], stack[depth][1]};
    const ChMeshNode *a = &nodes[0][at[0]], *b = &nodes[1][at[1]];
    ChBox3 box = seen_box(&w->x->side[0], &a->box);
    if (!are_near(&box, &b->box, w->reach)) continue;
    if (a->count > 0 && b->count > 0) {
      if (w->list) ch_leaf_list_add_pair(w->list, at[0], at[1]);
      if (w->meet) w->meet(w->x, a, b);
      continue;
    }
    CH_ASSERT(depth + 2 <= STACK);
    bool first = split_first(a, b);
    for (int k = 1; k >= 0; --k, ++depth) {
      stack[depth][0] = first ? a->first + k : at[0];
      stack[depth][1] = first ? at[1] : b->first + k;
    }
  }
}

// --- leaves ----------------------------------------------------------------------------------------------------------

static ChBox3 cell_box(const ChExactSide* side, int cell, ChVec3 corner[3]) {
  for (int k = 0; k < 3; ++k) corner[k] = ch_exact_place(side, ch_mesh_at(side->mesh, 3 * cell + k));
  ChVec3 a = corner[0], b = corner[1], c = corner[2];
  return (ChBox3){ch_vec(fmin(a.x, fmin(b.x, c.x)), fmin(a.y, fmin(b.y, c.y)), fmin(a.z, fmin(b.z, c.z))),
                  ch_vec(fmax(a.x, fmax(b.x, c.x)), fmax(a.y, fmax(b.y, c.y)), fmax(a.z, fmax(b.z, c.z)))};
}

static void meet_leaves(const ChExact* x, const ChMeshNode* a, const ChMeshNode* b) {
  const ChMesh *first = x->side[0].mesh, *second = x->side[1].mesh;
  double reach = fmax(x->margin, x->deepest);
  ChVec3 corner[3];
  ChBox3 boxes[LEAF_MOST];
  CH_ASSERT(b->count <= LEAF_MOST);
  for (int l = 0; l < b->count; ++l) boxes[l] = cell_box(&x->side[1], second->order[b->first + l], corner);
  for (int k = 0; k < a->count; ++k) {
    int c = first->order[a->first + k];
    ChBox3 box = cell_box(&x->side[0], c, corner);
    for (int l = 0; l < b->count; ++l) {
      int d = second->order[b->first + l];
      if (!are_near(&box, &boxes[l], reach)) continue;
      ch_exact_corners(x, 0, c, d);
      ch_exact_corners(x, 1, d, c);
      ch_exact_edges(x, c, d);
    }
  }
}

// What has moved since a list was made: |s - s0| + |T - T0| |X|.
static bool list_covers(const ChLeafList* list, const ChExact* x, double reach, double bound) {
  if (!(list->covered > 0.0)) return false;
  double turned2 = 0.0;
  for (int i = 0; i < 9; ++i) {
    double d = x->side[0].turn.m[i / 3][i % 3] - list->turn.m[i / 3][i % 3];
    turned2 += d * d;
  }
  double moved = ch_norm(ch_sub(x->side[0].shift, list->shift)) + sqrt(turned2) * bound;
  return reach + moved * (1.0 + 1e-9) + 1e-12 * (bound + ch_norm(x->side[0].shift)) <= list->covered;
}

static void meet_listed(const ChExact* x, ChLeafList* list, double reach, double bound) {
  if (!list_covers(list, x, reach, bound)) {
    double more = STEPS * ch_positive_part(x->margin - x->closing.least) + SPARE * x->closing.least;
    LeafWalk walk = {.x = x, .reach = reach + fmin(more, 0.25 * bound), .list = list};
    list->covered = walk.reach;
    list->turn = x->side[0].turn, list->shift = x->side[0].shift, list->pair_count = 0;
    walk_leaves(&walk);
    if (!(list->covered > 0.0)) {  // no memory for it
      walk = (LeafWalk){.x = x, .reach = reach, .meet = meet_leaves};
      walk_leaves(&walk);
      return;
    }
  }
  for (int k = 0; k < list->pair_count; ++k) {
    const ChMeshNode* a = &x->side[0].mesh->nodes[list->pairs[k][0]];
    const ChMeshNode* b = &x->side[1].mesh->nodes[list->pairs[k][1]];
    ChBox3 box = seen_box(&x->side[0], &a->box);
    if (are_near(&box, &b->box, reach)) meet_leaves(x, a, b);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

// How far a corner may be from lying flat and still be listed: as far as bodies turn in the look-ahead, be it that they
// turn already or that they are hit.
static double tilt_of(const ChExact* x, double size) {
  double step = ch_norm(ch_add(x->closing.step, ch_cross(x->closing.turn, x->side[0].shift)));
  return fmin(1.0, TILT + x->closing.turning + TURN_OF_HIT * step / size);
}

void ch_exact_pair(const ChPosed* a, const ChMesh* first, const ChPosed* b, const ChMesh* second, double margin,
                   ChManifold* out) {
  CH_ASSERT(first->features && second->features && margin >= 0.0);
  double size = fmin(a->shape->bound, b->shape->bound);
  ChExact x = {.frame = b, .margin = margin, .out = out, .slack = 1e-9 * size};
  ChMat3 back = ch_mat_transposed(&b->turn);
  x.side[0] = (ChExactSide){.mesh = first, .features = first->features, .placed = true};
  x.side[0].turn = ch_mat_product(&back, &a->turn);
  x.side[0].shift = ch_mat_apply(&back, ch_sub(a->frame.at, b->frame.at));
  x.side[1] = (ChExactSide){.mesh = second, .features = second->features};
  x.closing = ch_closing(a, b, margin);
  x.tilt = tilt_of(&x, size);
  x.deepest = fmax(margin, 0.02 * size), x.blunt = 1e-6 * size;
  x.hollow = 2e-3 * size;
  int count = out->count;
  double reach = fmax(x.margin, x.deepest);
  if (out->lists) {
    meet_listed(&x, &out->lists[0], reach, a->shape->bound);
  } else {
    LeafWalk walk = {.x = &x, .reach = reach, .meet = meet_leaves};
    walk_leaves(&walk);
  }
  keep_each_once(out, count, x.slack);
}
