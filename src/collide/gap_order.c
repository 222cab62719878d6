// See gap_order.h.
#include "collide/gap_order.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 256, RUN = 8 };  // so many are sorted without another's help; so many by inserting

typedef struct Place {
  uint64_t key;
  int from;
} Place;

static int compare_keys(const void* a, const void* b) {
  const ChGap *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static void insert(int count, Place* places) {
  for (int i = 1; i < count; ++i) {
    Place place = places[i];
    int k = i;
    for (; k > 0 && places[k - 1].key > place.key; --k) places[k] = places[k - 1];
    places[k] = place;
  }
}

// Two sorted runs that lie one behind the other; of equals the first one's come first.
static void merge(int first, int second, const Place* places, Place* to) {
  const Place *a = places, *b = places + first, *a_end = b, *b_end = b + second;
  while (a < a_end && b < b_end) *to++ = b->key < a->key ? *b++ : *a++;
  memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
  memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

// What comes to place i is at from[i]: along every cycle, one point at a time.
static void arrange(int count, Place* places, ChGap* points) {
  for (int i = 0; i < count; ++i) {
    if (places[i].from == i) continue;
    ChGap first = points[i];
    int to = i;
    for (int from; (from = places[to].from) != i; to = from) {
      points[to] = points[from];
      places[to].from = to;
    }
    points[to] = first;
    places[to].from = to;
  }
}

void ch_order_by_key(int count, ChGap* points) {
  Place room[2][FEW], *places = room[0], *other = room[1];
  if (count > FEW) {
    qsort(points, (size_t)count, sizeof *points, compare_keys);
    return;
  }
  for (int i = 0; i < count; ++i) places[i] = (Place){points[i].key, i};
  for (int i = 0; i < count; i += RUN) insert(count - i < RUN ? count - i : RUN, places + i);
  for (int run = RUN; run < count; run *= 2) {
    for (int i = 0; i < count; i += 2 * run) {
      int first = count - i < run ? count - i : run, second = count - i - first < run ? count - i - first : run;
      merge(first, second, places + i, other + i);
    }
    Place* swapped = places;
    places = other, other = swapped;
  }
  arrange(count, places, points);
}

bool ch_gaps_are_sorted(int count, const ChGap* gaps) {
  for (int k = 0; k < count; ++k) {
    const ChGap *a = &gaps[k > 0 ? k - 1 : 0], *b = &gaps[k];
    const bool itself = b->body[0] == b->body[1] && b->shape[0] == b->shape[1];  // self_touch.h
    if (b->body[0] >= b->body[1] && !itself) return false;
    if (k == 0 || a->shape[0] < b->shape[0]) continue;
    if (a->shape[0] > b->shape[0] || a->shape[1] > b->shape[1]) return false;
    if (a->shape[1] == b->shape[1] && a->key > b->key) return false;
  }
  return true;
}
