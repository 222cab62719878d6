// The spring of a compliant contact, and how stiff it is.
//
// A contact yields by its overlap d = -Phi with the force F = k (d - rest) + damping dd/dt, taken at the end of the
// step (implicit Euler). With d+ = -(Phi + h u), F = r / h and dd/dt = (d+ - max(d, 0)) / h this is the law
// `compliant`,
//
//   u + w + c r  _|_  r,     c = 1 / (h^2 K),  w = (Phi + (k rest + damping max(d, 0) / h) / K) / h,  K = k + damping /
//   h
//
// so that an overlap is the spring's compression, which no stabilisation pushes out. The damper acts from the moment on
// at which the gap closes, never at a distance.
#ifndef CH_ASSEMBLE_SPRING_H
#define CH_ASSEMBLE_SPRING_H

#include "assemble/heap.h"
#include "collide/collide.h"

// Over one step.
typedef struct ChSpring {
  double stiffness;  // k, N/m
  double rest;       // overlap at which the force is none, m; 0 but for Hertz's law, linearised about an overlap
  double damping;    // N s/m
  double hertz;      // F = hertz d^(3/2); 0: F = k d
} ChSpring;

struct ChMoment;

// Of the materials, or by the rule. `closing`: speed at which the contact closes at the start of the step.
ChSpring ch_contact_spring(const struct ChMoment* moment, const ChHeap* heap, double h, const ChSurface* surface,
                           const ChGap* gap, double closing);

// c and w above.
double ch_spring_compliance(const ChSpring* spring, double h);
double ch_spring_speed(const ChSpring* spring, double gap, double h);

// Energy in it at an overlap, J; 0 where it is open.
double ch_spring_energy(const ChSpring* spring, double overlap);

#endif
