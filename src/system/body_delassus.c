// W formed body by body: W_ij = sum over the bodies that i and j share of H_ib^T M_b^-1 H_jb. Blocks that share no body
// have no entry. All blocks on one body with many degrees of freedom are multiplied at once, as matrices.
#include <cblas.h>
#include <string.h>

#include "linalg/small.h"
#include "system/bodies.h"

// The entries of H by body: entry[start[b]] .. are those of body b, ascending in their blocks.
typedef struct ByBody {
  int *start, *entry, *block;
  long* at;    // where an entry's block begins in MH; on a wide body: its first column there
  double* MH;  // M^-1 H
  double** G;  // of a wide body: H^T M^-1 H over all its columns; NULL of others
  int* columns;
} ByBody;

enum { WIDE = 12, MOST_COLUMNS = 1500 };  // degrees of freedom of a wide body; columns of which the product is kept

// MH += M^-1 H; M^-1 is mostly zeros
static inline void add_response_loop(int rows, int columns, const double* inverse, const double* H, double* MH) {
  for (int x = 0; x < rows; ++x)
    for (int y = 0; y < rows; ++y) {
      if (inverse[x * rows + y] == 0.0) continue;
      for (int a = 0; a < columns; ++a) MH[x * columns + a] += inverse[x * rows + y] * H[y * columns + a];
    }
}

static void add_response(int rows, int columns, const double* inverse, const double* H, double* MH) {
  CH_SMALL_BY_SIZE(rows, columns, add_response_loop, inverse, H, MH);
}

// H of all entries of a body side by side, times M^-1, times H again.
static double* multiply_wide(ChArena* arena, const ChBodies* b, const ByBody* list, const int* dim, int body) {
  int size = b->dim[body], columns = list->columns[body];
  double *H = CH_TAKE_RAW(arena, (long)size * columns, double), *MH = CH_TAKE_RAW(arena, (long)size * columns, double);
  double* G = CH_TAKE_RAW(arena, (long)columns * columns, double);
  for (int k = list->start[body]; k < list->start[body + 1]; ++k) {
    int e = list->entry[k], d = dim[list->block[e]];
    const double* from = b->H + b->jacobian[e];
    for (int x = 0; x < size; ++x)
      for (int a = 0; a < d; ++a) H[(long)x * columns + list->at[e] + a] = from[x * d + a];
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, columns, size, 1.0, b->inverse + b->offset[body], size,
              H, columns, 0.0, MH, columns);
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, columns, columns, size, 1.0, H, columns, MH, columns, 0.0, G,
              columns);
  return G;
}

// Sizes and places; bodies are narrow or wide.
static ByBody list_by_body(ChArena* arena, const ChBodies* b, int n, const int* dim) {
  int entries = b->start[n];
  ByBody list = {.start = CH_TAKE(arena, b->n + 2, int),
                 .entry = CH_TAKE(arena, entries, int),
                 .block = CH_TAKE(arena, entries, int),
                 .at = CH_TAKE_RAW(arena, entries, long),
                 .G = CH_TAKE(arena, b->n, double*),
                 .columns = CH_TAKE(arena, b->n, int)};
  for (int i = 0; i < n; ++i)
    for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
      list.block[e] = i;
      ++list.start[b->body[e] + 2];
      list.columns[b->body[e]] += dim[i];
    }
  for (int k = 0; k < b->n; ++k) list.start[k + 2] += list.start[k + 1];
  for (int e = 0; e < entries; ++e) list.entry[list.start[b->body[e] + 1]++] = e;
  return list;
}

static void respond(ChArena* arena, const ChBodies* b, const int* dim, ByBody* list) {
  long size = 0;
  for (int body = 0; body < b->n; ++body) {
    bool wide = b->dim[body] >= WIDE && list->columns[body] <= MOST_COLUMNS;
    long column = 0;
    for (int k = list->start[body]; k < list->start[body + 1]; ++k) {
      int e = list->entry[k], d = dim[list->block[e]];
      list->at[e] = wide ? column : size;
      column += d;
      if (!wide) size += (long)b->dim[body] * d;
    }
    if (wide && column > 0) list->G[body] = multiply_wide(arena, b, list, dim, body);
  }
  list->MH = CH_TAKE(arena, size, double);
  for (int e = 0; e < list->start[b->n]; ++e) {
    int body = b->body[e];
    if (!list->G[body])
      add_response(b->dim[body], dim[list->block[e]], b->inverse + b->offset[body], b->H + b->jacobian[e],
                   list->MH + list->at[e]);
  }
}

