// See soft_basis.h. `modal`: the lowest vibrations, K u = omega^2 M u. `stvk`: fewer of them, and the modal
// derivatives that answer to them; where these are too few, further vibrations.
#include "model/soft/soft_basis.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/lowest_modes.h"

static const double DEPENDENT = 1e-6;  // what is left of a unit vector that those before it hold

static ChPencil pencil_of(ChSoftMatrices* m) {
  return (ChPencil){.n = m->n,
                    .state = m,
                    .mass = ch_soft_mass_multiply,
                    .solve = ch_soft_shifted_solve,
                    .shift = m->shift,
                    .fixed_count = m->rigid_count,
                    .fixed = m->rigid};
}

// The first `wanted` of `count` candidates, each of unit length, that are independent: orthonormal in M among
// themselves and against the rigid motions, whatever the iteration left.
static bool orthonormalize(ChArena* arena, ChSoftMatrices* m, int count, const double* candidates, int wanted,
                           double* U) {
  int n = m->n, rigid = m->rigid_count, found = 0;
  double *Q = CH_TAKE_RAW(arena, (long)(rigid + wanted) * n, double),
         *MQ = CH_TAKE_RAW(arena, (long)(rigid + wanted) * n, double);
  for (int k = 0; k < rigid + count && found < rigid + wanted; ++k) {
    double *q = Q + (long)found * n, *mq = MQ + (long)found * n;
    memcpy(q, k < rigid ? m->rigid + (long)k * n : candidates + (long)(k - rigid) * n, (size_t)n * sizeof *q);
    for (int pass = 0; pass < 2; ++pass) ch_modes_project(n, found, Q, MQ, q);
    ch_soft_mass_multiply(m, q, mq);
    double norm = sqrt(cblas_ddot(n, q, 1, mq, 1));
    if (!(norm > DEPENDENT)) continue;
    cblas_dscal(n, 1.0 / norm, q, 1);
    cblas_dscal(n, 1.0 / norm, mq, 1);
    ++found;
  }
  memcpy(U, Q + (long)rigid * n, (size_t)wanted * (size_t)n * sizeof *U);
  return found == rigid + wanted;
}

static void fix_sign(int n, double* u) {
  int largest = 0;
  for (int i = 1; i < n; ++i)  // rounding does not choose between equals: the first within a part in 1e6
    if (fabs(u[i]) > (1.0 + 1e-6) * fabs(u[largest])) largest = i;
  if (u[largest] < 0.0) cblas_dscal(n, -1.0, u, 1);
}

// Turns the basis within its span so that its stiffness is diagonal.
static bool diagonalize(ChArena* arena, const ChSoftMatrices* m, int count, double* U, double* lambda) {
  int n = m->n;
  double *KU = CH_TAKE(arena, (long)count * n, double), *G = CH_TAKE(arena, (long)count * count, double);
  for (int k = 0; k < count; ++k) ch_block_csr_multiply(&m->K, U + (long)k * n, NULL, KU + (long)k * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, count, n, 1.0, U, n, KU, n, 0.0, G, count);
  if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', count, G, count, lambda) != 0) return false;
  memcpy(KU, U, (size_t)count * (size_t)n * sizeof *U);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, n, count, 1.0, G, count, KU, n, 0.0, U, n);
  for (int k = 0; k < count; ++k) {
    fix_sign(n, U + (long)k * n);
    if (!(lambda[k] > 0.0 && isfinite(lambda[k]))) return false;
  }
  return true;
}

// At most half, and of many modes a smaller part: a bar bent both ways and twisted at once needs the answers to pairs
// of its lowest modes more than it needs high ones.
int ch_soft_linear_modes(int modes) {
  int half = (modes + 1) / 2, part = modes / 4 + 3;
  return half < part ? half : part;
}

// Vibrations, the derivatives that answer to them, and further vibrations should those be too few; how many in all.
static int list_candidates(ChArena* arena, ChSoftMatrices* m, int modes, const double* vibrations, const double* lambda,
                           double* out) {
  int linear = ch_soft_linear_modes(modes);
  long n = m->n;
  memcpy(out, vibrations, (size_t)(linear * n) * sizeof *out);
  int count = linear + ch_soft_derivatives(arena, m, linear, vibrations, lambda, modes - linear, out + linear * n);
  memcpy(out + count * n, vibrations + linear * n, (size_t)((modes - linear) * n) * sizeof *out);
  return count + modes - linear;
}

bool ch_soft_basis(ChArena* arena, ChSoftMatrices* matrices, ChSoftKind kind, int modes, double* U, double* lambda) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChPencil pencil = pencil_of(matrices);
  bool fine = ch_lowest_modes(arena, &pencil, modes, lambda, U);
  const double* candidates = U;
  int count = modes;
  if (fine && kind == CH_SOFT_STVK) {
    double* list = CH_TAKE_RAW(arena, 2L * modes * matrices->n, double);
    count = list_candidates(arena, matrices, modes, U, lambda, list);
    candidates = list;
  }
  fine = fine && orthonormalize(arena, matrices, count, candidates, modes, U) &&
         diagonalize(arena, matrices, modes, U, lambda);
  ch_arena_release(arena, mark);
  return fine;
}
