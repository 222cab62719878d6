// See soft_verify.h.
#include "model/soft/soft_verify.h"

#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "model/soft/soft_cubic.h"

enum { DRAWS = 3 };

// Thin bodies lose digits of K u, where large numbers cancel; what is forged to any purpose is off by far more.
static const double ORTHONORMAL = 1e-7, DIAGONAL = 1e-5, RESIDUAL = 1e-2, ENERGY = 1e-6;

// Entries of a b', both of n columns, are zero, or those of diag(scale^2) where `scale` is given, to the tolerance.
static bool is_diagonal(ChArena* arena, int rows, const double* a, int count, const double* b, int n,
                        const double* scale, double tolerance) {
  double* G = CH_TAKE(arena, (long)rows * count, double);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, count, n, 1.0, a, n, b, n, 0.0, G, count);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < count; ++j) {
      double size = scale ? scale[i] * scale[j] : 1.0, expected = scale && i == j ? size : 0.0;
      if (!(fabs(G[(long)i * count + j] - expected) <= tolerance * size)) return false;
    }
  return true;
}

static bool are_vibrations(ChArena* arena, ChSoftMatrices* m, const double* U, const ChSoft* soft) {
  int n = m->n, modes = soft->modes;
  double *MU = CH_TAKE(arena, (long)modes * n, double), *KU = CH_TAKE(arena, (long)modes * n, double);
  double* ones = CH_TAKE(arena, modes, double);
  for (int a = 0; a < modes; ++a) {
    ch_soft_mass_multiply(m, U + (long)a * n, MU + (long)a * n);
    ch_block_csr_multiply(&m->K, U + (long)a * n, NULL, KU + (long)a * n);
    double square = soft->frequency[a] * soft->frequency[a];
    ones[a] = 1.0;
    if (!(square > 0.0 && fabs(soft->K0[(long)a * modes + a] - square) <= 1e-14 * square)) return false;
  }
  if (!is_diagonal(arena, modes, U, modes, MU, n, ones, ORTHONORMAL) ||
      !is_diagonal(arena, modes, U, modes, KU, n, soft->frequency, DIAGONAL) ||
      !is_diagonal(arena, m->rigid_count, m->rigid, modes, MU, n, NULL, ORTHONORMAL))
    return false;
  for (int a = 0; a < modes && soft->kind == CH_SOFT_MODAL; ++a) {
    double square = soft->frequency[a] * soft->frequency[a], *r = KU + (long)a * n;
    double weight = square * cblas_dnrm2(n, MU + (long)a * n, 1);
    cblas_daxpy(n, -square, MU + (long)a * n, 1, r, 1);
    if (!(cblas_dnrm2(n, r, 1) <= RESIDUAL * weight)) return false;
  }
  return true;
}

// --------------------------------------------------------------------------------------------------------- the quartic

// int |c(E)|^2 / 2 of the displacement u, E its Green strain.
static double energy_of(const ChSoftMesh* mesh, const double* u) {
  ChTetRule rule = ch_tet_rule_5();
  double energy = 0.0;
  for (int t = 0; t < mesh->tet_count; ++t) {
    ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, mesh->tets + (long)CH_TET_NODES * t);
    for (int p = 0; p < rule.count; ++p) {
      ChVec3 slope[CH_TET_NODES];
      double D[3][3], E[3][3], c[6];
      ch_tet_slopes(&geometry, rule.point[p], slope);
      ch_soft_mesh_gradient(mesh, t, slope, u, D);
      ch_strain_second(D, D, E);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) E[i][j] += 0.5 * (D[i][j] + D[j][i]);
      ch_elastic_coordinates(mesh->law, E, c);
      energy += 0.5 * rule.weight[p] * geometry.volume * cblas_ddot(6, c, 1, c, 1);
    }
  }
  return energy;
}

static double draw(uint64_t* state) {  // in (-1, 1)
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*state / 9.3e18;
}

// Amplitudes at which the strains are of order one, so that no term of the quartic is lost in others.
static bool tells_the_energy(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoft* soft) {
  int n = 3 * mesh->moving_count, modes = soft->modes;
  double *u = CH_TAKE(arena, n, double), *q = CH_TAKE(arena, modes, double), reach = 0.0;
  uint64_t seed = (uint64_t)(1e9 * ch_clock_seconds());
  for (int k = 0; k < mesh->node_count; ++k) reach = fmax(reach, ch_norm(mesh->nodes[k]));
  for (int k = 0; k < DRAWS; ++k) {
    memset(u, 0, (size_t)n * sizeof *u);
    for (int a = 0; a < modes; ++a) {
      const double* mode = U + (long)a * n;
      double most = fabs(mode[cblas_idamax(n, mode, 1)]);
      q[a] = draw(&seed) * 0.3 * reach / most;
      cblas_daxpy(n, q[a], mode, 1, u, 1);
    }
    double energy = energy_of(mesh, u);
    if (!(fabs(ch_soft_energy(soft, q) - energy) <= ENERGY * energy)) return false;
  }
  return true;
}

bool ch_soft_verify(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoft* soft) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChSoftMatrices matrices;
  ch_soft_matrices_sum(arena, mesh, &matrices);
  bool good = are_vibrations(arena, &matrices, U, soft) && (!soft->cubic || tells_the_energy(arena, mesh, U, soft));
  ch_arena_release(arena, mark);
  return good;
}
