// Rotations and symmetric tensors in space, beside the vectors of cardhouse/geometry.h. Quaternions are unit.
#ifndef CH_BASE_VECTOR_H
#define CH_BASE_VECTOR_H

#include "cardhouse/geometry.h"

// Row-major.
typedef struct ChMat3 {
  double m[3][3];
} ChMat3;

// Two tangents that make (n, t1, t2) a right-handed frame; they jump only where n crosses a diagonal of the axes.
static inline void ch_tangents(ChVec3 n, ChVec3* t1, ChVec3* t2) {
  int smallest = fabs(n.x) <= fabs(n.y) ? (fabs(n.x) <= fabs(n.z) ? 0 : 2) : (fabs(n.y) <= fabs(n.z) ? 1 : 2);
  *t1 = ch_unit(ch_cross(n, ch_axis(smallest)));
  *t2 = ch_cross(n, *t1);
}

// exp(v / 2): the rotation vector v as a quaternion, exact for small v too.
static inline ChQuat ch_quat_exp(ChVec3 v) {
  double angle = ch_norm(v), s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
  return (ChQuat){cos(0.5 * angle), s * v.x, s * v.y, s * v.z};
}
// The rotation that takes the axes x, y, z to these three, which are orthonormal and right-handed.
static inline ChQuat ch_quat_from_axes(ChVec3 x, ChVec3 y, ChVec3 z) {
  double w4 = 1.0 + x.x + y.y + z.z, x4 = 1.0 + x.x - y.y - z.z, y4 = 1.0 - x.x + y.y - z.z, z4 = 1.0 - x.x - y.y + z.z;
  ChQuat q;  // the largest of the four is safe to divide by
  if (w4 >= x4 && w4 >= y4 && w4 >= z4)
    q = (ChQuat){w4, y.z - z.y, z.x - x.z, x.y - y.x};
  else if (x4 >= y4 && x4 >= z4)
    q = (ChQuat){y.z - z.y, x4, y.x + x.y, z.x + x.z};
  else if (y4 >= z4)
    q = (ChQuat){z.x - x.z, y.x + x.y, y4, z.y + y.z};
  else
    q = (ChQuat){x.y - y.x, z.x + x.z, z.y + y.z, z4};
  return ch_quat_unit(q);
}

static inline ChMat3 ch_mat_from_quat(ChQuat q) {
  ChVec3 x = ch_rotate(q, ch_axis(0)), y = ch_rotate(q, ch_axis(1)), z = ch_rotate(q, ch_axis(2));
  return (ChMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}
static inline ChVec3 ch_mat_apply(const ChMat3* a, ChVec3 v) {
  return ch_vec(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}
static inline ChVec3 ch_mat_apply_transposed(const ChMat3* a, ChVec3 v) {
  return ch_vec(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}
static inline ChMat3 ch_mat_product(const ChMat3* a, const ChMat3* b) {
  ChMat3 c = {0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}
static inline ChMat3 ch_mat_transposed(const ChMat3* a) {
  return (ChMat3){{{a->m[0][0], a->m[1][0], a->m[2][0]},
                   {a->m[0][1], a->m[1][1], a->m[2][1]},
                   {a->m[0][2], a->m[1][2], a->m[2][2]}}};
}
static inline ChMat3 ch_mat_diagonal(ChVec3 d) { return (ChMat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
// [a]x, so that [a]x b = a x b
static inline ChMat3 ch_mat_cross(ChVec3 a) { return (ChMat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }
// A + s B
static inline ChMat3 ch_mat_along(const ChMat3* a, double s, const ChMat3* b) {
  ChMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a->m[i][j] + s * b->m[i][j];
  return c;
}
// A += s a b'
static inline void ch_mat_add_outer(ChMat3* m, double s, ChVec3 a, ChVec3 b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m->m[i][j] += s * ch_component(a, i) * ch_component(b, j);
}
// R A R': a tensor given in a frame, along the axes outside of it.
static inline ChMat3 ch_mat_turned(ChQuat q, const ChMat3* a) {
  ChMat3 r = ch_mat_from_quat(q), t = ch_mat_transposed(&r), ra = ch_mat_product(&r, a);
  return ch_mat_product(&ra, &t);
}

// A rotation that takes z to a unit direction.
static inline ChQuat ch_quat_from_z(ChVec3 d) {
  ChVec3 axis = ch_cross(ch_axis(2), d);
  double sine = ch_norm(axis);
  if (!(sine > 0.0)) return d.z > 0.0 ? ch_quat_identity() : ch_quat_about(ch_axis(0), 3.14159265358979323846);
  return ch_quat_about(ch_scale(1.0 / sine, axis), atan2(sine, d.z));
}

// Eigenvalues of a symmetric tensor, ascending, by Jacobi's rotations; NaN stays NaN.
static inline ChVec3 ch_mat_principal(ChMat3 a) {
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int k = 0; k < 3; ++k) {
      int p = k, q = (k + 1) % 3;
      if (a.m[p][q] == 0.0) continue;
      double theta = (a.m[q][q] - a.m[p][p]) / (2.0 * a.m[p][q]);
      double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
      double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
      ChMat3 turn = ch_mat_diagonal(ch_vec(1.0, 1.0, 1.0));
      turn.m[p][p] = turn.m[q][q] = c, turn.m[p][q] = s, turn.m[q][p] = -s;
      ChMat3 back = ch_mat_transposed(&turn), left = ch_mat_product(&back, &a);
      a = ch_mat_product(&left, &turn);
      a.m[p][q] = a.m[q][p] = 0.0;
    }
  double x = a.m[0][0], y = a.m[1][1], z = a.m[2][2], low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z));
  double sum = x + y + z;
  return isfinite(sum) ? ch_vec(low, fmax(fmin(x, y), fmin(fmax(x, y), z)), high) : ch_vec(sum, sum, sum);
}

#endif
