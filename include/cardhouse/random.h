// Numbers that look random and are the same on every machine, from a seed: for shaken scenes.
#ifndef CARDHOUSE_RANDOM_H
#define CARDHOUSE_RANDOM_H

#include <stdint.h>

// Returns a number uniform in [0, 1), by splitmix64; any seed will do as the first state.
static inline double ch_random_unit(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#endif