// Merges the blocks of one body into the ascending list of a row; returns its new length.
static int merge(const ByBody* list, int body, const int* old, int count, int* merged) {
  int at = 0, length = 0;
  for (int k = list->start[body]; k < list->start[body + 1]; ++k) {
    int j = list->block[list->entry[k]];
    while (at < count && old[at] < j) merged[length++] = old[at++];
    if (at < count && old[at] == j) ++at;
    merged[length++] = j;
  }
  while (at < count) merged[length++] = old[at++];
  return length;
}

static void build_pattern(ChArena* arena, const ChBodies* b, const ByBody* list, ChBlockCsr* W) {
  long most = 0;
  for (int i = 0; i < W->n; ++i)
    for (int e = b->start[i]; e < b->start[i + 1]; ++e) most += list->start[b->body[e] + 1] - list->start[b->body[e]];
  int *old = CH_TAKE(arena, W->n, int), *merged = CH_TAKE(arena, W->n, int);
  W->start = CH_TAKE(arena, W->n + 1, int);
  W->column = CH_TAKE(arena, most, int);
  for (int i = 0; i < W->n; ++i) {
    int count = 0;
    for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
      count = merge(list, b->body[e], old, count, merged);
      int* spare = old;
      old = merged;
      merged = spare;
    }
    memcpy(W->column + W->start[i], old, (size_t)count * sizeof *old);
    W->start[i + 1] = W->start[i] + count;
  }
}

// out += A^T B, A rows x m, B rows x n
static inline void add_product(int rows, int m, int n, const double* A, const double* B, double* out) {
  for (int x = 0; x < rows; ++x)
    for (int a = 0; a < m; ++a)
      for (int c = 0; c < n; ++c) out[a * n + c] += A[x * m + a] * B[x * n + c];
}

static void add_pair(int rows, int m, int n, const double* A, const double* B, double* out) {
  if (rows == 6 && m == 3 && n == 3)
    add_product(6, 3, 3, A, B, out);
  else if (rows == 3 && m == 2 && n == 2)
    add_product(3, 2, 2, A, B, out);
  else
    add_product(rows, m, n, A, B, out);
}

// out += the m x n corner of G, whose rows have `columns` entries
static void add_part(int m, int n, long columns, const double* G, double* out) {
  for (int a = 0; a < m; ++a)
    for (int c = 0; c < n; ++c) out[a * n + c] += G[a * columns + c];
}

// Rows i, columns j >= `from`(i); place[j] is scratch.
static void fill_row(const ChBodies* b, const ByBody* list, ChBlockCsr* W, int i, int from, long* place) {
  for (int k = W->start[i]; k < W->start[i + 1]; ++k) place[W->column[k]] = W->offset[k];
  for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
    int body = b->body[e];
    for (int k = list->start[body]; k < list->start[body + 1]; ++k) {
      int f = list->entry[k], j = list->block[f];
      if (j < from) continue;
      if (list->G[body])
        add_part(W->dim[i], W->dim[j], list->columns[body],
                 list->G[body] + list->at[e] * list->columns[body] + list->at[f], W->value + place[j]);
      else
        add_pair(b->dim[body], W->dim[i], W->dim[j], b->H + b->jacobian[e], list->MH + list->at[f],
                 W->value + place[j]);
    }
  }
}

// Lower blocks as transposes of the upper ones: rows are met in order, so each row's next column is the one at hand.
static void mirror(ChArena* arena, ChBlockCsr* W) {
  int* next = CH_TAKE(arena, W->n, int);
  memcpy(next, W->start, (size_t)W->n * sizeof *next);
  for (int i = 0; i < W->n; ++i)
    for (int k = W->diagonal[i] + 1; k < W->start[i + 1]; ++k) {
      int j = W->column[k], m = W->dim[i], n = W->dim[j];
      const double* upper = W->value + W->offset[k];
      double* lower = W->value + W->offset[next[j]++];
      for (int a = 0; a < m; ++a)
        for (int c = 0; c < n; ++c) lower[c * m + a] = upper[a * n + c];
    }
}

ChBlockCsr ch_bodies_delassus(ChArena* arena, const ChBodies* b, int n, const int* dim, const int* row,
                              bool symmetric) {
  ChBlockCsr W = {.n = n, .dim = dim, .row = row};
  ByBody list = list_by_body(arena, b, n, dim);
  respond(arena, b, dim, &list);
  build_pattern(arena, b, &list, &W);
  ch_block_csr_layout(arena, &W);
  long* place = CH_TAKE(arena, n, long);
  for (int i = 0; i < n; ++i) fill_row(b, &list, &W, i, symmetric ? i : 0, place);
  if (symmetric) mirror(arena, &W);
  return W;
}
