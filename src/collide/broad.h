// Broad phase: which boxes overlap, in time linear in the number of boxes whatever their sizes.
//
// Why a grid in levels: a sweep along one axis is quadratic in a heap of bodies, and a tree costs a logarithm and is
// rebuilt or mended as bodies move. A grid is built from nothing in a few passes over the boxes, so a step depends on
// the last one in nothing (the same positions give the same pairs, after a checkpoint too), and it is linear as long as
// a cell is about as large as what lies in it. Hence levels: a box lives in the level whose cells are the next larger
// ones, in the one cell that holds its centre; cells double from level to level and their phase is chosen so that the
// boxes fill them as well as they can. A box of edge w <= s meets only boxes whose centres are within (w + s) / 2, that
// is in at most 3 x 3 x 3 cells of edge s; it asks its own and all coarser levels, never finer ones. Cells are found by
// hashing, those of a small block together. A level with few boxes (a floor, a big mesh) is not worth a grid:
// everybody is compared with each of them. Half-spaces have no box and are compared with everybody.
#ifndef CH_COLLIDE_BROAD_H
#define CH_COLLIDE_BROAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/mesh/mesh.h"

typedef struct ChBroadItem {
  ChBox3 box;  // not read where the item is a plane
  int body;
  bool moves;  // two that do not move are no pair, nor are two of one body
  bool plane;
} ChBroadItem;

// normal . x <= offset, margin included.
typedef struct ChBroadPlane {
  int item;
  ChVec3 normal;
  double offset;
} ChBroadPlane;

typedef struct ChBroadPair {
  int item[2];  // ascending
} ChBroadPair;

typedef struct ChBroad ChBroad;

// Lives in the arena, as do its tables, which grow to what was needed and stay.
ChBroad* ch_broad_create(ChArena* arena);

// Pairs sorted by (item[0], item[1]), each once; valid until the next call. Returns how many.
int ch_broad_find(ChBroad* broad, int count, const ChBroadItem* items, int plane_count, const ChBroadPlane* planes,
                  const ChBroadPair** pairs);

#endif
