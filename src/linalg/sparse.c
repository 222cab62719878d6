// Compressed-column sparse matrices: building, transposing, multiplying.
#include "linalg/sparse.h"

#include <math.h>
#include <stdbool.h>

#include "cardhouse/union_find.h"
#include "linalg/dot.h"
#include "linalg/quad.h"

static ChSparse sparse_take(ChArena* arena, int rows, int columns, long count) {
  return (ChSparse){.rows = rows,
                    .columns = columns,
                    .start = CH_TAKE(arena, columns + 1, int),
                    .index = CH_TAKE(arena, count, int),
                    .value = CH_TAKE(arena, count, double)};
}

ChSparse ch_sparse_transpose(ChArena* arena, const ChSparse* A) {
  long count = A->start[A->columns];
  ChSparse T = sparse_take(arena, A->columns, A->rows, count);
  for (long k = 0; k < count; ++k) ++T.start[A->index[k] + 1];
  for (int i = 0; i < A->rows; ++i) T.start[i + 1] += T.start[i];
  ChArenaMark mark = ch_arena_mark(arena);
  int* next = CH_TAKE(arena, A->rows, int);
  for (int i = 0; i < A->rows; ++i) next[i] = T.start[i];
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      int slot = next[A->index[k]]++;
      T.index[slot] = j;
      T.value[slot] = A->value[k];
    }
  ch_arena_release(arena, mark);
  return T;
}

// Adds up neighbouring entries of the same row inside each (sorted) column, in place.
static void add_duplicates(ChSparse* A) {
  int kept = 0;
  for (int j = 0, k = 0; j < A->columns; ++j) {
    int first = kept;
    for (int end = A->start[j + 1]; k < end; ++k) {
      if (kept > first && A->index[kept - 1] == A->index[k]) {
        A->value[kept - 1] += A->value[k];
      } else {
        A->index[kept] = A->index[k];
        A->value[kept++] = A->value[k];
      }
    }
    A->start[j] = first;
  }
  A->start[A->columns] = kept;
}

// Two bucket passes (rows, then columns) leave every column sorted by row.
ChSparse ch_sparse_from_triplets(ChArena* arena, const ChTriplets* t) {
  ChSparse by_row = sparse_take(arena, t->columns, t->rows, t->count);
  for (long k = 0; k < t->count; ++k) ++by_row.start[t->row[k] + 1];
  for (int i = 0; i < t->rows; ++i) by_row.start[i + 1] += by_row.start[i];
  int* next = CH_TAKE(arena, t->rows, int);
  for (int i = 0; i < t->rows; ++i) next[i] = by_row.start[i];
  for (long k = 0; k < t->count; ++k) {
    int slot = next[t->row[k]]++;
    by_row.index[slot] = t->column[k];
    by_row.value[slot] = t->value[k];
  }
  ChSparse A = ch_sparse_transpose(arena, &by_row);
  add_duplicates(&A);
  return A;
}

// Columns with more entries than a row of two rigid bodies has are taken in runs of rows that follow each other: no
// index is read inside of one. They are passed over where they are multiplied by zero.
enum { LONG = 12 };

