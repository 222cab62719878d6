// See broad.h.
#include "collide/broad.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "collide/reserve.h"
#include "collide/shape_box.h"

enum {
  BINS_PER_OCTAVE = 8,  // phases that are tried
  LEVELS = 48,          // the finest boxes of a wider range share a level
  BINS = LEVELS * BINS_PER_OCTAVE,
  FEW = 8,   // a level with at most as many boxes has no grid
  ALL = 24,  // nor have so many boxes, whatever their sizes: finding levels takes longer
};

typedef struct Entry {
  ChBox3 box;
  int item, body;
  uint32_t cell[3];
  int16_t level;
  bool moves;
} Entry;

typedef struct Level {
  double inverse, half;  // 1 / cell, cell / 2
  int count;
} Level;

struct ChBroad {
  ChArena* arena;
  Level levels[LEVELS];
  int item_room, bucket_room, pair_room, spare_room, start_room;
  int pair_count;
  int16_t* level;  // of items
  int* bucket;     // of items
  Entry* entries;  // sorted by bucket
  int entry_count;
  int* bucket_start;
  int* start;  // scratch of sorting pairs
  ChBroadPair *pairs, *spare;
  uint32_t mask;
};

ChBroad* ch_broad_create(ChArena* arena) {
  ChBroad* broad = CH_TAKE(arena, 1, ChBroad);
  if (broad) broad->arena = arena;
  return broad;
}

static void emit(ChBroad* broad, int i, int j) {
  CH_RESERVE(broad->arena, broad->pairs, broad->pair_count, broad->pair_count + 1, broad->pair_room);
  broad->pairs[broad->pair_count++] = (ChBroadPair){{i < j ? i : j, i < j ? j : i}};
}

// --- levels ----------------------------------------------------------------------------------------------------------

// Edges are sorted into bins: bin b holds those up to 2^(b / BINS_PER_OCTAVE).
static int bin_of(const ChBox3* box) {
  double edge = fmax(box->high.x - box->low.x, fmax(box->high.y - box->low.y, box->high.z - box->low.z));
  return (int)ceil(BINS_PER_OCTAVE * log2(fmax(edge, 1e-150)));
}

static int level_of(int bin, int phase) { return (bin - phase + BINS_PER_OCTAVE - 1) / BINS_PER_OCTAVE; }

// The phase of the cells' edges at which cells are least too large: sum of (cell / box)^3.
static int best_phase(const int* histogram) {
  int best = 0;
  double least = INFINITY;
  for (int phase = 0; phase < BINS_PER_OCTAVE; ++phase) {
    double waste = 0.0;
    for (int bin = 0; bin < BINS; ++bin)
      if (histogram[bin])
        waste += histogram[bin] * exp2(3.0 * (level_of(bin, phase) * BINS_PER_OCTAVE + phase - bin) / BINS_PER_OCTAVE);
    if (waste < least) {
      least = waste;
      best = phase;
    }
  }
  return best;
}

static void choose_levels(ChBroad* broad, int count, const ChBroadItem* items) {
  if (count <= ALL) {
    memset(broad->levels, 0, sizeof broad->levels);
    if (count > 0) memset(broad->level, 0, (size_t)count * sizeof *broad->level);
    return;
  }
  int top = INT_MIN, histogram[BINS] = {0};
  for (int i = 0; i < count; ++i) {
    if (items[i].plane) continue;
    broad->bucket[i] = bin_of(&items[i].box);
    if (broad->bucket[i] > top) top = broad->bucket[i];
  }
  if (top == INT_MIN) top = 0;                      // nothing, or planes only
  int bottom = top - (BINS - BINS_PER_OCTAVE - 1);  // room for one level more, whatever the phase
  for (int i = 0; i < count; ++i) {
    if (items[i].plane) continue;
    int bin = broad->bucket[i] - bottom;
    broad->bucket[i] = bin > 0 ? bin : 0;
    ++histogram[broad->bucket[i]];
  }
  int phase = best_phase(histogram);
  for (int l = 0; l < LEVELS; ++l) {
    double cell =
        exp2((double)(l * BINS_PER_OCTAVE + phase + bottom) / BINS_PER_OCTAVE) * (1.0 + 1e-9);  // more than rounding
    broad->levels[l] = (Level){.inverse = 1.0 / cell, .half = 0.5 * cell};
  }
  for (int i = 0; i < count; ++i) {
    if (items[i].plane) continue;
    broad->level[i] = (int16_t)level_of(broad->bucket[i], phase);
    ++broad->levels[broad->level[i]].count;
  }
}

