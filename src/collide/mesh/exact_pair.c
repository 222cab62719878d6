// Two triangle surfaces: the triangles that are near each other, what of them meets, each point once. See exact_pair.h.
#include "collide/mesh/exact_pair.h"

#include <stdlib.h>

#include "base/check.h"
#include "collide/shape_box.h"
#include "collide/skin/leaf_list.h"

enum { STACK = 256, LEAF_MOST = 8 };
static const double TILT = 0.1;         // sine: bodies that start so far from flat may lie flat when the step ends
static const double TURN_OF_HIT = 3.0;  // a body of size R hit at speed v turns by no more than some v / R
static const double STEPS = 8.0;        // for which a list of near leaves is to last, if all goes on as fast
static const double SPARE = 0.5;        // of the margin, that it covers beyond
static const double SPARE_MOST = 0.25;  // of the first body's size

// --- points ----------------------------------------------------------------------------------------------------------

void ch_exact_add(const ChExact* x, int s, ChVec3 own, ChVec3 other, ChVec3 normal, double gap, uint64_t key) {
  ChVec3 middle = ch_scale(0.5, ch_add(own, other)), n = s == 0 ? normal : ch_neg(normal);
  const ChPosed* frame = x->frame;
  ch_manifold_add(x->out, ch_add(frame->frame.at, ch_mat_apply(&frame->turn, middle)), ch_mat_apply(&frame->turn, n),
                  gap, key);
}

bool ch_exact_was(const ChExact* x, uint64_t key) {
  const ChAhead* ahead = x->first->ahead;
  return ahead && ahead->history && ahead->history(ahead->past, x->first->shape, x->frame->shape, key);
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
      if (!ch_gap_is_same(&p[j], &p[k], CH_MESH_SMOOTH, slack)) continue;
      if (p[k].key < p[j].key) p[j] = p[k];
      known = true;
    }
    if (!known) p[kept++] = p[k];
  }
  qsort(p, (size_t)kept, sizeof *p, by_key);
  m->count = first + kept;
}

static void meet_leaves(ChExact* x, const ChMeshNode* a, const ChMeshNode* b);

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

static double ch_min3(double a, double b, double c) {
  double least = a < b ? a : b;
  return least < c ? least : c;
}

static bool are_near(const ChBox3* a, const ChBox3* b, double reach) {
  return a->low.x - b->high.x <= reach && b->low.x - a->high.x <= reach && a->low.y - b->high.y <= reach &&
         b->low.y - a->high.y <= reach && a->low.z - b->high.z <= reach && b->low.z - a->high.z <= reach;
}

// How far from a node's triangles contacts may be: the margin, and what these triangles can close in the look-ahead.
static double reach_of(const ChExact* x, const ChMeshNode* node) {
  ChVec3 half = ch_scale(0.5, ch_sub(node->box.high, node->box.low));
  ChVec3 centre = ch_exact_place(&x->side[0], ch_add(node->box.low, half));
  double speed = ch_norm(ch_exact_motion(x, 0, centre));
  double reach = x->closing.least + speed + x->closing.turning * (ch_norm(half) + 0.5 * x->margin);
  return fmax(fmin(x->margin, reach), x->deepest);
}

static double widest(const ChBox3* box) {
  ChVec3 side = ch_sub(box->high, box->low);
  return fmax(side.x, fmax(side.y, side.z));
}

// Which of two nodes is split depends on the meshes alone, so that leaves come in the same order whatever the reach is.
static bool split_first(const ChMeshNode* a, const ChMeshNode* b) {
  return b->count > 0 || (a->count == 0 && widest(&a->box) >= widest(&b->box));
}

