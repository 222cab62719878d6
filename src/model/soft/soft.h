// A deformable body reduced to a few modes on a floating frame (004 section 7.2, A13; Shabana; Barbic & James 2005).
//
//   x(X) = p + R y,  y = X + U(X) q        p, R: the body's frame, origin in the centre of mass; q: amplitudes, n of
//   them
//
// The basis is orthonormal in mass and, unless the body is clamped, orthogonal to the six rigid motions of the rest
// shape:
//
//   int rho U'U = 1,   int rho U = 0,   int rho X x U = 0
//
// so that the centre of mass stays in the origin however the body bends, and with V = (v, w, qd), v of the centre of
// mass in the world frame, w in the body's frame,
//
//   T = 1/2 m v.v + 1/2 w.J(q) w + w.C(q) qd + 1/2 qd.qd
//   J(q) = J0 + sum_a q_a J1_a + sum_ab q_a q_b J2_ab          int rho (|y|^2 1 - y y')
//   C(q) = sum_a q_a C2_a,   C2_a column b = int rho U_a x U_b  antisymmetric in a, b
//
// The mass of V is therefore diag(m 1, [J C; C' 1]): a dense block. Internal forces come from an energy V(q):
// `modal` 1/2 q' diag(omega^2) q; `stvk` the exact quartic of the St. Venant-Kirchhoff law in q. Damping is Rayleigh's,
// D = alpha 1 + beta K(0).
//
// A clamped body has a frame that does not move and n degrees of freedom; gravity reaches it through S = int rho U.
#ifndef CH_MODEL_SOFT_SOFT_H
#define CH_MODEL_SOFT_SOFT_H

#include <stdbool.h>

#include "base/vector.h"
#include "cardhouse/soft.h"

// What bodies of equal mesh and material share; it never changes.
typedef struct ChSoft {
  ChSoftKind kind;
  int modes;
  bool clamped;
  double young, poisson;
  bool skin_only;  // of a recording: fields from K0 to S, cubic, stress, fold and skin.across
                   // are NULL
  double mass;
  ChVec3 centre;      // of mass, in the frame in which the mesh was given
  ChMat3 inertia;     // J0
  double* frequency;  // n: sqrt of the diagonal of K(0), rad/s, ascending for `modal`
  double* K0;         // n x n, diagonal: the basis diagonalises it, whatever the law
  double *J1, *J2;    // n x 6, n x n x 6, symmetric in a, b: xx yy zz xy xz yz
  double* C2;         // n x n x 3
  double* S;          // 3 x n: int rho U; zero unless clamped
  double alpha, beta;
  int arms;  // viscoelastic (soft_arms.h): shares of K0 and relaxation times, s
  double arm_share[CH_ARMS_MAX], arm_time[CH_ARMS_MAX];
  const struct ChSoftCubic* cubic;    // stvk: coefficients of the internal force; NULL: K0 q
  const struct ChSoftStress* stress;  // at the skin (soft_stress.h)
  const struct ChSoftFold* fold;      // where it would be turned inside out first
  ChSoftSkin skin;
} ChSoft;

// What J and C take of the amplitudes, linear in x: B = sum_a x_a (J2_a, C2_a), J's part modes x 6, then C's modes x 3.
//
//   J(q) = J0 + sum_a q_a (J1_a + B_J,a(q)),   C(q) column a = B_C,a(q),   sum_b x_b C2_ab = - B_C,a(x)
//   dT/dq_a = 1/2 w.J1_a w + w.B_J,a(q) w - w.B_C,a(qd)
enum { CH_SOFT_BEND = 9 };  // numbers a mode
void ch_soft_bend(const ChSoft* soft, const double* x, double* B);
void ch_soft_inertia_bent(const ChSoft* soft, const double* q, const double* B, ChMat3* J);

void ch_soft_inertia(const ChSoft* soft, const double* q, ChMat3* J);
void ch_soft_coupling(const ChSoft* soft, const double* q, double* C);  // 3 x n, row-major

double ch_soft_energy(const ChSoft* soft, const double* q);
void ch_soft_force(const ChSoft* soft, const double* q, double* f);      // dV/dq, to be resisted
void ch_soft_stiffness(const ChSoft* soft, const double* q, double* K);  // d2V/dq2, n x n, symmetric
// All three at once, for the price of one; each may be NULL.
void ch_soft_internal(const ChSoft* soft, const double* q, double* energy, double* f, double* K);
void ch_soft_damping(const ChSoft* soft, double* D);  // the diagonal, n; elsewhere D is zero as K(0) is

// U q of three rows U.
static inline ChVec3 ch_soft_displacement(int modes, const double* U, const double* q) {
  double x = 0.0, y = 0.0, z = 0.0;
  const double *Uy = U + modes, *Uz = Uy + modes;
#pragma omp simd reduction(+ : x, y, z)
  for (int a = 0; a < modes; ++a) {
    x += U[a] * q[a];
    y += Uy[a] * q[a];
    z += Uz[a] * q[a];
  }
  return ch_vec(x, y, z);
}

// y of one vertex of the skin.
ChVec3 ch_soft_vertex(const ChSoft* soft, int vertex, const double* q);

#endif
