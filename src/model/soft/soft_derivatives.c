// Modal derivatives: how the body answers, statically and to second order, when two of its modes act together.
//
//   f(u) = K u + H(u, u) / 2 + ...,   K x_ij = - H(u_i, u_j)
//   H(u, v) . w = 2 int P : dw/dX,   P = S(g_uv) + (D_v S(e_u) + D_u S(e_v)) / 2
//
// with S the stress of a strain, e and g as in soft_cubic.h (Barbic & James 2005, section 5; Idelsohn & Cardona 1985).
// A bent beam stays as long as it was: the derivative of a bending mode by itself is the shortening that this takes.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/lowest_modes.h"
#include "model/soft/soft.h"
#include "model/soft/soft_basis.h"

enum { TOGETHER = 16 };  // right-hand sides of one solve

static const double FAINT = 1e-10;  // of the largest square of a length: what rounding leaves of a direction

static void stress_of(ChElastic law, const double strain[3][3], double S[3][3]) {
  double c[6];
  ch_elastic_coordinates(law, strain, c);
  memset(S, 0, 9 * sizeof **S);
  ch_elastic_stress(law, c, S);
}

// P of two fields at a point, from their gradients and the stresses of their linear strains.
static void pair_stress(ChElastic law, const double U[3][3], const double SU[3][3], const double V[3][3],
                        const double SV[3][3], double P[3][3]) {
  double g[3][3];
  ch_strain_second(U, V, g);
  stress_of(law, g, P);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) P[i][j] += 0.5 * (V[i][k] * SU[k][j] + U[i][k] * SV[k][j]);
}

static void scatter(const ChSoftMesh* mesh, int tet, const ChVec3 slope[CH_TET_NODES], double weight,
                    const double P[3][3], double* f) {
  for (int k = 0; k < CH_TET_NODES; ++k) {
    int place = mesh->place[mesh->tets[(long)CH_TET_NODES * tet + k]];
    if (place < 0) continue;
    for (int i = 0; i < 3; ++i)
      f[3L * place + i] += weight * (P[i][0] * slope[k].x + P[i][1] * slope[k].y + P[i][2] * slope[k].z);
  }
}

// - H(u_i, u_j) for all i <= j. Four points a tetrahedron will do: the result only chooses a basis.
static void second_forces(const ChSoftMesh* mesh, int count, const double* U, double* f) {
  ChTetRule rule = ch_tet_rule_2();
  long n = 3L * mesh->moving_count;
  double D[CH_SOFT_MODES_MAX][3][3], S[CH_SOFT_MODES_MAX][3][3], P[3][3];
  for (int t = 0; t < mesh->tet_count; ++t) {
    ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, mesh->tets + (long)CH_TET_NODES * t);
    for (int p = 0; p < rule.count; ++p) {
      ChVec3 slope[CH_TET_NODES];
      ch_tet_slopes(&geometry, rule.point[p], slope);
      for (int a = 0; a < count; ++a) {
        ch_soft_mesh_gradient(mesh, t, slope, U + a * n, D[a]);
        stress_of(mesh->law, D[a], S[a]);
      }
      for (int a = 0, at = 0; a < count; ++a)
        for (int b = a; b < count; ++b, ++at) {
          pair_stress(mesh->law, D[a], S[a], D[b], S[b], P);
          scatter(mesh, t, slope, -2.0 * rule.weight[p] * geometry.volume, P, f + at * n);
        }
    }
  }
}

// What the answers are kept orthogonal to: rigid motions and the modes themselves, with their products with M.
typedef struct Known {
  int count;
  double *Q, *MQ;
} Known;

static Known gather(ChArena* arena, ChSoftMatrices* m, int linear, const double* U) {
  long n = m->n;
  Known known = {m->rigid_count + linear, NULL, NULL};
  known.Q = CH_TAKE_RAW(arena, known.count * n, double);
  known.MQ = CH_TAKE_RAW(arena, known.count * n, double);
  if (m->rigid_count > 0) memcpy(known.Q, m->rigid, (size_t)(m->rigid_count * n) * sizeof *U);
  memcpy(known.Q + m->rigid_count * n, U, (size_t)(linear * n) * sizeof *U);
  for (int k = 0; k < known.count; ++k) ch_soft_mass_multiply(m, known.Q + k * n, known.MQ + k * n);
  return known;
}

// x = K^-1 f in the complement of what is known, in place. The shift is small against the squares of frequencies there,
// and the answers only choose a basis.
static void answer(ChSoftMatrices* m, const Known* known, int count, double* f) {
  for (int k = 0; k < count; ++k)  // a force: the transposed projection
    ch_modes_project(m->n, known->count, known->MQ, known->Q, f + (long)k * m->n);
  ch_soft_shifted_solve(m, count, f, f);
  for (int k = 0; k < count; ++k) ch_modes_project(m->n, known->count, known->Q, known->MQ, f + (long)k * m->n);
}

// The directions in which the columns of X, count x n, are longest in M: eigenvectors of their Gram matrix.
static int principal_directions(ChArena* arena, ChSoftMatrices* m, int count, const double* X, int wanted,
                                double* out) {
  int n = m->n, found = 0;
  double *MX = CH_TAKE_RAW(arena, (long)count * n, double), *G = CH_TAKE(arena, (long)count * count, double),
         *square = CH_TAKE(arena, count, double);
  for (int k = 0; k < count; ++k) ch_soft_mass_multiply(m, X + (long)k * n, MX + (long)k * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, count, n, 1.0, X, n, MX, n, 0.0, G, count);
  if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', count, G, count, square) != 0) return 0;
  while (found < wanted && found < count && square[count - 1 - found] > FAINT * square[count - 1]) ++found;
  for (int k = 0; k < found; ++k)
    cblas_dgemv(CblasRowMajor, CblasTrans, count, n, 1.0 / sqrt(square[count - 1 - k]), X, n,
                G + (long)(count - 1 - k) * count, 1, 0.0, out + (long)k * n, 1);
  return found;
}

int ch_soft_derivatives(ChArena* arena, ChSoftMatrices* m, int linear, const double* U, const double* lambda,
                        int wanted, double* out) {
  ChArenaMark mark = ch_arena_mark(arena);
  int count = linear * (linear + 1) / 2;
  long n = m->n;
  double* X = CH_TAKE(arena, count * n, double);
  Known known = gather(arena, m, linear, U);
  second_forces(m->mesh, linear, U, X);
  for (int at = 0; at < count; at += TOGETHER)
    answer(m, &known, count - at < TOGETHER ? count - at : TOGETHER, X + at * n);
  for (int i = 0, at = 0; i < linear; ++i)
    for (int j = i; j < linear; ++j, ++at)
      cblas_dscal((int)n, lambda[0] / lambda[i] * (lambda[0] / lambda[j]), X + at * n, 1);
  int found = principal_directions(arena, m, count, X, wanted, out);
  ch_arena_release(arena, mark);
  return found;
}
