// See bend.h.
#include "step/bend.h"

#include <stdlib.h>

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

static bool add(ChBends* bends, const ChGap* gap, double by) {
  if (bends->count == bends->room) {
    int room = bends->room ? 2 * bends->room : 64;
    ChGapBend* grown = realloc(bends->list, (size_t)room * sizeof *grown);
    if (!grown) return false;
    bends->list = grown, bends->room = room;
  }
  bends->list[bends->count++] = (ChGapBend){.shape = {gap->shape[0], gap->shape[1]}, .key = gap->key, .by = by};
  return true;
}

bool ch_bends_find(ChBends* bends, const ChMoment* moment, const ChBodyState* end, const ChGap* gaps, int count,
                   double h) {
  CH_ASSERT(h > 0.0);
  const ChGap *then = moment->gaps, *last = moment->gaps + moment->gap_count;
  bends->count = 0;
  bends->waits = false;
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
