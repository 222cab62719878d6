// Positions to signed gaps: every pair of shapes nearer than its margin, with complete manifolds.
//
//   gap > 0 apart, = 0 touching, < 0 overlapping; normal unit, from shape[0]'s body to shape[1]'s; point midway between
//   the two surfaces.
//
// Bodies are ordered so that body[0] < body[1]. Pairs of two bodies neither of which is dynamic, pairs within one body
// and ignored pairs are left out. The list comes sorted by (shape[0], shape[1], key): the same input gives the same
// list, bit for bit. `key` names the features that touch (vertex on face, edge on edge ...) and stays while they do.
#ifndef CH_COLLIDE_COLLIDE_H
#define CH_COLLIDE_COLLIDE_H

#include <math.h>
#include <stdint.h>

#include "model/world.h"

typedef struct ChGap {
  int body[2], shape[2];
  ChVec3 point, normal;
  double gap;
  double closes;  // by so much the gap can shrink in the look-ahead; 0 where nobody asks, within the margin
  double bend;    // what the step adds to the gap beyond its normal's speed, metres: 0 until a try knows (step/bend.h)
  uint64_t key;
  ChVec3 shift;  // of the second body, which is met as an image of itself (images.h); else 0
  int skin[2];   // where a side is deformable: what of its skin touches, a vertex v as v, a triangle t as -2 - t; else
                 // -1
} ChGap;

// Whether both are one contact up to rounding: turned by so much, and so far apart. The gap has its part, because
// contacts one behind the other, as of two rows of teeth, may have the middle between their feet in common.
static inline bool ch_gap_is_same(const ChGap* a, const ChGap* b, double turned, double apart) {
  return ch_norm(ch_sub(a->normal, b->normal)) <= turned && ch_norm(ch_sub(a->point, b->point)) <= apart &&
         fabs(a->gap - b->gap) <= 4.0 * apart + turned * fabs(a->gap);
}

// The point as a side's own body has it: of an image, where it is on the body itself.
static inline ChVec3 ch_gap_point(const ChGap* gap, int side) {
  return side == 0 ? gap->point : ch_sub(gap->point, gap->shift);
}

typedef struct ChCollideOptions {
  double margin;      // metres: pairs nearer than this are listed
  double look_ahead;  // seconds (the step): the margin of a pair grows by look_ahead * closing speed; 0 = off [B25]
  bool reduce;        // keep at most four points a face contact; off by default
  int threads;        // at most; 0 = 1. The list does not depend on it
  // What touched in the last step, for edges that cross (net_pair.c): whether shapes, by rows, did under this key.
  // NULL: nobody knows.
  bool (*touched)(const void* past, int shape_a, int shape_b, uint64_t key);
  const void* past;
  // Where several processes share a world: bodies whose states are known, and those whose contacts are looked for here.
  // NULL: all.
  const unsigned char *near, *mine;
} ChCollideOptions;

// Whether the contacts of two bodies are looked for here: by whoever moves the first of the two that is dynamic.
static inline bool ch_pair_is_mine(const ChWorld* world, const unsigned char* mine, int a, int b) {
  if (!mine) return true;
  int first = a < b ? a : b, second = a < b ? b : a;
  return mine[world->bodies[first].kind == CH_BODY_DYNAMIC ? first : second];
}

typedef struct ChCollider ChCollider;

ChStatus ch_collider_create(ChContext* context, const ChWorld* world, ChCollider** out);
void ch_collider_destroy(ChCollider* collider);

// The list stays valid until the next call. No allocation once the world has settled.
ChStatus ch_collide(ChContext* context, ChCollider* collider, const ChBodyState* states,
                    const ChCollideOptions* options, const ChGap** gaps, int* count);

#endif
