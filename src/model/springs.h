// Springs, torsion springs and wells at one moment: what forces.c and force_derivatives.c share.
//
// A spring pulls its ends together with T = k x + c x^3 + damping dx/dt, x = length - rest length. A torsion spring
// does the same with the angle of the second body about an axis of the first. A well pulls with - grad V.
#ifndef CH_MODEL_SPRINGS_H
#define CH_MODEL_SPRINGS_H

#include "model/world.h"

typedef struct ChSpringPose {
  ChQuat turn[2];
  ChVec3 arm[2];   // attachment in the body's frame, from the centre of mass
  ChVec3 slip[2];  // omega x arm, body's frame
  ChVec3 n;        // unit, from the first end to the second; zero where they coincide
  ChVec3 u;        // velocity of the second end relative to the first
  double length, x;
  double elastic, slope;  // k x + c x^3 and its derivative
  double tension;         // with damping
} ChSpringPose;

ChSpringPose ch_spring_pose(const ChForce* force, const ChBodyState* states);

typedef struct ChTorsionPose {
  ChQuat turn[2];
  ChVec3 omega[2];  // world frame
  ChVec3 x;         // the direction on the second body whose angle is measured
  ChVec3 frame[3];  // axes on the first body, the last one along the spring
  double e[2];      // x along the first two
  ChVec3 g;         // gradient of the angle: d angle = g . (turn of b - turn of a), world frame
  double angle, elastic, slope, torque;
} ChTorsionPose;

ChTorsionPose ch_torsion_pose(const ChWorld* world, const ChForce* force, const ChBodyState* states);

// A well is V(s), s = |d|^2, d from its centre to the body's centre of mass.
typedef struct ChWellPose {
  ChVec3 d;
  double value, slope, curve;  // V, dV/ds, d^2V/ds^2
} ChWellPose;

ChWellPose ch_well_pose(const ChForce* force, const ChBodyState* states);

#endif
