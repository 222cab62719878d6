// A heap of equal balls that starts near rest: placed one after the other where each comes to lie.
#ifndef CH_SCENE_BUILTIN_PACKING_H
#define CH_SCENE_BUILTIN_PACKING_H

#include <stdbool.h>

#include "base/vector.h"

// Inside is normal . x >= offset, normal of length 1.
typedef struct ChPackWall {
  ChVec3 normal;
  double offset;
} ChPackWall;

// A convex vessel that is open above; gravity is along -z.
typedef struct ChPackRoom {
  int count;
  const ChPackWall* walls;
  double low[2], high[2];  // around it, in x and y
  double bottom;           // lowest z in it
} ChPackRoom;

// Fills centre[0 .. n - 1]. No two balls overlap, and none overlaps a wall; the same numbers on every call. False: no
// memory, or nothing fits.
bool ch_pack_random(int n, double radius, const ChPackRoom* room, ChVec3* centre);

#endif