// Leaves that are nearer than their reach and `more`: into the list, or, without one, met at once.
static void walk_leaves(ChExact* x, double more, ChLeafList* list) {
  const ChMeshNode* nodes[2] = {x->side[0].mesh->nodes, x->side[1].mesh->nodes};
  int stack[STACK][2] = {{0, 0}}, depth = 1;
  while (depth > 0) {
    --depth;
    int at[2] = {stack[depth][0], stack[depth][1]};
    const ChMeshNode *a = &nodes[0][at[0]], *b = &nodes[1][at[1]];
    ChBox3 box = seen_box(&x->side[0], &a->box);
    if (!are_near(&box, &b->box, reach_of(x, a) + more)) continue;
    if (a->count > 0 && b->count > 0) {
      if (list)
        ch_leaf_list_add_pair(list, at[0], at[1]);
      else
        meet_leaves(x, a, b);
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

typedef struct Cell {
  int id;
  bool has_normal;
  ChVec3 corner[3], normal;
  ChBox3 box;
} Cell;

static Cell cell_of(const ChExactSide* side, int id) {
  Cell cell;
  cell.id = id, cell.has_normal = false;
  for (int k = 0; k < 3; ++k) cell.corner[k] = ch_exact_place(side, ch_mesh_at(side->mesh, 3 * id + k));
  ChVec3 a = cell.corner[0], b = cell.corner[1], c = cell.corner[2];
  cell.box.low = ch_vec(ch_min3(a.x, b.x, c.x), ch_min3(a.y, b.y, c.y), ch_min3(a.z, b.z, c.z));
  cell.box.high = ch_vec(-ch_min3(-a.x, -b.x, -c.x), -ch_min3(-a.y, -b.y, -c.y), -ch_min3(-a.z, -b.z, -c.z));
  return cell;
}

static void heights_over(const ChExactSide* side, Cell* plane, const Cell* cell, double height[3]) {
  if (!plane->has_normal) plane->normal = ch_exact_turned(side, side->mesh->normals[plane->id]);
  plane->has_normal = true;
  for (int k = 0; k < 3; ++k) height[k] = ch_dot(plane->normal, ch_sub(cell->corner[k], plane->corner[0]));
}

// Whether a triangle lies to one side of the other's plane, and farther from it than `reach`.
static bool lies_beyond(const double h[3], double reach) {
  return (h[0] > reach && h[1] > reach && h[2] > reach) || (h[0] < -reach && h[1] < -reach && h[2] < -reach);
}

static bool has_two_sides(const ChMesh* mesh) { return !mesh->closed && !mesh->front; }

static uint64_t piercing_key(const Cell* plane, const Cell* cell, bool second, bool back) {
  int kind = back ? CH_EXACT_PIERCED_BACK : CH_EXACT_PIERCED;
  return second ? ch_exact_key(kind, cell->id, plane->id) : ch_exact_key(kind, plane->id, cell->id);
}

// Whether an edge between these heights came through a sheet from behind: as the last step has it, else with its
// shorter part.
static bool came_from_behind(const ChExact* x, const Cell* plane, const Cell* cell, bool second, double p, double q) {
  if (!has_two_sides(x->side[second].mesh)) return false;
  bool shorter = p + q < 0.0;
  return shorter != (x->sheets && ch_exact_was(x, piercing_key(plane, cell, second, !shorter)));
}

// How deep an edge of one triangle (`cell`) goes through the other, away from its ends and from the other's border.
static void note_piercing(ChExact* x, const Cell* plane, const Cell* cell, const double h[3], bool second) {
  for (int k = 0; k < 3; ++k) {
    double p = h[k], q = h[(k + 1) % 3];
    if (!(p * q < 0.0)) continue;
    ChVec3 hit = ch_along(cell->corner[k], p / (p - q), ch_sub(cell->corner[(k + 1) % 3], cell->corner[k]));
    double depth = fmin(fabs(p), fabs(q));
    for (int l = 0; l < 3 && depth > x->pierced; ++l) {
      ChVec3 from = plane->corner[l], edge = ch_sub(plane->corner[(l + 1) % 3], from);
      depth = fmin(depth, ch_dot(ch_cross(plane->normal, edge), ch_sub(hit, from)) / ch_norm(edge));
    }
    if (!(depth > x->pierced)) continue;
    bool back = came_from_behind(x, plane, cell, second, p, q);
    x->pierced = depth, x->pierced_at = hit;
    x->pierced_normal = second == back ? plane->normal : ch_neg(plane->normal);
    x->pierced_key = piercing_key(plane, cell, second, back);
  }
}

static void meet_cells(ChExact* x, Cell* a, Cell* b, double reach) {
  double over[3], under[3];
  if (!are_near(&a->box, &b->box, reach)) return;
  heights_over(&x->side[1], b, a, over);
  if (lies_beyond(over, reach)) return;
  heights_over(&x->side[0], a, b, under);
  if (lies_beyond(under, reach)) return;
  if (are_near(&a->box, &b->box, 0.0)) {
    note_piercing(x, b, a, over, true);
    note_piercing(x, a, b, under, false);
  }
  ch_exact_corners(x, 0, a->id, b->id);
  ch_exact_corners(x, 1, b->id, a->id);
  ch_exact_edges(x, a->id, b->id);
}

static void meet_leaves(ChExact* x, const ChMeshNode* a, const ChMeshNode* b) {
  double reach = reach_of(x, a);
  Cell cells[LEAF_MOST];
  CH_ASSERT(b->count <= LEAF_MOST);
  bool placed = false;
  for (int k = 0; k < a->count; ++k) {
    Cell cell = cell_of(&x->side[0], x->side[0].mesh->order[a->first + k]);
    if (!are_near(&cell.box, &b->box, reach)) continue;
    for (int l = 0; l < b->count && !placed; ++l) cells[l] = cell_of(&x->side[1], x->side[1].mesh->order[b->first + l]);
    placed = true;
    for (int l = 0; l < b->count; ++l) meet_cells(x, &cell, &cells[l], reach);
  }
}

// By how much places, and the reaches that were asked for, have changed at most since a list was made:
// |s - s0| + |T - T0| |X| and the change of |V| + |W| r.
static double changed(const ChLeafList* list, const ChExact* x, double bound) {
  double turned2 = 0.0;
  for (int i = 0; i < 9; ++i) {
    double d = x->side[0].turn.m[i / 3][i % 3] - list->turn.m[i / 3][i % 3];
    turned2 += d * d;
  }
  double far = bound + ch_norm(x->side[0].shift) + ch_norm(list->shift);
  double moved = ch_norm(ch_sub(x->side[0].shift, list->shift)) + sqrt(turned2) * bound;
  double faster =
      ch_norm(ch_sub(x->closing.step, list->step)) + 3.0 * far * ch_norm(ch_sub(x->closing.turn, list->spin));
  faster += ch_norm(list->spin) * (2.0 * moved + 0.5 * fabs(x->margin - list->margin));
  double more = fmax(x->closing.least - list->least, 0.0);
  return (moved + faster + more) * (1.0 + 1e-9) + 1e-12 * far;
}

static void make_list(ChExact* x, ChLeafList* list, double bound) {
  double more = STEPS * ch_positive_part(reach_of(x, &x->side[0].mesh->nodes[0]) - x->closing.least);
  more = fmin(more + SPARE * x->closing.least, SPARE_MOST * bound);
  list->covered = more;
  list->turn = x->side[0].turn, list->shift = x->side[0].shift;
  list->step = x->closing.step, list->spin = x->closing.turn, list->least = x->closing.least, list->margin = x->margin;
  list->pair_count = 0;
  walk_leaves(x, more, list);
}

static void meet_listed(ChExact* x, ChLeafList* list, double bound) {
  if (!(list->covered > 0.0 && changed(list, x, bound) <= list->covered)) make_list(x, list, bound);
  if (!(list->covered > 0.0)) {  // no memory, or nothing to spare
    walk_leaves(x, 0.0, NULL);
    return;
  }
  for (int k = 0; k < list->pair_count; ++k) {
    const ChMeshNode* a = &x->side[0].mesh->nodes[list->pairs[k][0]];
    const ChMeshNode* b = &x->side[1].mesh->nodes[list->pairs[k][1]];
    ChBox3 box = seen_box(&x->side[0], &a->box);
    if (are_near(&box, &b->box, reach_of(x, a))) meet_leaves(x, a, b);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

// Surfaces that went through each other so far that no pair of features says by how much: the triangle that is gone
// through most says it, along its normal.
static void add_piercing(const ChExact* x, int first) {
  if (!(x->pierced > 0.5 * x->hollow)) return;
  for (int k = first; k < x->out->count; ++k)
    if (x->out->points[k].gap < -x->slack) return;
  ch_exact_add(x, 0, x->pierced_at, x->pierced_at, x->pierced_normal, -x->pierced, x->pierced_key);
}

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
  ChExact x = {.frame = b, .first = a, .margin = margin, .out = out, .slack = 1e-9 * size};
  ChMat3 back = ch_mat_transposed(&b->turn);
  x.side[0] = (ChExactSide){.mesh = first, .features = first->features, .placed = true};
  x.side[0].turn = ch_mat_product(&back, &a->turn);
  x.side[0].shift = ch_mat_apply(&back, ch_sub(a->frame.at, b->frame.at));
  x.side[1] = (ChExactSide){.mesh = second, .features = second->features};
  x.sheets = has_two_sides(first) && has_two_sides(second);
  x.closing = ch_closing(a, b, margin);
  x.tilt = tilt_of(&x, size);
  x.deepest = 0.02 * size, x.blunt = 1e-6 * size;
  x.hollow = 2e-3 * size;
  int count = out->count;
  if (out->lists)
    meet_listed(&x, &out->lists[0], a->shape->bound);
  else
    walk_leaves(&x, 0.0, NULL);
  // What overlaps by more than was looked for: once more, farther down.
  if (x.pierced > 0.5 * x.deepest && x.deepest < 0.5 * size) {
    x.deepest = fmin(0.5 * size, 4.0 * x.pierced);
    out->count = count;
    walk_leaves(&x, 0.0, NULL);
  }
  add_piercing(&x, count);
  keep_each_once(out, count, x.slack);
}
