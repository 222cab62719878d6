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
//
// Along the tangents a contact may have a spring, too, whatever the law of its normal. Its stretch s is remembered from
// step to step (step/shear.h). With F_T = r_T / h = -(k_t s+ + d_t ds/dt) and s+ = s + h ds/dt, what is left of the
// velocity is slip,
//
//   slip = u_T - ds/dt = u_T + c_t r_T + w_T,    c_t = 1 / (h K_t),  w_T = k_t s / K_t,  K_t = h k_t + d_t
//
// and Coulomb's law holds of r and slip: what sticks creeps with its spring, what slides keeps it at mu r_n.
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

// Along the tangents.
typedef struct ChShear {
  double stiffness, damping;  // N/m, N s/m
  ChVec3 stretch;             // s at the start of the step, m, in the world
} ChShear;

struct ChMoment;

// Of the materials, or by the rule. `closing`: speed at which the contact closes at the start of the step.
ChSpring ch_contact_spring(const struct ChMoment* moment, const ChHeap* heap, double h, const ChSurface* surface,
                           const ChGap* gap, double closing);

// c and w above.
double ch_spring_compliance(const ChSpring* spring, double h);
double ch_spring_speed(const ChSpring* spring, double gap, double h);

// c_t, the factor of s in w_T, and s at the end of the step of the reaction along one tangent.
double ch_shear_compliance(const ChShear* shear, double h);
double ch_shear_rate(const ChShear* shear, double h);
double ch_shear_end(const ChShear* shear, double h, double stretch, double reaction);

// Energy in it at an overlap, J; 0 where it is open.
double ch_spring_energy(const ChSpring* spring, double overlap);

#endif
