// The two schemes that 002 compares, on one scene: LCP, the exact law of a step (pose coulomb), and QP, the convex
// programme (1) (pose relaxed).
#ifndef CH_REPRODUCE_SCHEMES_H
#define CH_REPRODUCE_SCHEMES_H

#include "reproduce/play.h"

// Where a body was at the end of every step. The caller frees it.
typedef struct ChMotion {
  int count;
  double *time, *x, *y, *angle;
  long missed;
  double gain;  // of energy, the largest in a step that nothing explains
} ChMotion;

typedef struct ChScheme {
  ChPose pose;
  double h, until;
  const char* record;  // trajectory in the item's folder, or NULL
} ChScheme;

// Runs the scene's text in the plane and follows `body`.
ChStatus ch_scheme_run(ChItemRun* run, const char* scene, const char* body, const ChScheme* scheme, ChMotion* out);
void ch_motion_free(ChMotion* motion);

// Largest |y_a - y_b| and largest distance in the plane, over the steps that both have.
double ch_motion_lift(const ChMotion* a, const ChMotion* b);
double ch_motion_distance(const ChMotion* a, const ChMotion* b);

#endif
