// The affine problem F(x) = A x + b with a sparse A, and the residual of any: see complementarity.h.
#include "solve/lcp/complementarity.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"

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

// --- problems that own what they are made of ------------------------------------------------------------------------

typedef struct OwnedMcp {
  ChMcp mcp;
  ChArena* arena;
} OwnedMcp;

static void release_owned(ChMcp* mcp) { ch_arena_destroy(((OwnedMcp*)mcp)->arena); }

void ch_mcp_destroy(ChMcp* mcp) {
  if (mcp && mcp->release) mcp->release(mcp);
}

static double* copy_vector(ChArena* arena, const double* x, int n) {
  double* copy = CH_TAKE(arena, n, double);
  if (n > 0) memcpy(copy, x, (size_t)n * sizeof *copy);
  return copy;
}

static ChStatus check_affine(ChContext* context, const ChTriplets* A, const double* b, const double* lower,
                             const double* upper) {
  if (A->rows != A->columns || A->rows < 0 || A->count < 0 || A->count > INT_MAX / 2)
    return ch_fail(context, CH_ERR_SIZE, "the matrix is %d x %d with %ld entries, must be square with at most %d",
                   A->rows, A->columns, A->count, INT_MAX / 2);
  for (long k = 0; k < A->count; ++k)
    if (!(A->row[k] >= 0 && A->row[k] < A->rows && A->column[k] >= 0 && A->column[k] < A->rows &&
          isfinite(A->value[k])))
      return ch_fail(context, CH_ERR_RANGE, "entry %ld of the matrix is %g at (%d, %d): must be finite and inside", k,
                     A->value[k], A->row[k], A->column[k]);
  for (int i = 0; i < A->rows; ++i)
    if (!(isfinite(b[i]) && lower[i] <= upper[i]))
      return ch_fail(context, CH_ERR_RANGE, "row %d: b is %g, must be finite; bounds are [%g, %g], must not cross", i,
                     b[i], lower[i], upper[i]);
  return CH_OK;
}

ChStatus ch_mcp_affine_create(ChContext* context, const ChTriplets* A, const double* b, const double* lower,
                              const double* upper, ChMcp** out) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *out = NULL;
  ChStatus status = check_affine(context, A, b, lower, upper);
  if (status != CH_OK) return status;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a complementarity problem of %d variables", A->rows);
  }
  ch_arena_set_landing(arena, &landing);
  OwnedMcp* owned = CH_TAKE(arena, 1, OwnedMcp);
  ChSparse* matrix = CH_TAKE(arena, 1, ChSparse);
  *matrix = ch_sparse_from_triplets(arena, A);
  owned->mcp = ch_mcp_affine(arena, matrix, copy_vector(arena, b, A->rows), copy_vector(arena, lower, A->rows),
                             copy_vector(arena, upper, A->rows));
  owned->mcp.release = release_owned;
  owned->arena = arena;
  ch_arena_set_landing(arena, NULL);
  *out = &owned->mcp;
  return CH_OK;
}

double ch_mcp_natural(const ChMcp* mcp, const double* x, double* F) {
  double largest = 0.0;
  mcp->evaluate(mcp->user, x, F);
  for (int i = 0; i < mcp->n; ++i)
    largest = ch_max(fabs(x[i] - ch_clamp(x[i] - F[i], mcp->lower[i], mcp->upper[i])), largest);
  return largest;
}
