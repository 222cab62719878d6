// Closest points of points, segments and polytopes: what the pairs of round shapes are made of.
#ifndef CH_COLLIDE_CLOSEST_H
#define CH_COLLIDE_CLOSEST_H

#include "collide/pairs.h"

// Angles below which two directions count as nearly parallel: then a whole stretch may touch, and its ends are listed.
#define CH_SINE_SLANTED 0.05
// ... and below which the point where two lines come closest means nothing any more.
#define CH_SINE_PARALLEL 1e-6

typedef struct ChSegment {
  ChVec3 end[2];
} ChSegment;

// The core of a capsule, in the world.
ChSegment ch_capsule_core(const ChPosed* capsule);

// Place of the point's foot on the segment's line: 0 and 1 are the ends; beyond them it is outside.
double ch_segment_foot(const ChSegment* s, ChVec3 point);
ChVec3 ch_segment_at(const ChSegment* s, double t);

// Closest points of two segments: places t[0], t[1] in [0, 1], exactly 0 or 1 at ends; the unit normal from the first
// to the second. `sine` of the angle between them. Where they cross, the normal is perpendicular to both.
typedef struct ChSegmentPair {
  double t[2], distance, sine;
  ChVec3 point[2], normal;
} ChSegmentPair;
ChSegmentPair ch_segment_pair(const ChSegment* a, const ChSegment* b);

// Signed distance of a point to a polytope, all in the polytope's frame: outward unit normal at the closest place,
// which is inside a face, on an edge (two vertices) or at a vertex.
typedef struct ChPolytopeFoot {
  double distance;
  ChVec3 normal;
  int face;       // -1 unless inside a face, or the point is inside the polytope
  int vertex[2];  // edge: both, ascending; vertex: the same twice
} ChPolytopeFoot;
ChPolytopeFoot ch_polytope_foot(const ChPolytope* p, ChVec3 point);

#endif
