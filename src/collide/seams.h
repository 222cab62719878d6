// Seams: where shapes that move as one lie flush, what is an edge of each is none of both.
//
// A body that slides from one fixed box onto the next would meet the edges of the second and be kicked by a wall that
// is not there. A point p with outward normal n on a shape A is no contact where another shape S of the same solid (of
// the same body, or both fixed) holds p and
//
//   n is a face's, and S covers that face all about p;  or
//   n is an edge's or corner's, and is no normal of S at p: S reaches further along n than p does.
//
// A and S are boxes, hulls, rectangles, polygons; S may be a half-space, too. Triangle surfaces look after their own.
#ifndef CH_COLLIDE_SEAMS_H
#define CH_COLLIDE_SEAMS_H

#include "collide/broad.h"
#include "collide/pairs.h"

typedef struct ChSeams {
  int* start;  // per shape, one more: its neighbours in the same solid
  int* neighbour;
} ChSeams;

// The arena has a landing.
ChSeams ch_seams_find(ChArena* arena, const ChWorld* world);

// Whether the point of shapes i and j lies on a seam of either. `posed`: all shapes; `items`: boxes that hold them.
bool ch_seams_hide(const ChSeams* seams, const ChPosed* posed, const ChBroadItem* items, int i, int j,
                   const ChGap* point);

#endif
