// The integrators, and what sets one apart from the others. All of them are the step of integrate.c,
//
//   M (v+ - v) = h k* + H r,    u = H^T v+ + w,  (u, r) in their laws,    q+ = q + h d,  d = a v + (1 - a) v+
//
// with a weight a, a place at which the forces k* are taken, and a rule by which contacts enter w. Each has a file of
// its own, with its equations.
#ifndef CH_STEP_INTEGRATOR_H
#define CH_STEP_INTEGRATOR_H

#include "cardhouse/simulation.h"

typedef enum ChForceRule {
  CH_FORCES_START,      // k(q, v), linearly implicit in q + h v+ and in v+
  CH_FORCES_PREDICTOR,  // k(qp, v), qp = q + h/4 v, linearly implicit in qp + h/4 v+ and in (v + v+) / 2; rows at qp
                        // too
  CH_FORCES_MIDPOINT,   // k(q + a h d, d)
  CH_FORCES_TRAPEZOID,  // (k(q, v) + k(q+, v+)) / 2
} ChForceRule;

typedef enum ChContactRule {
  CH_CONTACTS_STABILIZED,  // as the options say: n'v+ >= - gamma Phi / h
  CH_CONTACTS_CLOSED,      // n'v+ >= 0 where Phi <= 0
  CH_CONTACTS_REFLECT,     // n'd >= 0 where Phi <= 0, that is n'v+ >= - a / (1 - a) n'v
  CH_CONTACTS_ARRIVE,      // Phi + h n'd >= 0
} ChContactRule;

typedef enum ChJointRule {
  CH_JOINTS_STABILIZED,  // rows where the step begins: G v+ = - gamma g / h
  CH_JOINTS_HELD,        // they hold where the step ends (hold.h)
} ChJointRule;

typedef struct ChIntegrator {
  const char *name, *summary;
  double weight;  // a; negative: the option `midpoint`
  ChForceRule forces;
  ChContactRule contacts;
  int passes;    // of Newton's method on the forces, at most; 1: linearly implicit
  bool impacts;  // restitution of the materials, by shocks before the step (impact.c)
  ChJointRule joints;
  bool composed;        // a step is made of several (composed.h)
  bool nonlinear;       // gaps hold at the end themselves (held_gaps.h)
  bool needs_adaptive;  // contacts close only where steps end
} ChIntegrator;

enum { CH_NEWTON_PASSES = 40 };

const ChIntegrator* ch_integrator_find(const char* name);  // NULL when there is none
double ch_integrator_weight(const ChIntegrator* integrator, const ChSimulationOptions* options);

// Share of the new rates in the mean by which deformable bodies move: 1 - a, in `euler` the option deformation_weight.
double ch_integrator_soft_weight(const ChSimulationOptions* options);

// Whether it can step this world with these options; says what it does not take.
ChStatus ch_integrator_check(ChContext* context, const ChSimulationOptions* options, const ChWorld* world);

#endif
