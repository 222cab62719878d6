// Isosurface stuffing: see tet_stuffing.h.
//
// Lattice points have coordinates that are all even (corners of cubes) or all odd (their centres), in half cells. A
// tetrahedron is the edge between the centres of two cubes and an edge of the face between them. Its corners are
// inside, outside or, once moved, on the surface; what is inside is a tetrahedron, a pyramid or a prism, cut along
// diagonals from the lowest-numbered corner so that neighbours match.
#include "model/tet/tet_stuffing.h"

#include <math.h>
#include <string.h>

#include "model/tet/tet_measure.h"

enum { DIRECTIONS = 7, LONG_DIRECTIONS = 3, TRIALS = 60, PIECES_MAX = 3 };

// An edge belongs to its end from which it leads along one of these.
static const int direction[DIRECTIONS][3] = {{2, 0, 0},  {0, 2, 0},  {0, 0, 2}, {1, 1, 1},
                                             {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};

// A cut nearer to a lattice point than this part of a long or a short edge moves the point onto the surface (Labelle
// and Shewchuk, table 1, for the best angles).
static const double near_long = 0.24999, near_short = 0.41189;

typedef struct Lattice {
  const ChTetSolid* solid;
  double half;  // of a cell
  int cubes[3];
  long points;
  ChVec3* place;
  double* value;  // f; 0: on the surface
  int* cut;       // by point and direction: 1 + number of the vertex there; 0: not yet
  int* number;    // 1 + number of the vertex; 0: not yet
  ChTetMesh* out;
} Lattice;

// ------------------------------------------------------------------------------------------------------------- lattice

static long point_at(const Lattice* l, const int p[3]) {
  long nx = l->cubes[0], ny = l->cubes[1], nz = l->cubes[2];
  if (p[0] % 2 == 0) return p[0] / 2 + (nx + 1) * (p[1] / 2 + (ny + 1) * (p[2] / 2L));
  return (nx + 1) * (ny + 1) * (nz + 1) + p[0] / 2 + nx * (p[1] / 2 + ny * (p[2] / 2L));
}

static bool in_lattice(const Lattice* l, const int p[3]) {
  for (int a = 0; a < 3; ++a)
    if (p[a] < 0 || p[a] > 2 * l->cubes[a]) return false;
  return true;
}

// Calls visit at every lattice point, corners first.
static void each_point(Lattice* l, void (*visit)(Lattice*, const int p[3], long id)) {
  for (int odd = 0; odd < 2; ++odd) {
    int p[3];
    for (p[2] = odd; p[2] <= 2 * l->cubes[2]; p[2] += 2)
      for (p[1] = odd; p[1] <= 2 * l->cubes[1]; p[1] += 2)
        for (p[0] = odd; p[0] <= 2 * l->cubes[0]; p[0] += 2) visit(l, p, point_at(l, p));
  }
}

static void evaluate(Lattice* l, const int p[3], long id) {
  l->place[id] = ch_add(l->solid->low, ch_scale(l->half, ch_vec(p[0], p[1], p[2])));
  l->value[id] = l->solid->f(l->solid->state, l->place[id]);
}

// ---------------------------------------------------------------------------------------------------------------- cuts

// Where f = 0 between a point inside and one outside, as a part of the way from a to b: false position with the value
// at an end that stays halved (Illinois).
static double crossing(const Lattice* l, long a, long b) {
  double low = 0.0, high = 1.0, at_low = l->value[a], at_high = l->value[b], t = 0.0;
  double enough = 1e-15 * (fabs(at_low) + fabs(at_high));
  ChVec3 from = l->place[a], way = ch_sub(l->place[b], from);
  int stayed = 0;
  for (int k = 0; k < TRIALS; ++k) {
    t = low + (high - low) * at_low / (at_low - at_high);
    double at = l->solid->f(l->solid->state, ch_along(from, t, way));
    if (!(fabs(at) > enough)) break;
    bool moves_low = (at < 0.0) == (at_low < 0.0);
    if (moves_low)
      low = t, at_low = at;
    else
      high = t, at_high = at;
    if (stayed == (moves_low ? 1 : -1)) *(moves_low ? &at_high : &at_low) *= 0.5;
    stayed = moves_low ? 1 : -1;
  }
  return t;
}

static bool crosses(const Lattice* l, long a, long b) {
  return (l->value[a] < 0.0 && l->value[b] > 0.0) || (l->value[a] > 0.0 && l->value[b] < 0.0);
}

// A point with a cut too near moves onto the nearest of its cuts.
static void snap(Lattice* l, const int p[3], long id) {
  double nearest = 1.0;
  ChVec3 to = {0};
  for (int d = 0; d < DIRECTIONS; ++d)
    for (int sign = -1; sign <= 1; sign += 2) {
      int q[3];
      for (int a = 0; a < 3; ++a) q[a] = p[a] + sign * direction[d][a];
      if (!in_lattice(l, q)) continue;
      long other = point_at(l, q);
      if (!crosses(l, id, other)) continue;
      double part = crossing(l, id, other) / (d < LONG_DIRECTIONS ? near_long : near_short);
      if (!(part < nearest)) continue;
      nearest = part;
      to = ch_along(l->place[id], part * (d < LONG_DIRECTIONS ? near_long : near_short),
                    ch_sub(l->place[other], l->place[id]));
    }
  if (!(nearest < 1.0)) return;
  l->place[id] = to, l->value[id] = 0.0;
}

// ------------------------------------------------------------------------------------------------------------ vertices

static int add_vertex(Lattice* l, ChVec3 at) {
  l->out->vertices[l->out->vertex_count] = at;
  return l->out->vertex_count++;
}

typedef struct Corner {
  int p[3];
  long id;
  double value;
} Corner;

static Corner corner_at(const Lattice* l, int x, int y, int z) {
  Corner c = {.p = {x, y, z}};
  c.id = point_at(l, c.p), c.value = l->value[c.id];
  return c;
}

static int vertex_of(Lattice* l, const Corner* c) {
  if (l->number[c->id] == 0) l->number[c->id] = 1 + add_vertex(l, l->place[c->id]);
  return l->number[c->id] - 1;
}

static int* cut_slot(Lattice* l, const Corner* a, const Corner* b) {
  for (int d = 0; d < DIRECTIONS; ++d) {
    const int* w = direction[d];
    bool from_a = true, from_b = true;
    for (int k = 0; k < 3; ++k) {
      from_a = from_a && b->p[k] - a->p[k] == w[k];
      from_b = from_b && a->p[k] - b->p[k] == w[k];
    }
    if (from_a || from_b) return &l->cut[DIRECTIONS * (from_a ? a : b)->id + d];
  }
  return NULL;  // never: corners of one tetrahedron are neighbours
}

// The corner itself where it is on the surface, else the cut between.
static int end_of(Lattice* l, const Corner* in, const Corner* other) {
  if (other->value == 0.0) return vertex_of(l, other);
  int* slot = cut_slot(l, in, other);
  if (*slot == 0) {
    ChVec3 from = l->place[in->id], way = ch_sub(l->place[other->id], from);
    *slot = 1 + add_vertex(l, ch_along(from, crossing(l, in->id, other->id), way));
  }
  return *slot - 1;
}

// -------------------------------------------------------------------------------------------------------------- pieces

static void add_tet(Lattice* l, int a, int b, int c, int d) {
  int* tet = l->out->tets + 4L * l->out->tet_count;
  tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
  if (ch_tet_volume(l->out, l->out->tet_count++) < 0.0) tet[2] = d, tet[3] = c;
}

static int lower(int a, int b) { return a < b ? a : b; }

// Over the square a b c d, cut along the diagonal with the lowest number.
static void add_pyramid(Lattice* l, int apex, int a, int b, int c, int d) {
  if (lower(a, c) < lower(b, d)) {
    add_tet(l, apex, a, b, c);
    add_tet(l, apex, a, c, d);
  } else {
    add_tet(l, apex, a, b, d);
    add_tet(l, apex, b, c, d);
  }
}

// Between the triangles a and b; turned so that a[0] has the lowest number.
static void add_prism(Lattice* l, const int first[3], const int second[3]) {
  int at = 0;
  for (int k = 1; k < 3; ++k)
    if (lower(first[k], second[k]) < lower(first[at], second[at])) at = k;
  const int *a = first[at] < second[at] ? first : second, *b = a == first ? second : first;
  int next = (at + 1) % 3, last = (at + 2) % 3;
  add_tet(l, a[at], b[at], b[next], b[last]);
  add_pyramid(l, a[at], a[next], a[last], b[last], b[next]);
}

// What of a tetrahedron of the lattice is inside: its corners sorted into those inside, on, and outside.
static void add_inside(Lattice* l, const Corner corners[4]) {
  Corner in[4], on[4], out[4];
  int ins = 0, ons = 0, outs = 0;
  for (int k = 0; k < 4; ++k) {
    if (corners[k].value < 0.0)
      in[ins++] = corners[k];
    else if (corners[k].value == 0.0)
      on[ons++] = corners[k];
    else
      out[outs++] = corners[k];
  }
  if (ins == 0) return;
  int v[4];
  for (int k = 0; k < ins; ++k) v[k] = vertex_of(l, &in[k]);
  if (outs == 0 || ins == 1) {
    for (int k = 0; k < ons; ++k) v[ins + k] = vertex_of(l, &on[k]);
    for (int k = 0; k < outs; ++k) v[ins + ons + k] = end_of(l, &in[0], &out[k]);
    add_tet(l, v[0], v[1], v[2], v[3]);
  } else if (ins == 2 && outs == 1) {
    int apex = vertex_of(l, &on[0]), c0 = end_of(l, &in[0], &out[0]), c1 = end_of(l, &in[1], &out[0]);
    add_pyramid(l, apex, v[0], v[1], c1, c0);
  } else if (ins == 2) {
    int first[3] = {v[0], end_of(l, &in[0], &out[0]), end_of(l, &in[0], &out[1])};
    int second[3] = {v[1], end_of(l, &in[1], &out[0]), end_of(l, &in[1], &out[1])};
    add_prism(l, first, second);
  } else {
    int ends[3];
    for (int k = 0; k < 3; ++k) ends[k] = end_of(l, &in[k], &out[0]);
    add_prism(l, v, ends);
  }
}

// The four tetrahedra about the edge from the centre p of a cube to that of the next one along an axis.
static void each_tet(Lattice* l, void (*visit)(Lattice*, const Corner corners[4])) {
  static const int around[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    int p[3], b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (p[2] = 1; p[2] < 2 * l->cubes[2]; p[2] += 2)
      for (p[1] = 1; p[1] < 2 * l->cubes[1]; p[1] += 2)
        for (p[0] = 1; p[0] < 2 * l->cubes[0]; p[0] += 2) {
          if (p[axis] + 2 > 2 * l->cubes[axis]) continue;
          int q[3] = {p[0], p[1], p[2]};
          q[axis] += 2;
          Corner corners[4] = {corner_at(l, p[0], p[1], p[2]), corner_at(l, q[0], q[1], q[2])};
          for (int m = 0; m < 4; ++m) {
            for (int e = 0; e < 2; ++e) {
              int r[3] = {p[0], p[1], p[2]};
              r[axis] += 1, r[b] += around[m + e][0], r[c] += around[m + e][1];
              corners[2 + e] = corner_at(l, r[0], r[1], r[2]);
            }
            visit(l, corners);
          }
        }
  }
}

// An upper bound on the tetrahedra, before there is room for them.
static void count_tet(Lattice* l, const Corner corners[4]) {
  int ins = 0, outs = 0;
  for (int k = 0; k < 4; ++k) ins += corners[k].value<0.0, outs += corners[k].value> 0.0;
  if (ins > 0) l->out->tet_count += outs > 0 ? PIECES_MAX : 1;
}

// ------------------------------------------------------------------------------------------------------------ stuffing

static ChStatus lay(ChContext* context, ChArena* arena, const char* what, double cell, Lattice* l) {
  ChVec3 size = ch_sub(l->solid->high, l->solid->low);
  double cubes = 1.0;
  for (int a = 0; a < 3; ++a) {
    double count = ceil(ch_component(size, a) / cell);
    cubes *= count;
    l->cubes[a] = count < 1e6 ? (int)count : 0;
  }
  if (!(cubes <= CH_TETS_MAX) || !(cubes >= 1.0))
    return ch_fail(context, CH_ERR_SIZE, "%s: a lattice of spacing %g needs %.3g cells, at most %d are laid", what,
                   cell, cubes, CH_TETS_MAX);
  l->points = (l->cubes[0] + 1L) * (l->cubes[1] + 1L) * (l->cubes[2] + 1L) + (long)cubes;
  l->place = CH_TAKE_RAW(arena, l->points, ChVec3);
  l->value = CH_TAKE_RAW(arena, l->points, double);
  l->cut = CH_TAKE(arena, DIRECTIONS * (size_t)l->points, int);
  l->number = CH_TAKE(arena, l->points, int);
  each_point(l, evaluate);
  each_point(l, snap);
  return CH_OK;
}

ChStatus ch_tet_stuffing(ChContext* context, ChArena* arena, const char* what, const ChTetSolid* solid, double cell,
                         ChTetMesh* out) {
  *out = (ChTetMesh){0};
  Lattice l = {.solid = solid, .half = 0.5 * cell, .out = out};
  ChStatus status = lay(context, arena, what, cell, &l);
  if (status != CH_OK) return status;
  each_tet(&l, count_tet);
  size_t room = (size_t)out->tet_count;
  out->tets = CH_TAKE_RAW(arena, 4 * room, int);
  out->vertices = CH_TAKE_RAW(arena, 4 * room, ChVec3);
  out->tet_count = 0;
  each_tet(&l, add_inside);
  return CH_OK;
}
