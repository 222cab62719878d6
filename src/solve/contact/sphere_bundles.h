// Contacts of spheres as sphere_sweep.h visits them: recognised in a system, coloured, and packed four at a time.
#ifndef CH_SOLVE_CONTACT_SPHERE_BUNDLES_H
#define CH_SOLVE_CONTACT_SPHERE_BUNDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "system/system.h"

enum { CH_LANES = 4 };

typedef double ChLanes __attribute__((vector_size(32), aligned(32), may_alias));
typedef int64_t ChLaneMask __attribute__((vector_size(32), aligned(32), may_alias));

// Room for so many numbers, as lanes want it.
static inline double* ch_lanes_take(ChArena* arena, long count) {
  return (double*)CH_TAKE_RAW(arena, (count + CH_LANES - 1) / CH_LANES, ChLanes);
}

// Velocity and spin along axes of space; behind them 1/m and 1/I, which stay.
typedef struct ChRoller {
  ChLanes velocity, spin;
} ChRoller;

// Four contacts that share no body. A lane without a contact, and the missing body of a contact with something fixed,
// have a ball of the bundle's own that nothing moves.
typedef struct ChBundle {
  int ball[2][CH_LANES];
  ChLanes normal[3], q[3];
  ChLanes r[2][4];    // tangent along axes of space, normal
  ChLanes g, arm[2];  // scale of the contact, arms times scale
  ChLanes normal_inverse, tangent_inverse, mu, compliance;
} ChBundle;

// What a contact of spheres is: its axes (normal, tangents), its scale, the arms of its bodies (the second alone where
// there is one), its colour.
typedef struct ChSphereTouch {
  ChVec3 axes[3];
  double scale, arm[2];
  int color;
} ChSphereTouch;

typedef struct ChSphereBundles ChSphereBundles;
struct ChSphereBundles {
  int count, colors, balls;
  int* color_start;  // colors + 1: bundles
  ChBundle* bundle;
  ChSphereTouch* touch;  // of blocks
  int* contact;          // CH_LANES a bundle: blocks of the system, -1 where there is none
  ChRoller* ball;        // at rest
};

// False where some block is no round contact of spheres, or colours do not suffice. Both reactions of a bundle are r.
bool ch_sphere_bundles_fill(ChArena* arena, const ChSystem* system, const double* r, ChSphereBundles* out);

#endif
