// LU of a small block matrix: see dense_lu.h.
#include "linalg/dense_lu.h"

#include <string.h>

#include "linalg/full_lu.h"

enum { MOST_ROWS = 300, FULL_SHARE = 5 };  // blocks present: at least one in FULL_SHARE; fill makes up for the rest

struct ChDenseLu {
  int rows;         // that take part
  int* place;       // of each scalar row of A among them, -1 when pinned
  double *a, *rhs;  // by columns
  int* pivot;
};

bool ch_dense_lu_suits(const ChBlockCsr* A) {
  return A->n > 0 && A->row[A->n] <= MOST_ROWS && (long)A->start[A->n] * FULL_SHARE >= (long)A->n * A->n;
}

ChDenseLu* ch_dense_lu_create(ChArena* arena, const ChBlockCsr* A) {
  ChDenseLu* lu = CH_TAKE(arena, 1, ChDenseLu);
  int rows = A->row[A->n];
  lu->place = CH_TAKE(arena, rows, int);
  lu->a = CH_TAKE_RAW(arena, (long)rows * rows, double);
  lu->rhs = CH_TAKE_RAW(arena, rows, double);
  lu->pivot = CH_TAKE(arena, rows, int);
  return lu;
}

static void place_rows(ChDenseLu* lu, const ChBlockCsr* A, const unsigned char* pinned) {
  lu->rows = 0;
  for (int i = 0; i < A->n; ++i)
    for (int a = A->row[i]; a < A->row[i + 1]; ++a) lu->place[a] = pinned && pinned[i] ? -1 : lu->rows++;
}

static void gather(ChDenseLu* lu, const ChBlockCsr* A) {
  memset(lu->a, 0, (size_t)lu->rows * (size_t)lu->rows * sizeof *lu->a);
  for (int i = 0; i < A->n; ++i) {
    if (A->dim[i] == 0 || lu->place[A->row[i]] < 0) continue;
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      int j = A->column[k];
      if (lu->place[A->row[j]] < 0) continue;
      const double* block = A->value + A->offset[k];
      double* to = lu->a + (long)lu->place[A->row[j]] * lu->rows + lu->place[A->row[i]];
      for (int a = 0; a < A->dim[i]; ++a)
        for (int c = 0; c < A->dim[j]; ++c) to[(long)c * lu->rows + a] = block[a * A->dim[j] + c];
    }
  }
}

bool ch_dense_lu_factor(ChDenseLu* lu, const ChBlockCsr* A, const unsigned char* pinned) {
  place_rows(lu, A, pinned);
  if (lu->rows == 0) return true;
  gather(lu, A);
  return ch_full_lu_factor(lu->rows, lu->a, lu->pivot);
}

void ch_dense_lu_solve(const ChDenseLu* lu, const double* b, double* x) {
  int all = 0;
  for (int at = 0; at < lu->rows; ++all)
    if (lu->place[all] >= 0) lu->rhs[at++] = b[all];
  ch_full_lu_solve(lu->rows, lu->a, lu->pivot, lu->rhs);
  for (int row = 0; row < all; ++row)
    if (lu->place[row] >= 0) x[row] = lu->rhs[lu->place[row]];
}