// --- cells (numbered modulo 2^32: far apart, two may have the same number, and their boxes tell them apart) ----------

static uint32_t cell_of(double x, double inverse) {
  return (uint32_t)(int64_t)floor(ch_clamp(x * inverse, -1e18, 1e18));
}

// Blocks of 4 x 4 x 4 cells are hashed, the cells of a block follow each other: neighbours are near in memory.
static uint32_t bucket_of(const ChBroad* broad, int level, uint32_t x, uint32_t y, uint32_t z) {
  uint64_t block = (uint64_t)(x >> 2) * 0x9e3779b97f4a7c15u ^ (uint64_t)(y >> 2) * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)(z >> 2) * 0x165667b19e3779f9u ^ (uint64_t)level * 0xd6e8feb86659fd93u;
  return ((uint32_t)(block >> 32) << 6 | (z & 3) << 4 | (y & 3) << 2 | (x & 3)) & broad->mask;
}

static Entry entry_of(const ChBroad* broad, int i, const ChBroadItem* item) {
  Entry e = {.box = item->box, .item = i, .body = item->body, .level = broad->level[i], .moves = item->moves};
  double inverse = broad->levels[e.level].inverse;
  for (int k = 0; k < 3; ++k)
    e.cell[k] = cell_of(0.5 * (ch_component(e.box.low, k) + ch_component(e.box.high, k)), inverse);
  return e;
}

static bool in_grid(const ChBroad* broad, const ChBroadItem* item, int i) {
  return !item->plane && broad->levels[broad->level[i]].count > FEW;
}

// Entries sorted by bucket, by counting.
static void fill_grid(ChBroad* broad, int count, const ChBroadItem* items) {
  uint32_t size = 64;
  while (size < 4u * (uint32_t)count && size < 1u << 30) size *= 2;
  broad->mask = size - 1;
  CH_RESERVE(broad->arena, broad->bucket_start, 0, (int)size + 1, broad->bucket_room);
  memset(broad->bucket_start, 0, ((size_t)size + 1) * sizeof *broad->bucket_start);
  broad->entry_count = 0;
  for (int i = 0; i < count; ++i) {
    if (!in_grid(broad, &items[i], i)) continue;
    Entry e = entry_of(broad, i, &items[i]);
    broad->bucket[i] = (int)bucket_of(broad, e.level, e.cell[0], e.cell[1], e.cell[2]);
    ++broad->bucket_start[broad->bucket[i]];
    ++broad->entry_count;
  }
  int sum = 0;
  for (uint32_t b = 0; b <= size; ++b) {
    sum += broad->bucket_start[b];
    broad->bucket_start[b] = sum;  // the end of the bucket: filling from behind makes it the beginning
  }
  for (int i = count - 1; i >= 0; --i)
    if (in_grid(broad, &items[i], i))
      broad->entries[--broad->bucket_start[broad->bucket[i]]] = entry_of(broad, i, &items[i]);
}

// Entries of a bucket from one on, in the cell x, y, z.
static void search_bucket(ChBroad* broad, const Entry* e, int from, uint32_t bucket, int level, const uint32_t* cell) {
  for (int k = from; k < broad->bucket_start[bucket + 1]; ++k) {
    const Entry* f = &broad->entries[k];
    if (!ch_boxes_meet(&e->box, &f->box) || f->body == e->body || !(e->moves || f->moves)) continue;
    if (f->level != level || memcmp(f->cell, cell, sizeof f->cell) != 0) continue;  // the bucket is shared
    emit(broad, e->item, f->item);
  }
}

// Whether the cell comes before that of the entry: then a box in it that meets the entry's finds the entry.
static bool comes_before(const uint32_t* cell, const Entry* e) {
  int k = 2;
  while (k > 0 && cell[k] == e->cell[k]) --k;
  return (int32_t)(cell[k] - e->cell[k]) < 0;
}

