// Impacts, under which angle they come, and whether the two bodies stick or slip after them.
//
// An impact: two bodies press on each other that did not for a while, and approached fast enough. Its incidence is the
// angle of the approach to the normal, atan(|v_t| / v_n), from the velocities of the step before at the middle of the
// contacts. For a while after it the time is counted in which the pair sticks and in which it slips, under load.
#ifndef CH_REPRODUCE_INCIDENCE_H
#define CH_REPRODUCE_INCIDENCE_H

#include "reproduce/slips.h"

enum { CH_INCIDENCE_IMPACTS = 1024, CH_INCIDENCE_BODIES = 128 };

typedef struct ChImpact {
  int body[2];
  double time, angle, speed;  // s, radian, m/s
  double sticking, slipping;  // s, of the time looked at
} ChImpact;

typedef struct ChIncidence {
  double apart;     // s that a pair was without load before
  double approach;  // m/s along the normal, at least
  double after;     // s that are looked at
  int count;
  ChImpact impacts[CH_INCIDENCE_IMPACTS];
  bool began;
  ChBodyView before[CH_INCIDENCE_BODIES];
} ChIncidence;

// After each step, and after ch_slips_add.
void ch_incidence_add(ChIncidence* incidence, const ChSlips* slips, const ChSimulation* simulation,
                      const ChStepInfo* info);

#endif
