// Coordination numbers: see coordination.h.
#include "measure/coordination.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "measure/grains.h"
#include "measure/near_pairs.h"

static int by_pair(const void* a, const void* b) {
  const ChTouch *p = a, *q = b;
  if (p->grain[0] != q->grain[0]) return p->grain[0] < q->grain[0] ? -1 : 1;
  if (p->grain[1] != q->grain[1]) return p->grain[1] < q->grain[1] ? -1 : 1;
  return (p->wall > q->wall) - (p->wall < q->wall);
}

static void join_equals(ChTouches* t) {
  if (t->count == 0) return;
  qsort(t->list, (size_t)t->count, sizeof *t->list, by_pair);
  int kept = 0;
  for (int k = 1; k < t->count; ++k) {
    if (by_pair(&t->list[k], &t->list[kept]) == 0)
      t->list[kept].loaded = t->list[kept].loaded || t->list[k].loaded;
    else
      t->list[++kept] = t->list[k];
  }
  t->count = kept + 1;
}

ChTouches ch_touches_of_contacts(ChArena* arena, const ChGrains* grains, int count, const ChContactView* contacts,
                                 double gap) {
  ChTouches t = {.list = CH_TAKE(arena, count, ChTouch), .forces = true};
  for (int k = 0; k < count; ++k) {
    const ChContactView* c = &contacts[k];
    int a = grains->of_body[c->body[0]], b = grains->of_body[c->body[1]];
    bool loaded = !ch_vec_is_zero(c->force);
    if ((a < 0 && b < 0) || !(loaded || c->gap <= gap)) continue;
    ChTouch touch = {{a < b ? a : b, a < b ? b : a}, -1, loaded};
    if (touch.grain[0] < 0) touch.wall = a < 0 ? c->body[0] : c->body[1];
    t.list[t.count++] = touch;
  }
  join_equals(&t);
  return t;
}

typedef struct Search {
  const ChGrains* grains;
  double gap;
  ChTouches* touches;  // NULL list: only counted
} Search;

static void take_pair(void* state, int a, int b, ChVec3 shift) {
  Search* s = state;
  const ChGrains* g = s->grains;
  if (!(g->round[a] && g->round[b] && ch_norm(shift) - g->radius[a] - g->radius[b] <= s->gap)) return;
  if (s->touches->list) s->touches->list[s->touches->count] = (ChTouch){{a, b}, -1, false};
  ++s->touches->count;
}

ChTouches ch_touches_of_distances(ChArena* arena, const ChGrains* grains, double gap) {
  double largest = 0.0;
  for (int k = 0; k < grains->count; ++k) largest = grains->radius[k] > largest ? grains->radius[k] : largest;
  ChTouches t = {0};
  Search search = {grains, gap, &t};
  double reach = 2.0 * largest + (gap > 0.0 ? gap : 0.0);
  ChRegion cell = ch_grains_bounds(grains);
  ch_near_pairs(arena, grains->count, grains->at, reach, &cell, take_pair, &search);
  t.list = CH_TAKE(arena, t.count + 1, ChTouch);
  t.count = 0;
  ch_near_pairs(arena, grains->count, grains->at, reach, &cell, take_pair, &search);
  return t;
}

void ch_coordination_add(ChArena* arena, ChCoordination* c, const ChGrains* grains, const ChRegion* region,
                         const ChTouches* touches) {
  ChArenaMark mark = ch_arena_mark(arena);
  int* touching = CH_TAKE(arena, grains->count, int);
  int* loaded = CH_TAKE(arena, grains->count, int);
  int* walls = CH_TAKE(arena, grains->count, int);
  for (int k = 0; k < touches->count; ++k) {
    const ChTouch* t = &touches->list[k];
    bool wall = t->grain[0] < 0;
    for (int side = wall ? 1 : 0; side < 2; ++side) {
      touching[t->grain[side]] += !wall;
      loaded[t->grain[side]] += !wall && t->loaded;
      walls[t->grain[side]] += wall && t->loaded;
    }
  }
  for (int k = 0; k < grains->count; ++k) {
    if (!ch_region_holds(region, grains->at[k])) continue;
    ++c->grains;
    c->forced += touches->forces;
    ++c->by_number[touching[k] < CH_COORDINATION_MAX ? touching[k] : CH_COORDINATION_MAX];
    c->touching += touching[k];
    c->loaded += loaded[k];
    c->loaded_walls += walls[k];
    c->rattlers += touches->forces && loaded[k] + walls[k] < 2;
  }
  ch_arena_release(arena, mark);
}

double ch_coordination_mean(const ChCoordination* c) {
  return c->grains > 0 ? (double)c->touching / (double)c->grains : NAN;
}

double ch_coordination_loaded(const ChCoordination* c) {
  return c->forced > 0 ? (double)(c->loaded + c->loaded_walls) / (double)c->forced : NAN;
}

double ch_coordination_rattlers(const ChCoordination* c) {
  return c->forced > 0 ? (double)c->rattlers / (double)c->forced : NAN;
}