// For entry i. Its own cell from behind it on.
static void search_level(ChBroad* broad, int i, int level) {
  const Entry* e = &broad->entries[i];
  uint32_t low[3], reach[3], cell[3];
  const Level* l = &broad->levels[level];
  for (int k = 0; k < 3; ++k) {
    low[k] = cell_of(ch_component(e->box.low, k) - l->half, l->inverse);
    reach[k] = cell_of(ch_component(e->box.high, k) + l->half, l->inverse) - low[k];
  }
  for (uint32_t z = 0; z <= reach[2]; ++z)
    for (uint32_t y = 0; y <= reach[1]; ++y)
      for (uint32_t x = 0; x <= reach[0]; ++x) {
        for (int k = 0; k < 3; ++k) cell[k] = low[k] + (k == 0 ? x : k == 1 ? y : z);
        if (level == e->level && comes_before(cell, e)) continue;
        bool own = level == e->level && memcmp(cell, e->cell, sizeof cell) == 0;
        uint32_t bucket = bucket_of(broad, level, cell[0], cell[1], cell[2]);
        search_bucket(broad, e, own ? i + 1 : broad->bucket_start[bucket], bucket, level, cell);
      }
}

// --- those without a grid --------------------------------------------------------------------------------------------

static void compare_with_all(ChBroad* broad, int i, int count, const ChBroadItem* items) {
  for (int j = 0; j < count; ++j) {
    if (items[j].plane || items[j].body == items[i].body || !(items[j].moves || items[i].moves)) continue;
    if (j >= i && !in_grid(broad, &items[j], j)) continue;  // two of the few: once
    if (ch_boxes_meet(&items[i].box, &items[j].box)) emit(broad, i, j);
  }
}

static double lowest(const ChBox3* box, ChVec3 n) {
  return n.x * (n.x > 0.0 ? box->low.x : box->high.x) + n.y * (n.y > 0.0 ? box->low.y : box->high.y) +
         n.z * (n.z > 0.0 ? box->low.z : box->high.z);
}

static void compare_with_plane(ChBroad* broad, const ChBroadPlane* plane, int count, const ChBroadItem* items) {
  for (int j = 0; j < count; ++j)
    if (!items[j].plane && items[j].moves && items[j].body != items[plane->item].body &&
        lowest(&items[j].box, plane->normal) <= plane->offset)
      emit(broad, plane->item, j);
}

// --- order -----------------------------------------------------------------------------------------------------------

static void sort_by(ChBroad* broad, int which, int count, const ChBroadPair* from, ChBroadPair* to) {
  memset(broad->start, 0, ((size_t)count + 1) * sizeof *broad->start);
  for (int k = 0; k < broad->pair_count; ++k) ++broad->start[from[k].item[which] + 1];
  for (int i = 0; i < count; ++i) broad->start[i + 1] += broad->start[i];
  for (int k = 0; k < broad->pair_count; ++k) to[broad->start[from[k].item[which]]++] = from[k];
}

int ch_broad_find(ChBroad* broad, int count, const ChBroadItem* items, int plane_count, const ChBroadPlane* planes,
                  const ChBroadPair** pairs) {
  CH_ASSERT(count >= 0 && plane_count >= 0);
  if (broad->item_room < count) {
    broad->level = CH_TAKE(broad->arena, count, int16_t);
    broad->bucket = CH_TAKE(broad->arena, count, int);
    broad->entries = CH_TAKE(broad->arena, count, Entry);
    broad->start = CH_TAKE(broad->arena, count + 1, int);
    broad->item_room = count;  // last: a take that fails leaves this function
  }
  broad->pair_count = 0;
  choose_levels(broad, count, items);
  fill_grid(broad, count, items);
  for (int k = 0; k < broad->entry_count; ++k)
    for (int level = broad->entries[k].level; level < LEVELS; ++level)
      if (broad->levels[level].count > FEW) search_level(broad, k, level);
  for (int i = 0; i < count; ++i)
    if (!items[i].plane && !in_grid(broad, &items[i], i)) compare_with_all(broad, i, count, items);
  for (int p = 0; p < plane_count; ++p) compare_with_plane(broad, &planes[p], count, items);
  CH_RESERVE(broad->arena, broad->spare, 0, broad->pair_count, broad->spare_room);
  if (broad->pair_count) {
    sort_by(broad, 1, count, broad->pairs, broad->spare);
    sort_by(broad, 0, count, broad->spare, broad->pairs);
  }
  *pairs = broad->pairs;
  return broad->pair_count;
}
