// Deformable bodies made of point masses: every integral of model/soft/soft.h is a sum, and the basis is whatever the
// test gives, made orthonormal in mass and orthogonal to rigid motions.
#ifndef CH_TESTS_SOFT_POINTS_H
#define CH_TESTS_SOFT_POINTS_H

#include "model/soft/soft.h"
#include "model/world.h"

typedef struct ChSoftPoints {
  int count;
  const ChVec3* at;
  const double* mass;
  int modes;
  const ChVec3* shape;      // modes x count: any independent displacements
  const double* frequency;  // rad/s, of each mode
  bool clamped;             // the basis need not be orthogonal to rigid motions; `at` is from the frame's origin
  double alpha, beta;
} ChSoftPoints;

// Taken from the world's arena; the points are the vertices of its skin, which has no triangles.
ChSoft* ch_test_soft(ChWorld* world, const ChSoftPoints* points);
// A dynamic body with it, its centre of mass at `at`, without shapes.
int ch_test_soft_body(ChWorld* world, const ChSoft* soft, ChVec3 at);
// Eight masses at the corners of a box, with `modes` random displacements (at most 18) of the given frequencies.
ChSoft* ch_test_soft_box(ChWorld* world, ChVec3 half, double mass, int modes, double lowest, double highest);

#endif
