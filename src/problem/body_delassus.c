// W formed body by body: W_ij = sum over the bodies that i and j share of H_ib^T M_b^-1 H_jb. Blocks that share no body
// have no entry.
#include <string.h>

#include "linalg/small.h"
#include "problem/bodies.h"

// The entries of H by body: entry[start[b]] .. are those of body b, ascending in their blocks.
typedef struct ByBody {
  int *start, *entry, *block;
  long* at;    // where an entry's block begins in MH
  double* MH;  // M^-1 H
} ByBody;

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

static ByBody list_by_body(ChArena* arena, const ChBodies* b, int n, const int* dim) {
  int entries = b->start[n];
  ByBody list = {CH_TAKE(arena, b->n + 2, int), CH_TAKE(arena, entries, int), CH_TAKE(arena, entries, int),
                 CH_TAKE_RAW(arena, entries, long), NULL};
  long size = 0;
  for (int i = 0; i < n; ++i)
    for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
      list.block[e] = i;
      ++list.start[b->body[e] + 2];
      list.at[e] = size;
      size += (long)b->dim[b->body[e]] * dim[i];
    }
  for (int k = 0; k < b->n; ++k) list.start[k + 2] += list.start[k + 1];
  for (int e = 0; e < entries; ++e) list.entry[list.start[b->body[e] + 1]++] = e;
  list.MH = CH_TAKE(arena, size, double);
  for (int e = 0; e < entries; ++e) {
    int body = b->body[e];
    add_response(b->dim[body], dim[list.block[e]], b->inverse + b->offset[body], b->H + b->jacobian[e],
                 list.MH + list.at[e]);
  }
  return list;
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

// Rows i, columns j >= `from`(i); place[j] is scratch.
static void fill_row(const ChBodies* b, const ByBody* list, ChBlockCsr* W, int i, int from, long* place) {
  for (int k = W->start[i]; k < W->start[i + 1]; ++k) place[W->column[k]] = W->offset[k];
  for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
    int body = b->body[e];
    for (int k = list->start[body]; k < list->start[body + 1]; ++k) {
      int f = list->entry[k], j = list->block[f];
      if (j >= from)
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
  build_pattern(arena, b, &list, &W);
  ch_block_csr_layout(arena, &W);
  long* place = CH_TAKE(arena, n, long);
  for (int i = 0; i < n; ++i) fill_row(b, &list, &W, i, symmetric ? i : 0, place);
  if (symmetric) mirror(arena, &W);
  return W;
}