int ch_sparse_search_run(const int* index, int count) {
  int inside = 1, outside = 2;
  while (outside < count && index[outside - 1] - index[0] == outside - 1) {
    inside = outside;
    outside *= 2;
  }
  if (outside > count) outside = count;
  while (outside - inside > 1) {
    int middle = inside + (outside - inside) / 2;
    if (index[middle - 1] - index[0] == middle - 1)
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

static void add_scaled(int n, double s, const double* restrict a, double* restrict y) {
  for (int k = 0; k < n; ++k) y[k] += a[k] * s;
}

void ch_sparse_multiply_add(const ChSparse* A, const double* x, double* y) {
  for (int j = 0; j < A->columns; ++j) {
    int k = A->start[j], end = A->start[j + 1];
    if (end - k > LONG && x[j] == 0.0) continue;
    for (int run = 0; end - k > LONG; k += run) {
      run = ch_sparse_run(A->index + k, end - k);
      add_scaled(run, x[j], A->value + k, y + A->index[k]);
    }
    for (; k < end; ++k) y[A->index[k]] += A->value[k] * x[j];
  }
}

void ch_sparse_multiply_transposed_add(const ChSparse* A, const double* x, double* y) {
  for (int j = 0; j < A->columns; ++j) {
    double sum = 0.0;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) sum += A->value[k] * x[A->index[k]];
    y[j] += sum;
  }
}

int ch_sparse_three_alike(const ChSparse* A, int j) {
  if (j + 3 > A->columns) return 0;
  const int *start = A->start + j, *index = A->index, length = start[1] - start[0];
  if (length <= LONG || start[2] - start[1] != length || start[3] - start[2] != length) return 0;
  int first = index[start[0]], last = first + length - 1;
  bool alike = index[start[1] - 1] == last && index[start[1]] == first && index[start[2] - 1] == last &&
               index[start[2]] == first && index[start[3] - 1] == last;
  return alike ? length : 0;
}

// y += A^T x of three such columns, the rows of a contact mostly.
static void add_three(int length, const double* A, const double* x, double* y) {
  const double *B = A + length, *C = B + length;
  ChQuad a = {0.0}, b = {0.0}, c = {0.0}, sums;
  int k = 0;
  for (; k + 4 <= length; k += 4) {
    ChQuad some = CH_QUAD_AT(x + k);
    a += CH_QUAD_AT(A + k) * some;
    b += CH_QUAD_AT(B + k) * some;
    c += CH_QUAD_AT(C + k) * some;
  }
  if (k < length) {
    int n = length - k;
    ChQuad some = CH_QUAD_HEAD(x + k, n);
    a += CH_QUAD_HEAD(A + k, n) * some;
    b += CH_QUAD_HEAD(B + k, n) * some;
    c += CH_QUAD_HEAD(C + k, n) * some;
  }
  ch_quad_sums_three(&a, &b, &c, &sums);
  for (int l = 0; l < 3; ++l) y[l] += sums[l];
}

void ch_sparse_transposed_by_runs_add(const ChSparse* A, const double* x, double* y) {
  for (int j = 0; j < A->columns; ++j) {
    double sum = 0.0;
    int k = A->start[j], end = A->start[j + 1];
    int length = ch_sparse_three_alike(A, j);
    if (length > 0) {
      add_three(length, A->value + k, x + A->index[k], y + j);
      j += 2;
      continue;
    }
    for (int run = 0; end - k > LONG; k += run) {
      run = ch_sparse_run(A->index + k, end - k);
      sum += ch_dot_lanes(run, A->value + k, x + A->index[k]);
    }
    for (; k < end; ++k) sum += A->value[k] * x[A->index[k]];
    y[j] += sum;
  }
}

double ch_sparse_asymmetry(ChArena* arena, const ChSparse* A) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChSparse T = ch_sparse_transpose(arena, A);
  double largest = 0.0, difference = 0.0;
  for (int j = 0; j < A->columns; ++j) {
    int a = A->start[j], b = T.start[j];
    while (a < A->start[j + 1] || b < T.start[j + 1]) {
      int row_a = a < A->start[j + 1] ? A->index[a] : A->rows;
      int row_b = b < T.start[j + 1] ? T.index[b] : A->rows;
      double value_a = row_a <= row_b ? A->value[a] : 0.0;
      double value_b = row_b <= row_a ? T.value[b] : 0.0;
      const double size = fabs(value_a), apart = fabs(value_a - value_b);
      largest = size > largest ? size : largest;
      difference = apart > difference ? apart : difference;
      a += row_a <= row_b;
      b += row_b <= row_a;
    }
  }
  ch_arena_release(arena, mark);
  return largest > 0.0 ? difference / largest : 0.0;
}

int ch_sparse_components(ChArena* arena, const ChSparse* A, const int* group, int* label) {
  ChArenaMark mark = ch_arena_mark(arena);
  int* parent = CH_TAKE(arena, A->columns, int);
  ch_sets_init(A->columns, parent);
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->value[k] != 0.0) ch_sets_join(parent, j, A->index[k]);
  for (int j = 1; group && j < A->columns; ++j)
    if (group[j - 1] == group[j]) ch_sets_join(parent, j - 1, j);
  int count = ch_sets_label(A->columns, parent, label);
  ch_arena_release(arena, mark);
  return count;
}
