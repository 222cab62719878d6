// See mesh_heal.h.
#include "model/mesh/mesh_heal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model/mesh/half_edges.h"

enum { THIN_PASSES = 16, MOST_SIDES = 4 };
#define NO_AREA 1e-14  // of the squares of two sides: what ch_mesh_create refuses

static void note(ChMeshHeal* m, int kind, ChVec3 at) {
  if (m->count[kind]++ == 0) m->first[kind] = at;
}

static ChVec3 middle(const ChMeshHeal* m, int t) {
  const int* c = m->triangles + 3 * t;
  return ch_scale(1.0 / 3.0, ch_add(m->vertices[c[0]], ch_add(m->vertices[c[1]], m->vertices[c[2]])));
}

// --- vertices --------------------------------------------------------------------------------------------------------

typedef struct Numbered {
  ChVec3 at;
  int number;
} Numbered;

static int compare_numbered(const void* a, const void* b) {
  const Numbered *x = a, *y = b;
  if (x->at.x != y->at.x) return x->at.x < y->at.x ? -1 : 1;
  if (x->at.y != y->at.y) return x->at.y < y->at.y ? -1 : 1;
  if (x->at.z != y->at.z) return x->at.z < y->at.z ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static bool same_place(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void merge_vertices(ChArena* arena, ChMeshHeal* m) {
  Numbered* sorted = CH_TAKE(arena, m->vertex_count, Numbered);
  int* first = CH_TAKE(arena, m->vertex_count, int);
  for (int v = 0; v < m->vertex_count; ++v) sorted[v] = (Numbered){m->vertices[v], v};
  qsort(sorted, (size_t)m->vertex_count, sizeof *sorted, compare_numbered);
  for (int k = 0; k < m->vertex_count; ++k) {
    bool again = k > 0 && same_place(sorted[k].at, sorted[k - 1].at);
    first[sorted[k].number] = again ? first[sorted[k - 1].number] : sorted[k].number;
    if (again) note(m, CH_HEAL_MERGED, sorted[k].at);
  }
  for (int k = 0; k < 3 * m->triangle_count; ++k) m->triangles[k] = first[m->triangles[k]];
}

// Vertices that no triangle names go; the others keep their order.
static void drop_unused(ChArena* arena, ChMeshHeal* m) {
  int *number = CH_TAKE(arena, m->vertex_count, int), kept = 0;
  for (int k = 0; k < 3 * m->triangle_count; ++k) number[m->triangles[k]] = 1;
  for (int v = 0; v < m->vertex_count; ++v) {
    if (!number[v]) continue;
    m->vertices[kept] = m->vertices[v];
    number[v] = kept++;
  }
  for (int k = 0; k < 3 * m->triangle_count; ++k) m->triangles[k] = number[m->triangles[k]];
  m->vertex_count = kept;
}

// --- triangles without area ------------------------------------------------------------------------------------------

static bool repeats(const int* c) { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0]; }

static bool has_area(const ChMeshHeal* m, int t) {
  const int* c = m->triangles + 3 * t;
  ChVec3 a = ch_sub(m->vertices[c[1]], m->vertices[c[0]]), b = ch_sub(m->vertices[c[2]], m->vertices[c[0]]);
  return ch_norm(ch_cross(a, b)) > NO_AREA * (ch_dot(a, a) + ch_dot(b, b));
}

static int longest_side(const ChMeshHeal* m, int t) {
  int best = 0;
  double most = -1.0;
  for (int k = 0; k < 3; ++k) {
    double length =
        ch_norm(ch_sub(m->vertices[m->triangles[3 * t + (k + 1) % 3]], m->vertices[m->triangles[3 * t + k]]));
    if (length > most) most = length, best = k;
  }
  return best;
}

// Where the half-edges of an edge begin among the sorted ones, or `count`.
static int find_edge(const ChHalfEdge* halves, int count, int a, int b) {
  int low = a < b ? a : b, high = a < b ? b : a, from = 0, to = count;
  while (from < to) {
    int at = from + (to - from) / 2;
    if (halves[at].low < low || (halves[at].low == low && halves[at].high < high))
      from = at + 1;
    else
      to = at;
  }
  return from < count && halves[from].low == low && halves[from].high == high ? from : count;
}

// Cuts triangle `place` / 3 in two at the vertex w, which lies on its side `place` % 3. The second half is appended.
static void cut_side(ChMeshHeal* m, int place, int w, int* end) {
  int t = place / 3, k = place % 3, *c = m->triangles + 3 * t;
  const int from = c[k], to = c[(k + 1) % 3], tip = c[(k + 2) % 3];
  const int halves[2][3] = {{from, w, tip}, {w, to, tip}};
  memcpy(c, halves[0], sizeof halves[0]);
  memcpy(m->triangles + 3 * (*end)++, halves[1], sizeof halves[1]);
}

// One pass over triangles that do not touch each other; returns whether there may be more to do. Each triangle that
// goes leaves room for the half that is appended.
static bool drop_thin_once(ChArena* arena, ChMeshHeal* m) {
  int count = 3 * m->triangle_count, end = m->triangle_count;
  const ChHalfEdge* halves = ch_half_edges(arena, m->triangle_count, m->triangles);
  unsigned char* state = CH_TAKE(arena, m->triangle_count, unsigned char);  // 1: goes, 2: was cut
  bool more = false;
  for (int t = 0; t < m->triangle_count; ++t) {
    const int* c = m->triangles + 3 * t;
    if (state[t] || (!repeats(c) && has_area(m, t))) continue;
    if (!repeats(c)) {
      int k = longest_side(m, t), a = c[k], b = c[(k + 1) % 3], w = c[(k + 2) % 3];
      int at = find_edge(halves, count, a, b), next = at < count ? ch_half_edges_next(halves, count, at) : at;
      while (at < next && (halves[at].place / 3 == t || state[halves[at].place / 3]))
        more |= halves[at++].place / 3 != t;
      if (at < next) {
        cut_side(m, halves[at].place, w, &end);
        state[halves[at].place / 3] = 2;
        more = true;
      }
    }
    note(m, CH_HEAL_THIN, m->vertices[c[0]]);
    state[t] = 1;
  }
  int kept = 0, old = m->triangle_count;
  for (int t = 0; t < end; ++t)
    if (t >= old || state[t] != 1) memmove(m->triangles + 3 * kept++, m->triangles + 3 * t, 3 * sizeof(int));
  m->triangle_count = kept;
  return more;
}

// --- triangles that are there twice ----------------------------------------------------------------------------------

typedef struct Cornered {
  int corner[3];  // ascending
  int sense, triangle;
} Cornered;

static int compare_cornered(const void* a, const void* b) {
  const Cornered *x = a, *y = b;
  for (int k = 0; k < 3; ++k)
    if (x->corner[k] != y->corner[k]) return x->corner[k] < y->corner[k] ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static Cornered cornered(const int* c, int t) {
  int first = c[1] < c[0] ? 1 : 0;
  if (c[2] < c[first]) first = 2;
  int second = c[(first + 1) % 3], third = c[(first + 2) % 3];
  bool turned = second > third;
  return (Cornered){{c[first], turned ? third : second, turned ? second : third}, turned ? -1 : 1, t};
}

static void drop_doubled(ChArena* arena, ChMeshHeal* m) {
  int n = m->triangle_count, kept = 0;
  Cornered* all = CH_TAKE(arena, n, Cornered);
  unsigned char* goes = CH_TAKE(arena, n, unsigned char);
  for (int t = 0; t < n; ++t) all[t] = cornered(m->triangles + 3 * t, t);
  qsort(all, (size_t)n, sizeof *all, compare_cornered);
  for (int k = 0, next; k < n; k = next) {
    int sum = 0;
    for (next = k; next < n && memcmp(all[k].corner, all[next].corner, sizeof all[k].corner) == 0; ++next)
      sum += all[next].sense;
    int stays = -1;
    for (int j = k; j < next && stays < 0 && sum != 0; ++j)
      if (all[j].sense * sum > 0) stays = j;
    for (int j = k; j < next; ++j) {
      if (j == stays) continue;
      goes[all[j].triangle] = 1;
      note(m, sum == 0 || all[j].sense * sum < 0 ? CH_HEAL_FACING : CH_HEAL_DOUBLED, middle(m, all[j].triangle));
    }
  }
  for (int t = 0; t < n; ++t)
    if (!goes[t]) memmove(m->triangles + 3 * kept++, m->triangles + 3 * t, 3 * sizeof(int));
  m->triangle_count = kept;
}

// --- sides -----------------------------------------------------------------------------------------------------------

static void turn(int* c) {
  int second = c[1];
  c[1] = c[2];
  c[2] = second;
}

static double volume(const ChMeshHeal* m, int t) {
  const int* c = m->triangles + 3 * t;
  return ch_dot(m->vertices[c[0]], ch_cross(m->vertices[c[1]], m->vertices[c[2]])) / 6.0;
}

typedef struct Sides {
  ChMeshHeal* m;
  int* mate;          // half-edge place -> that of the only other triangle there, -1: none, -2: several
  signed char* side;  // triangle -> 1 as it is, -1 to be turned, 0 not seen yet
  int* queue;
} Sides;

static void find_mates(ChArena* arena, const Sides* s) {
  int count = 3 * s->m->triangle_count;
  const ChHalfEdge* halves = ch_half_edges(arena, s->m->triangle_count, s->m->triangles);
  for (int k = 0, next; k < count; k = next) {
    next = ch_half_edges_next(halves, count, k);
    for (int j = k; j < next; ++j) s->mate[halves[j].place] = next - k == 1 ? -1 : -2;
    if (next - k != 2) continue;
    s->mate[halves[k].place] = halves[k + 1].place;
    s->mate[halves[k + 1].place] = halves[k].place;
  }
}

// Gives all triangles that hang together with the first one a side; returns how many, in the queue.
static int spread(const Sides* s, int first, bool* closed, int* turned) {
  int done = 0, count = 0;
  s->side[first] = 1;
  s->queue[count++] = first;
  *closed = true;
  for (*turned = 0; done < count; ++done) {
    int t = s->queue[done];
    *turned += s->side[t] < 0;
    for (int k = 0; k < 3; ++k) {
      int place = 3 * t + k, mate = s->mate[place];
      *closed = *closed && mate != -1;
      if (mate < 0 || s->side[mate / 3] != 0) continue;
      bool opposed = s->m->triangles[place] == s->m->triangles[mate];  // both leave the same corner
      s->side[mate / 3] = (signed char)(opposed ? -s->side[t] : s->side[t]);
      s->queue[count++] = mate / 3;
    }
  }
  return count;
}

static void turn_sides(ChArena* arena, ChMeshHeal* m) {
  int n = m->triangle_count;
  double all = 0.0;
  Sides s = {m, CH_TAKE(arena, 3 * n, int), (signed char*)CH_TAKE(arena, n, signed char), CH_TAKE(arena, n, int)};
  bool all_closed = true;
  find_mates(arena, &s);
  for (int t = 0; t < n; ++t) {
    if (s.side[t] != 0) continue;
    bool closed;
    int turned, count = spread(&s, t, &closed, &turned);
    double inside = 0.0;
    for (int k = 0; k < count; ++k) inside += s.side[s.queue[k]] * volume(m, s.queue[k]);
    bool invert = turned > 0 && (closed ? inside < 0.0 : 2 * turned > count);
    for (int k = 0; invert && k < count; ++k) s.side[s.queue[k]] = (signed char)-s.side[s.queue[k]];
    all += invert ? -inside : inside;
    all_closed = all_closed && closed;
  }
  bool inside_out = all_closed && all < 0.0;
  for (int t = 0; t < n; ++t) {
    if ((s.side[t] < 0) == inside_out) continue;
    note(m, CH_HEAL_TURNED, middle(m, t));
    turn(m->triangles + 3 * t);
  }
}

// --- holes -----------------------------------------------------------------------------------------------------------

// Follows the border from the half-edge that leaves `start`; returns the number of its sides, 0 where it is longer.
static int walk_border(const int* leaves, const int* triangles, int start, int* corner) {
  int v = start;
  for (int count = 0; count < MOST_SIDES; ++count) {
    if (leaves[v] < 0) return 0;
    corner[count] = v;
    int place = leaves[v];
    v = triangles[place % 3 == 2 ? place - 2 : place + 1];
    if (v == start) return count + 1;
  }
  return 0;
}

// Whether the sides of the hole belong to different triangles: else it is the outer border of a few of them.
static bool are_apart(const int* leaves, int sides, const int* corner) {
  for (int k = 0; k < sides; ++k)
    for (int j = 0; j < k; ++j)
      if (leaves[corner[k]] / 3 == leaves[corner[j]] / 3) return false;
  return true;
}

static void fill_holes(ChArena* arena, ChMeshHeal* m) {
  int n = m->triangle_count, end = n;
  const ChHalfEdge* halves = ch_half_edges(arena, n, m->triangles);
  int* leaves = CH_TAKE(arena, m->vertex_count, int);  // vertex -> the half-edge at a border that leaves it
  int* larger = CH_TAKE(arena, 9 * n, int);            // a hole takes three corners at least, and adds two triangles
  for (int v = 0; v < m->vertex_count; ++v) leaves[v] = -1;
  for (int k = 0, next; k < 3 * n; k = next) {
    next = ch_half_edges_next(halves, 3 * n, k);
    if (next - k == 1) leaves[m->triangles[halves[k].place]] = halves[k].place;
  }
  memcpy(larger, m->triangles, 3 * (size_t)n * sizeof *larger);
  for (int v = 0; v < m->vertex_count; ++v) {
    int c[MOST_SIDES], sides = walk_border(leaves, m->triangles, v, c);
    if (sides < 3 || !are_apart(leaves, sides, c)) continue;
    for (int k = 0; k < sides; ++k) leaves[c[k]] = -1;
    for (int k = 1; k + 1 < sides; ++k) {  // against the way of the border
      const int cell[3] = {c[0], c[k + 1], c[k]};
      memcpy(larger + 3 * end++, cell, sizeof cell);
    }
    note(m, CH_HEAL_FILLED, m->vertices[v]);
  }
  m->triangles = larger;
  m->triangle_count = end;
}

// --- all -------------------------------------------------------------------------------------------------------------

bool ch_mesh_heal(ChArena* arena, int vertex_count, const ChVec3* vertices, int triangle_count, const int* triangles,
                  bool closed, ChMeshHeal* out) {
  CH_ASSERT(vertex_count > 0 && triangle_count > 0);
  *out = (ChMeshHeal){.vertex_count = vertex_count, .triangle_count = triangle_count};
  out->vertices = CH_TAKE(arena, vertex_count, ChVec3);
  out->triangles = CH_TAKE(arena, 6 * (size_t)triangle_count, int);  // halves of cut ones are appended
  memcpy(out->vertices, vertices, (size_t)vertex_count * sizeof *vertices);
  memcpy(out->triangles, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
  merge_vertices(arena, out);
  for (int pass = 0; pass < THIN_PASSES && drop_thin_once(arena, out); ++pass)
    ;
  drop_doubled(arena, out);
  if (out->triangle_count > 0) turn_sides(arena, out);
  if (out->triangle_count > 0 && closed) fill_holes(arena, out);
  drop_unused(arena, out);
  int done = 0;
  for (int k = 0; k < CH_HEALS; ++k) done += out->count[k];
  return done > 0 && out->triangle_count > 0;
}

void ch_mesh_heal_tell(const ChMeshHeal* heal, int size, char* text) {
  static const char* const words[CH_HEALS] = {
      "%d vertices merged",           "%d triangles without area removed",
      "%d doubled triangles removed", "%d triangles that lay back to back were removed",
      "%d triangles turned round",    "%d holes filled"};
  int used = 0;
  text[0] = '\0';
  for (int k = 0; k < CH_HEALS; ++k) {
    if (heal->count[k] == 0) continue;
    char part[128];
    const ChVec3 at = heal->first[k];
    int length = snprintf(part, sizeof part, words[k], heal->count[k]);
    snprintf(part + length, sizeof part - (size_t)length, ", the first at (%.4g, %.4g, %.4g)", at.x, at.y, at.z);
    int more = snprintf(text + used, (size_t)(size - used), "%s%s", used > 0 ? "; " : "", part);
    if (more >= size - used) return;
    used += more;
  }
}
