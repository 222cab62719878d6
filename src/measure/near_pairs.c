// Near pairs: points are sorted into cells as wide as the reach, and each looks into the cells around its own.
#include "measure/near_pairs.h"

#include <math.h>

#include "base/vector.h"

enum { CELLS_A_SIDE = 256 };  // more are not made: a cell is then wider

typedef struct Grid {
  ChVec3 low;
  double width;
  int cells[3];
  int *start, *member;  // points of cell c are member[start[c]] ... member[start[c + 1] - 1]
} Grid;

static int cell_along(const Grid* g, double value, int axis) {
  int cell = (int)floor((value - ch_component(g->low, axis)) / g->width);
  return cell < 0 ? 0 : cell >= g->cells[axis] ? g->cells[axis] - 1 : cell;
}

static int cell_of(const Grid* g, ChVec3 p) {
  return (cell_along(g, p.z, 2) * g->cells[1] + cell_along(g, p.y, 1)) * g->cells[0] + cell_along(g, p.x, 0);
}

static Grid make_grid(ChArena* arena, int count, const ChVec3* at, double reach) {
  ChVec3 low = at[0], high = at[0];
  for (int k = 1; k < count; ++k) {
    low = ch_vec(fmin(low.x, at[k].x), fmin(low.y, at[k].y), fmin(low.z, at[k].z));
    high = ch_vec(fmax(high.x, at[k].x), fmax(high.y, at[k].y), fmax(high.z, at[k].z));
  }
  ChVec3 span = ch_sub(high, low);
  double longest = fmax(span.x, fmax(span.y, span.z));
  Grid g = {.low = low, .width = fmax(reach, fmax(longest / CELLS_A_SIDE, 1e-300))};
  while (longest / g.width > 2.0 * cbrt(count) + 2.0) g.width *= 2.0;  // no more cells than pay
  for (int axis = 0; axis < 3; ++axis) g.cells[axis] = 1 + (int)(ch_component(span, axis) / g.width);
  int cells = g.cells[0] * g.cells[1] * g.cells[2];
  g.start = CH_TAKE(arena, cells + 1, int);
  g.member = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k) ++g.start[cell_of(&g, at[k]) + 1];
  for (int c = 0; c < cells; ++c) g.start[c + 1] += g.start[c];
  int* next = CH_TAKE(arena, cells, int);
  for (int c = 0; c < cells; ++c) next[c] = g.start[c];
  for (int k = 0; k < count; ++k) g.member[next[cell_of(&g, at[k])]++] = k;
  return g;
}

static void look_around(const Grid* g, int a, const ChVec3* at, double reach, ChNearFn tell, void* state) {
  int home[3] = {cell_along(g, at[a].x, 0), cell_along(g, at[a].y, 1), cell_along(g, at[a].z, 2)}, from[3], to[3];
  for (int axis = 0; axis < 3; ++axis) {
    from[axis] = home[axis] > 0 ? home[axis] - 1 : 0;
    to[axis] = home[axis] + 1 < g->cells[axis] ? home[axis] + 1 : home[axis];
  }
  for (int z = from[2]; z <= to[2]; ++z)
    for (int y = from[1]; y <= to[1]; ++y)
      for (int x = from[0]; x <= to[0]; ++x) {
        int cell = (z * g->cells[1] + y) * g->cells[0] + x;
        for (int k = g->start[cell]; k < g->start[cell + 1]; ++k) {
          int b = g->member[k];
          ChVec3 shift = ch_sub(at[b], at[a]);
          if (b > a && ch_dot(shift, shift) <= reach * reach) tell(state, a, b, shift);
        }
      }
}

static double shortest(double d, double period) { return d - period * round(d / period); }

static void look_through_images(int count, const ChVec3* at, double reach, const ChRegion* r, ChNearFn tell,
                                void* state) {
  ChVec3 size = ch_sub(r->high, r->low);
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      ChVec3 d = ch_sub(at[b], at[a]);
      d = ch_vec(shortest(d.x, size.x), shortest(d.y, size.y), r->dimension == 3 ? shortest(d.z, size.z) : 0.0);
      if (ch_dot(d, d) <= reach * reach) tell(state, a, b, d);
    }
}

// Points and, behind them, the images of those that are within reach of a border.
typedef struct Ghosts {
  int count;  // with the points
  int* of;    // point
  ChVec3* at;
} Ghosts;

static Ghosts add_ghosts(ChArena* arena, int count, const ChVec3* at, double reach, const ChRegion* r) {
  Ghosts g = {count, CH_TAKE_RAW(arena, 27 * (size_t)count, int), CH_TAKE_RAW(arena, 27 * (size_t)count, ChVec3)};
  for (int k = 0; k < count; ++k) g.of[k] = k, g.at[k] = at[k];
  for (int axis = 0; axis < 3; ++axis) {
    if (!r->wraps[axis]) continue;
    double low = ch_component(r->low, axis), high = ch_component(r->high, axis);
    for (int k = g.count - 1; k >= 0; --k) {
      double x = ch_component(g.at[k], axis);
      for (int side = -1; side <= 1; side += 2) {
        if (side < 0 ? x <= high - reach : x >= low + reach) continue;
        g.of[g.count] = g.of[k];
        g.at[g.count++] = ch_along(g.at[k], side * (high - low), ch_axis(axis));
      }
    }
  }
  return g;
}

typedef struct Across {
  const Ghosts* ghosts;
  int count;  // points that are none
  ChNearFn tell;
  void* state;
} Across;

// A pair of two points has two pairs with a ghost, one for each of them: that of the earlier point counts.
static void tell_across(void* state, int a, int b, ChVec3 shift) {
  const Across* across = state;
  int point = across->ghosts->of[b];
  if (a < across->count && point > a) across->tell(across->state, a, point, shift);
}

static void look_across(ChArena* arena, int count, const ChVec3* at, double reach, const ChRegion* r, ChNearFn tell,
                        void* state) {
  ChArenaMark mark = ch_arena_mark(arena);
  Ghosts ghosts = add_ghosts(arena, count, at, reach, r);
  Across across = {&ghosts, count, tell, state};
  Grid grid = make_grid(arena, ghosts.count, ghosts.at, reach);
  for (int a = 0; a < count; ++a) look_around(&grid, a, ghosts.at, reach, tell_across, &across);
  ch_arena_release(arena, mark);
}

void ch_near_pairs(ChArena* arena, int count, const ChVec3* at, double reach, const ChRegion* region, ChNearFn tell,
                   void* state) {
  if (count < 2) return;
  if (region && region->periodic) {
    look_through_images(count, at, reach, region, tell, state);
    return;
  }
  if (region && (region->wraps[0] || region->wraps[1] || region->wraps[2])) {
    look_across(arena, count, at, reach, region, tell, state);
    return;
  }
  ChArenaMark mark = ch_arena_mark(arena);
  Grid grid = make_grid(arena, count, at, reach);
  for (int a = 0; a < count; ++a) look_around(&grid, a, at, reach, tell, state);
  ch_arena_release(arena, mark);
}
