// Two shapes on their way through a step: whether they come deeper into each other than a given depth.
//
// A body's centre goes straight from where it was to where it is, and the body turns about one axis meanwhile. With a
// gap Phi at the time t (in steps), between shapes one of which is convex on each side of the plane with the normal n,
// no point comes nearer along n in the time dt than
//
//   Phi - dt max(0, (a_step - b_step) . n + a_turn + b_turn),     turn = angle times the shape's reach
//
// so that nothing is missed when t goes on by (Phi + depth) over that rate, again and again (conservative advancement).
// Of a surface that is not convex the nearest point's normal parts nothing: there the rate is |a_step - b_step| and the
// turns.
#ifndef CH_COLLIDE_SWEEP_H
#define CH_COLLIDE_SWEEP_H

#include "collide/pairs.h"

// A body's motion over a step.
typedef struct ChWay {
  ChBodyState from;
  ChVec3 step;   // of its centre of mass
  ChVec3 axis;   // in the world
  double angle;  // about it, 0 or more; below pi in space
} ChWay;

ChWay ch_way_between(int dimension, const ChBodyState* from, const ChBodyState* to);

typedef struct ChSwept {
  const ChShape* shape;  // of a rigid body
  const ChWay* way;
} ChSwept;

// How far points of a shape come at most by their body's turning.
double ch_swept_turn(const ChSwept* swept);
// How far points of the one come at most relative to the other.
double ch_swept_motion(const ChSwept* a, const ChSwept* b);

// Where the shape is at the time t in [0, 1].
ChPosed ch_swept_at(const ChSwept* swept, double t);

// The smallest gap at the time t, infinite where it is above `within`. `list` is scratch that grows.
double ch_swept_gap(const ChSwept* a, const ChSwept* b, double t, double within, ChManifold* list);

// The time in [0, 1] at which they overlap by more than about half of `depth`, which is positive; infinite where they
// never do, and where they begin so deep. `list` is scratch that grows.
double ch_swept_meet(const ChSwept* a, const ChSwept* b, double depth, ChManifold* list);

#endif
