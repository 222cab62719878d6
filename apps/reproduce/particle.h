// A particle in the plane over the line q_2 = 0, as 004 section 4.8 has it: run as a scene, watched step by step.
#ifndef CH_REPRODUCE_PARTICLE_H
#define CH_REPRODUCE_PARTICLE_H

#include "reproduce/play.h"

enum { CH_BOUNCES_MAX = 64, CH_SAMPLES_MAX = 4000 };

typedef struct ChParticle {
  const char* integrator;
  double h, until, mass;
  double at[2], velocity[2];
  bool well;   // V = |q|^2 (|q|^2 - 1)^2 (4.72) instead of gravity, 9.81 m/s^2, with q_1 locked
  bool floor;  // q_2 >= 0
  double mu;
  const char* record;  // file NAME.h5 of the trajectory, with the scene as NAME.json beside it; or NULL
} ChParticle;

typedef struct ChParticleMotion {
  int count;  // samples, at most CH_SAMPLES_MAX of them
  double *time, *q1, *q2, *energy;
  double start, least, most, end;      // energy, of all steps; joule, zero on the line
  double rubbed;                       // lost in steps with friction
  double elsewhere;                    // largest departure of the energy from start - rubbed, in steps without
  double deepest;                      // overlap, m
  long steps, missed, slid;            // slid: steps at whose end something still slides
  int bounces;                         // of which the first are kept
  double restitution[CH_BOUNCES_MAX];  // root of the ratio of energies after and before
} ChParticleMotion;

// The caller clears the motion, also after a failure.
ChStatus ch_particle_run(ChItemRun* run, const ChParticle* particle, ChParticleMotion* motion);
void ch_particle_clear(ChParticleMotion* motion);

#endif
