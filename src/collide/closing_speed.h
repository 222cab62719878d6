// How much a gap can close in the look-ahead (collide.c), at a point that is found and before any is.
//
// A sample x of one body, with the foot f = x + d n on the other at a distance d, is listed where
//
//   d <= margin + tau max(0, V . n + S),     V = what of their rigid velocities differs, S = what their modes add.
//
// V is taken midway between x and f; all along n it has the same part along n. In the other body's frame it is linear,
// V(x) = V(c) + W x (x - c), so that for all samples x of a ball (c, r) no foot counts that is not in one of the balls
//
//   |f - (x + tau V(c) / 2)| <= M + tau |V(c)| / 2,     M = margin + tau (S + |W| r):
//
// the points d = tau V . n seen from x make up a sphere that x lies on. That is half as wide as all places that
// something so fast could come to, and leaves out what it flies past.
#ifndef CH_COLLIDE_CLOSING_SPEED_H
#define CH_COLLIDE_CLOSING_SPEED_H

#include "collide/pairs.h"

// Of the bodies' points where they touch; modes swing back within a step, so what they add counts either way.
double ch_closing_rate(const ChPosed* a, const ChPosed* b, const ChBodyState* states, const ChGap* point);

// The above for one body's samples, in the frame of the other; all times tau.
typedef struct ChClosing {
  ChVec3 step, turn;  // V at the origin, W
  double turning;     // |W|
  double least;       // M with S = 0 and r = 0
  double most;        // the pair's margin: nothing is listed beyond
} ChClosing;

ChClosing ch_closing(const ChPosed* sampled, const ChPosed* target, double margin);

// Where feet of a ball of samples are: nearer than `within` to samples about `middle`, which hold those about the
// centre. No gap that counts is above `margin`.
typedef struct ChClosingReach {
  ChVec3 middle;
  double within, margin;
} ChClosingReach;

// `swing`: tau times the speed that modes give to both, at most; where the other is a skin and its probe adds its own,
// to the samples.
ChClosingReach ch_closing_reach(const ChClosing* closing, ChVec3 centre, double radius, double swing);

#endif
