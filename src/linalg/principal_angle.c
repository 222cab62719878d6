// Principal angles by orthonormal bases in the metric of the Gram matrix: with G_11 = U S U^T the vectors of the first
// group times X = U S^-1/2 are orthonormal, likewise Y of the second, and the cosines are the singular values of
// X^T G_12 Y. Vectors are normalised first, so that the rank is judged in no unit.
#include "linalg/principal_angle.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>

static const double RANK_SHARE = 1e-9;  // of a Gram matrix with unit diagonal

typedef struct Basis {
  int size, rank;
  double* X;  // size x rank, columns first
} Basis;

static void normalise(int n, double* G, double* length) {
  for (int i = 0; i < n; ++i) length[i] = G[i + (size_t)i * n] > 0.0 ? sqrt(G[i + (size_t)i * n]) : 0.0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      double product = length[i] * length[j];
      G[i + (size_t)j * n] = product > 0.0 ? G[i + (size_t)j * n] / product : 0.0;
    }
}

static int members(int n, const unsigned char* span, ChSpan which, int* list) {
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (span[i] == which) list[count++] = i;
  return count;
}

static double* block_of(ChArena* arena, int n, const double* G, int rows, const int* row, int columns,
                        const int* column) {
  double* A = CH_TAKE(arena, (size_t)rows * (size_t)columns + 1, double);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) A[i + (size_t)j * rows] = G[row[i] + (size_t)column[j] * n];
  return A;
}

static bool basis_of(ChArena* arena, int n, const double* G, int count, const int* list, Basis* out) {
  double* A = block_of(arena, n, G, count, list, count, list);
  double* value = CH_TAKE(arena, count + 1, double);
  *out = (Basis){.size = count, .X = CH_TAKE(arena, (size_t)count * (size_t)count + 1, double)};
  if (count > 0 && LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', count, A, count, value) != 0) return false;
  for (int k = 0; k < count; ++k) {
    if (!(value[k] > RANK_SHARE * value[count - 1]) || !(value[k] > RANK_SHARE)) continue;
    for (int i = 0; i < count; ++i) out->X[i + (size_t)out->rank * count] = A[i + (size_t)k * count] / sqrt(value[k]);
    ++out->rank;
  }
  return true;
}

static void multiply(bool transposed, int m, int n, int k, const double* A, int lda, const double* B, double* C) {
  if (m && n && k)
    cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, 1.0, A, lda, B, k, 0.0, C,
                m);
}

// G <- G - G_.r G_rr^+ G_r. : inner products of what is left of the vectors.
static bool remove_span(ChArena* arena, int n, double* G, const unsigned char* span, int* list, int* all) {
  const int count = members(n, span, CH_SPAN_REMOVED, list);
  if (count == 0) return true;
  Basis basis;
  if (!basis_of(arena, n, G, count, list, &basis)) return false;
  for (int i = 0; i < n; ++i) all[i] = i;
  double* side = block_of(arena, n, G, n, all, count, list);
  double* C = CH_TAKE(arena, (size_t)n * (size_t)basis.rank + 1, double);
  multiply(false, n, basis.rank, count, side, n, basis.X, C);
  if (basis.rank > 0)
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, basis.rank, -1.0, C, n, C, n, 1.0, G, n);
  return true;
}

static double largest_singular_value(ChArena* arena, int m, int n, double* A) {
  const int least = m < n ? m : n;
  double none, *sigma = CH_TAKE(arena, least + 1, double);
  if (least == 0) return 0.0;
  if (LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', m, n, A, m, sigma, &none, 1, &none, 1) != 0) return NAN;
  return sigma[0];
}

double ch_principal_cosine(ChArena* arena, int n, double* G, const unsigned char* span) {
  double* length = CH_TAKE(arena, n, double);
  int *first = CH_TAKE(arena, n, int), *second = CH_TAKE(arena, n, int);
  normalise(n, G, length);
  if (!remove_span(arena, n, G, span, first, second)) return NAN;
  const int f = members(n, span, CH_SPAN_FIRST, first), s = members(n, span, CH_SPAN_SECOND, second);
  Basis X, Y;
  if (!basis_of(arena, n, G, f, first, &X) || !basis_of(arena, n, G, s, second, &Y)) return NAN;
  double* G12 = block_of(arena, n, G, f, first, s, second);
  double* half = CH_TAKE(arena, (size_t)X.rank * (size_t)s + 1, double);
  double* inner = CH_TAKE(arena, (size_t)X.rank * (size_t)Y.rank + 1, double);
  multiply(true, X.rank, s, f, X.X, f, G12, half);
  multiply(false, X.rank, Y.rank, s, half, X.rank, Y.X, inner);
  const double cosine = largest_singular_value(arena, X.rank, Y.rank, inner);
  return cosine > 1.0 ? 1.0 : cosine;
}

ChStatus ch_span_cosine(ChContext* context, int n, double* G, const unsigned char* span, double* cosine) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the angle between %d vectors", n);
  }
  ch_arena_set_landing(arena, &landing);
  *cosine = ch_principal_cosine(arena, n, G, span);
  ch_arena_destroy(arena);
  return CH_OK;
}
