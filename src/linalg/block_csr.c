// Block-sparse square matrices: see block_csr.h.
#include "linalg/block_csr.h"

#include <math.h>
#include <stddef.h>

#include "base/work.h"

void ch_block_csr_layout(ChArena* arena, ChBlockCsr* A) {
  int entries = A->start[A->n];
  A->offset = CH_TAKE(arena, entries + 1, long);
  A->diagonal = CH_TAKE(arena, A->n, int);
  long offset = 0;
  for (int i = 0; i < A->n; ++i)
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      A->offset[k] = offset;
      offset += (long)A->dim[i] * A->dim[A->column[k]];
      if (A->column[k] == i) A->diagonal[i] = k;
    }
  A->offset[entries] = offset;
  A->value = CH_TAKE(arena, offset, double);
}

// y += B x for one block
static inline void block_multiply_add(int rows, int columns, const double* B, const double* x, double* y) {
  if (rows == 3 && columns == 3) {
    y[0] += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
    y[1] += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
    y[2] += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
  } else if (rows == 2 && columns == 2) {
    y[0] += B[0] * x[0] + B[1] * x[1];
    y[1] += B[2] * x[0] + B[3] * x[1];
  } else {
    for (int a = 0; a < rows; ++a)
      for (int b = 0; b < columns; ++b) y[a] += B[a * columns + b] * x[b];
  }
}

// A row of three, most rows there are: its sums stay in registers while blocks follow each other.
static inline void row_of_three(const ChBlockCsr* A, int i, const double* x, double* y) {
  double y0 = 0.0, y1 = 0.0, y2 = 0.0;
  for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
    int j = A->column[k];
    const double *B = A->value + A->offset[k], *v = x + A->row[j];
    if (A->dim[j] == 3) {
      y0 += B[0] * v[0] + B[1] * v[1] + B[2] * v[2];
      y1 += B[3] * v[0] + B[4] * v[1] + B[5] * v[2];
      y2 += B[6] * v[0] + B[7] * v[1] + B[8] * v[2];
    } else {
      double sum[3] = {y0, y1, y2};
      block_multiply_add(3, A->dim[j], B, v, sum);
      y0 = sum[0], y1 = sum[1], y2 = sum[2];
    }
  }
  y[0] = y0, y[1] = y1, y[2] = y2;
}

void ch_block_csr_multiply(const ChBlockCsr* A, const double* x, const double* b, double* y) {
  ch_work_add((double)A->offset[A->start[A->n]]);
  for (int i = 0; i < A->n; ++i) {
    double sum[6] = {0.0};
    if (A->dim[i] == 3)
      row_of_three(A, i, x, sum);
    else
      for (int k = A->start[i]; k < A->start[i + 1]; ++k)
        block_multiply_add(A->dim[i], A->dim[A->column[k]], A->value + A->offset[k], x + A->row[A->column[k]], sum);
    for (int a = 0; a < A->dim[i]; ++a) y[A->row[i] + a] = b ? sum[a] + b[A->row[i] + a] : sum[a];
  }
}

void ch_block_csr_row_without_diagonal(const ChBlockCsr* A, int i, const double* x, const double* b, double* y) {
  for (int a = 0; a < A->dim[i]; ++a) y[a] = b[A->row[i] + a];
  for (int k = A->start[i]; k < A->start[i + 1]; ++k)
    if (k != A->diagonal[i])
      block_multiply_add(A->dim[i], A->dim[A->column[k]], A->value + A->offset[k], x + A->row[A->column[k]], y);
}

const double* ch_block_csr_find(const ChBlockCsr* A, int i, int j) {
  int low = A->start[i], high = A->start[i + 1] - 1;
  while (low <= high) {
    int middle = (low + high) / 2;
    if (A->column[middle] == j) return A->value + A->offset[middle];
    if (A->column[middle] < j)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return NULL;
}

double ch_block_csr_asymmetry(const ChBlockCsr* A) {
  double largest = 0.0, difference = 0.0;
  for (int i = 0; i < A->n; ++i)
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      int j = A->column[k], di = A->dim[i], dj = A->dim[j];
      const double *B = A->value + A->offset[k], *T = ch_block_csr_find(A, j, i);
      for (int a = 0; a < di; ++a)
        for (int b = 0; b < dj; ++b) {
          largest = fmax(largest, fabs(B[a * dj + b]));
          difference = fmax(difference, fabs(B[a * dj + b] - (T ? T[b * di + a] : 0.0)));
        }
    }
  return largest > 0.0 ? difference / largest : 0.0;
}

ChBlockCsr ch_block_csr_symmetric_part(ChArena* arena, const ChBlockCsr* A) {
  ChBlockCsr S = *A;
  S.value = CH_TAKE(arena, A->offset[A->start[A->n]], double);
  for (int i = 0; i < A->n; ++i)
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      int j = A->column[k], di = A->dim[i], dj = A->dim[j];
      const double *B = A->value + A->offset[k], *T = ch_block_csr_find(A, j, i);
      for (int a = 0; a < di; ++a)
        for (int b = 0; b < dj; ++b)
          S.value[A->offset[k] + a * dj + b] = 0.5 * (B[a * dj + b] + (T ? T[b * di + a] : 0.0));
    }
  return S;
}
