// Of every two bodies that touch: how hard they press, how fast they slip, and how often they turn from sticking to
// slipping.
//
// Contacts of a pair are taken together: load = sum f_n, slip = sum f_n |v_t| / load. A pair is loaded when it presses
// with at least `least_load`; it sticks when it is loaded and slower than `sticks`.
#ifndef CH_REPRODUCE_SLIPS_H
#define CH_REPRODUCE_SLIPS_H

#include "cardhouse/simulation.h"

enum { CH_SLIPS_PAIRS = 512 };

typedef struct ChSlipPair {
  int body[2];
  double load, friction, slip;  // of this step: N, N (all |f_t|), m/s
  ChVec3 point, normal;         // weighted by the loads; the normal from the first body to the second
  bool stuck;                   // at the last step under load
  bool loaded;                  // in this step
  double last_load;             // when it was loaded before this step, s; -INFINITY: never
  double sticking, slipping;    // s
  double gripping;              // s of sticking in which friction holds against a pull
  long turns, returns;          // from sticking to slipping, from slipping to sticking, while it stays loaded
} ChSlipPair;

typedef struct ChSlips {
  double least_load, sticks;  // N, m/s
  double pull;                // part of the load that friction carries when it counts as holding
  int count, skipped;         // pairs, and contacts of pairs beyond the last
  ChSlipPair pairs[CH_SLIPS_PAIRS];
} ChSlips;

// After each step; to begin with, all but the three limits is zero.
void ch_slips_add(ChSlips* slips, const ChSimulation* simulation, const ChStepInfo* info);

#endif
