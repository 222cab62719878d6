// The point of a triangle nearest to a point.
#ifndef CH_MODEL_MESH_TRIANGLE_FOOT_H
#define CH_MODEL_MESH_TRIANGLE_FOOT_H

#include "base/vector.h"

typedef struct ChTriangleFoot {
  ChVec3 point;
  int feature;  // what it lies on: 0 the face, 1 + k edge k, 4 + k corner k
} ChTriangleFoot;

static inline ChTriangleFoot ch_edge_foot(ChVec3 a, ChVec3 b, double t, int feature) {
  return (ChTriangleFoot){ch_along(a, t, ch_sub(b, a)), feature};
}

// By the signs of the barycentric coordinates of the foot on the plane (Ericson 2005, 5.1.5).
static inline ChTriangleFoot ch_triangle_foot(ChVec3 a, ChVec3 b, ChVec3 c, ChVec3 x) {
  ChVec3 ab = ch_sub(b, a), ac = ch_sub(c, a), ax = ch_sub(x, a), bx = ch_sub(x, b), cx = ch_sub(x, c);
  double d1 = ch_dot(ab, ax), d2 = ch_dot(ac, ax);
  if (d1 <= 0.0 && d2 <= 0.0) return (ChTriangleFoot){a, 4};
  double d3 = ch_dot(ab, bx), d4 = ch_dot(ac, bx);
  if (d3 >= 0.0 && d4 <= d3) return (ChTriangleFoot){b, 5};
  double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return ch_edge_foot(a, b, d1 / (d1 - d3), 1);
  double d5 = ch_dot(ab, cx), d6 = ch_dot(ac, cx);
  if (d6 >= 0.0 && d5 <= d6) return (ChTriangleFoot){c, 6};
  double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return ch_edge_foot(a, c, d2 / (d2 - d6), 3);
  double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return ch_edge_foot(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)), 2);
  double scale = 1.0 / (va + vb + vc);
  return (ChTriangleFoot){ch_along(ch_along(a, vb * scale, ab), vc * scale, ac), 0};
}

#endif
