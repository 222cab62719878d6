// The affine problem F(x) = A x + b with a sparse A, and the residual of any: see complementarity.h.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"
#include "solve/lcp/complementarity.h"

typedef struct Affine {
  const ChSparse* A;
  const double* b;
} Affine;

static void affine_evaluate(void* user, const double* x, double* F) {
  const Affine* a = user;
  memcpy(F, a->b, (size_t)a->A->rows * sizeof *F);
  ch_sparse_multiply_add(a->A, x, F);
}

static void affine_multiply(void* user, const double* x, const double* d, double* out) {
  const Affine* a = user;
  (void)x;
  memset(out, 0, (size_t)a->A->rows * sizeof *out);
  ch_sparse_multiply_add(a->A, d, out);
}

static void affine_multiply_transposed(void* user, const double* x, const double* w, double* out) {
  const Affine* a = user;
  (void)x;
  memset(out, 0, (size_t)a->A->columns * sizeof *out);
  ch_sparse_multiply_transposed_add(a->A, w, out);
}

ChMcp ch_mcp_affine(ChArena* arena, const ChSparse* A, const double* b, const double* lower, const double* upper) {
  Affine* affine = CH_TAKE(arena, 1, Affine);
  *affine = (Affine){.A = A, .b = b};
  return (ChMcp){.n = A->rows,
                 .lower = lower,
                 .upper = upper,
                 .start = CH_TAKE(arena, A->rows, double),
                 .user = affine,
                 .evaluate = affine_evaluate,
                 .multiply = affine_multiply,
                 .multiply_transposed = affine_multiply_transposed,
                 .matrix = A};
}

double ch_mcp_natural(const ChMcp* mcp, const double* x, double* F) {
  double largest = 0.0;
  mcp->evaluate(mcp->user, x, F);
  for (int i = 0; i < mcp->n; ++i)
    largest = ch_max(fabs(x[i] - ch_clamp(x[i] - F[i], mcp->lower[i], mcp->upper[i])), largest);
  return largest;
}
