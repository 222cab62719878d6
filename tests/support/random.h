// A small generator of pseudo-random numbers: the same sequence on every machine, for seeded problems.
#ifndef CH_TESTS_RANDOM_H
#define CH_TESTS_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "cardhouse/geometry.h"

typedef struct ChRandom {
  uint64_t state;
} ChRandom;

static inline ChRandom ch_random_seeded(double seed) { return (ChRandom){(uint64_t)(int64_t)seed + 1u}; }

// A Weyl sequence through two rounds of multiply-and-shift mixing.
static inline uint64_t ch_random_bits(ChRandom* random) {
  random->state += 0x9e3779b97f4a7c15u;
  uint64_t z = random->state;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
  return z ^ (z >> 32);
}

// Uniform in [lo, hi).
static inline double ch_random_uniform(ChRandom* random, double lo, double hi) {
  return lo + (hi - lo) * (double)(ch_random_bits(random) >> 11) * 0x1p-53;
}

static inline double ch_random_normal(ChRandom* random) {
  const double radius = sqrt(-2.0 * log(1.0 - ch_random_uniform(random, 0.0, 1.0)));
  return radius * cos(6.283185307179586 * ch_random_uniform(random, 0.0, 1.0));
}

// Vectors drawn in a fixed order, last component first: C leaves the order of a call's arguments to the compiler.
static inline ChVec3 ch_random_in_cube(ChRandom* random, double reach) {
  double z = ch_random_uniform(random, -reach, reach), y = ch_random_uniform(random, -reach, reach);
  return ch_vec(ch_random_uniform(random, -reach, reach), y, z);
}

static inline ChVec3 ch_random_normals(ChRandom* random) {
  double z = ch_random_normal(random), y = ch_random_normal(random);
  return ch_vec(ch_random_normal(random), y, z);
}

#endif
