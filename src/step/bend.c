// See bend.h.
#include "step/bend.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static int order(const int a[2], uint64_t key_a, const int b[2], uint64_t key_b) {
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] != b[1]) return a[1] < b[1] ? -1 : 1;
  return (key_a > key_b) - (key_a < key_b);
}

void ch_bends_apply(ChBends* bends, double h, ChGap* gaps, int count) {
  bends->applied = bends->waits && bends->h == h;
  bends->waits = false;
  if (!bends->applied) return;
  int at = 0;
  for (int k = 0; k < count; ++k) {
    while (at < bends->count && order(bends->list[at].shape, bends->list[at].key, gaps[k].shape, gaps[k].key) < 0) ++at;
    if (at < bends->count && order(bends->list[at].shape, bends->list[at].key, gaps[k].shape, gaps[k].key) == 0)
      gaps[k].bend = bends->list[at].by;
  }
}

// n . (velocity of b's point - that of a's), with the velocities that the step ends with, where the step began.
static double speed_of(const ChMoment* moment, const ChBodyState* end, const ChGap* gap) {
  double speed = 0.0;
  for (int side = 0; side < 2; ++side) {
    const ChBodyState *from = &moment->states[gap->body[side]], *to = &end[gap->body[side]];
    ChVec3 omega = moment->world->dimension == 2 ? to->omega : ch_rotate(from->orientation, to->omega);
    ChVec3 v = ch_add(to->velocity, ch_cross(omega, ch_sub(ch_gap_point(gap, side), from->position)));
    speed += (side == 0 ? -1.0 : 1.0) * ch_dot(gap->normal, v);
  }
  return speed;
}

// Room for so many of a list; false where there is no memory.
static bool make_room(void** list, int* room, int count, size_t size) {
  if (count <= *room) return true;
  int wanted = count + count / 2 + 64;
  void* grown = realloc(*list, (size_t)wanted * size);
  if (!grown) return false;
  *list = grown, *room = wanted;
  return true;
}

static bool add(ChBends* bends, const ChGap* gap, double by) {
  void* list = bends->list;
  if (!make_room(&list, &bends->room, bends->count + 1, sizeof *bends->list)) return false;
  bends->list = list;
  bends->list[bends->count++] = (ChGapBend){.shape = {gap->shape[0], gap->shape[1]}, .key = gap->key, .by = by};
  return true;
}

void ch_bends_free(ChBends* bends) {
  free(bends->list);
  free(bends->gaps);
  free(bends->r);
  *bends = (ChBends){0};
}

static bool keep_gaps(ChBends* bends, const ChGap* gaps, int count) {
  void* list = bends->gaps;
  bends->gap_count = 0;
  if (!make_room(&list, &bends->gap_room, count, sizeof *gaps)) return false;
  bends->gaps = list;
  if (count > 0) memcpy(bends->gaps, gaps, (size_t)count * sizeof *gaps);
  bends->gap_count = count;
  return true;
}

bool ch_bends_has_gaps(const ChBends* bends, double h) { return bends->waits && bends->h == h && bends->gap_count > 0; }

bool ch_bends_keep_reactions(ChBends* bends, const double* r, int count) {
  void* list = bends->r;
  bends->row_count = 0;
  if (!make_room(&list, &bends->row_room, count, sizeof *r)) return false;
  bends->r = list;
  if (count > 0) memcpy(bends->r, r, (size_t)count * sizeof *r);
  bends->row_count = count;
  return true;
}

void ch_bends_recall(const ChBends* bends, double* r, int count) {
  if (bends->applied && bends->row_count == count && count > 0) memcpy(r, bends->r, (size_t)count * sizeof *r);
}

bool ch_bends_find(ChBends* bends, const ChMoment* moment, const ChBodyState* end, const ChGap* gaps, int count,
                   double h) {
  CH_ASSERT(h > 0.0);
  const ChGap *then = moment->gaps, *last = moment->gaps + moment->gap_count;
  bends->count = bends->row_count = 0;
  bends->waits = false;
  if (!keep_gaps(bends, moment->gaps, moment->gap_count)) return false;
  for (int k = 0; k < count; ++k) {
    while (then < last && order(then->shape, then->key, gaps[k].shape, gaps[k].key) < 0) ++then;
    if (then == last || !(gaps[k].gap < 0.0)) continue;
    if (order(then->shape, then->key, gaps[k].shape, gaps[k].key) != 0) continue;
    double by = gaps[k].gap - (then->gap + h * speed_of(moment, end, then));
    if (by < 0.0 && !add(bends, then, by)) return false;  // without memory the step is halved, as it would be anyhow
  }
  bends->h = h;
  bends->waits = bends->count > 0;
  return bends->waits;
}
