// LU by blocks: see wide_lu.h.
//
//   for each block b:   K_bb = L U,   L_qb = K_qb U^-1,   U_bq = L^-1 K_bq,   K_pq -= L_pb U_bq   for all p, q it meets
//
// four columns of K_bb and L_qb at a time, then four columns of all the rest.
#include "linalg/wide_lu.h"

#include <math.h>

#include "base/work.h"
#include "linalg/quad.h"

enum { STEP = CH_WIDE_LU_STEP };
#define FACTOR_WORK 0.05  // of an entry and a row: several multiply-adds at a time
#define SOLVE_WORK 0.5    // of an entry
#define THRESHOLD 0.1     // share of what is below it in its block from which on the diagonal is divided by
#define TINY 1e-14        // share of the largest diagonal entry that stands in for a pivot of nothing

#define INLINE static inline __attribute__((always_inline))  // where a constant argument unrolls loops

INLINE ChQuad* quad(double* x) { return (ChQuad*)x; }
INLINE ChQuad quad_at(const double* x) { return CH_QUAD_AT(x); }

// L^-1 of four columns in their own rows, by columns
typedef struct Top {
  ChQuad column[STEP];
} Top;

typedef struct Ranges {
  int count;
  int from[CH_WIDE_LU_BLOCKS], to[CH_WIDE_LU_BLOCKS];
} Ranges;

// One block's turn
typedef struct Turn {
  const ChWidePattern* pattern;
  int n;  // of the whole
  double* A;
  int* pivot;
  double tiny;
  int begin, end;
  unsigned meets;  // itself, too
  Ranges below;    // rows of later blocks that it meets, and columns
  Top tops[CH_WIDE_LU_ROWS / STEP];
} Turn;

// Rows of those blocks from `begin` to before `end` that are among `meets`
static Ranges find_ranges(const ChWidePattern* p, int begin, int end, unsigned meets) {
  Ranges r = {.count = 0};
  for (int q = begin; q < end; ++q) {
    if (!(meets >> q & 1u)) continue;
    if (r.count == 0 || r.to[r.count - 1] != p->first[q]) r.from[r.count++] = p->first[q];
    r.to[r.count - 1] = p->first[q + 1];
  }
  return r;
}

// --- the block itself and what is below it, four columns at a time ---

static void exchange_rows(const Turn* t, int a, int b) {
  const ChWidePattern* p = t->pattern;
  for (int q = 0; q < p->count; ++q)
    for (int j = p->first[q]; j < p->first[q + 1] && (t->meets >> q & 1u); ++j) {
      double* column = t->A + (long)j * t->n;
      double x = column[a];
      column[a] = column[b];
      column[b] = x;
    }
}

// The row of the block to divide by: the diagonal, unless others are much larger. Their norm is sooner found than the
// largest of them.
static int choose_pivot(const double* column, int k, int end) {
  int i = k + 1, best = k;
  double others = 0.0;
  for (; i % STEP != 0; ++i) others += column[i] * column[i];
  ChQuad sum = {0.0};
  for (; i < end; i += STEP) sum += quad_at(column + i) * quad_at(column + i);
  others += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (column[k] * column[k] >= THRESHOLD * THRESHOLD * others) return k;
  for (i = k + 1; i < end; ++i)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  return best;
}

// a <- (a - L x) scale, of the first c of the panel's columns
INLINE void finish_rows(int n, const double* panel, int c, const double* x, double scale, int from, int to, double* a) {
  for (int i = from; i < to; i += STEP) {
    ChQuad sum = quad_at(a + i);
    for (int l = 0; l < c; ++l) sum -= quad_at(panel + (long)l * n + i) * x[l];
    *quad(a + i) = sum * scale;
  }
}

// Column k + c: what columns k to k + c - 1 leave of it, divided by its pivot
INLINE void factor_column(Turn* t, int k, int c) {
  double *panel = t->A + (long)k * t->n, *a = panel + (long)c * t->n, x[STEP];
  for (int i = 0; i < STEP; ++i) {
    for (int l = 0; l < c && l < i; ++l) a[k + i] -= panel[(long)l * t->n + k + i] * x[l];
    x[i] = a[k + i];
  }
  finish_rows(t->n, panel, c, x, 1.0, k + STEP, t->end, a);
  int from = choose_pivot(a, k + c, t->end);
  t->pivot[k + c] = from;
  if (from != k + c) exchange_rows(t, k + c, from);
  double* diagonal = &a[k + c];
  if (fabs(*diagonal) < t->tiny) *diagonal = *diagonal < 0.0 ? -t->tiny : t->tiny;
  double inverse = 1.0 / *diagonal;
  for (int i = c + 1; i < STEP; ++i) a[k + i] *= inverse;
  finish_rows(t->n, panel, 0, x, inverse, k + STEP, t->end, a);
  for (int r = 0; r < t->below.count; ++r) finish_rows(t->n, panel, c, x, inverse, t->below.from[r], t->below.to[r], a);
}

static Top invert_top(int n, const double* panel) {
  const double *l0 = panel, *l1 = panel + n, *l2 = panel + 2L * n;
  double a = -l0[1], b = -l1[2], c = -l2[3];
  double d = -l0[2] - a * l1[2], e = -l1[3] - b * l2[3], f = -l0[3] - a * l1[3] - d * l2[3];
  return (Top){{{1.0, a, d, f}, {0.0, 1.0, b, e}, {0.0, 0.0, 1.0, c}, {0.0, 0.0, 0.0, 1.0}}};
}

INLINE ChQuad solve_top(const Top* top, const double* a) {
  return (top->column[0] * a[0] + top->column[1] * a[1]) + (top->column[2] * a[2] + top->column[3] * a[3]);
}

// a -= L x, b -= L y, of four columns of L
static void update_rows(int n, const double* panel, const double* x, const double* y, int from, int to, double* a,
                        double* b) {
  const double *l0 = panel, *l1 = panel + n, *l2 = panel + 2L * n, *l3 = panel + 3L * n;
  ChQuad x0 = x[0] + (ChQuad){0.0}, x1 = x[1] + (ChQuad){0.0}, x2 = x[2] + (ChQuad){0.0}, x3 = x[3] + (ChQuad){0.0};
  ChQuad y0 = y[0] + (ChQuad){0.0}, y1 = y[1] + (ChQuad){0.0}, y2 = y[2] + (ChQuad){0.0}, y3 = y[3] + (ChQuad){0.0};
  for (int i = from; i < to; i += STEP) {
    ChQuad p = quad_at(l0 + i), q = quad_at(l1 + i), r = quad_at(l2 + i), s = quad_at(l3 + i);
    *quad(a + i) -= p * x0 + q * x1 + r * x2 + s * x3;
    *quad(b + i) -= p * y0 + q * y1 + r * y2 + s * y3;
  }
}

// What columns k to k + 3 leave of the block's later ones
static void update_own(Turn* t, int k) {
  const Top* top = &t->tops[(k - t->begin) / STEP];
  const double* panel = t->A + (long)k * t->n;
  for (int j = k + STEP; j < t->end; j += 2) {
    double *a = t->A + (long)j * t->n, *b = a + t->n;
    *quad(a + k) = solve_top(top, a + k);
    *quad(b + k) = solve_top(top, b + k);
    update_rows(t->n, panel, a + k, b + k, k + STEP, t->end, a, b);
    for (int r = 0; r < t->below.count; ++r)
      update_rows(t->n, panel, a + k, b + k, t->below.from[r], t->below.to[r], a, b);
  }
}

static void factor_own(Turn* t) {
  for (int k = t->begin; k < t->end; k += STEP) {
    factor_column(t, k, 0);
    factor_column(t, k, 1);
    factor_column(t, k, 2);
    factor_column(t, k, 3);
    t->tops[(k - t->begin) / STEP] = invert_top(t->n, t->A + (long)k * t->n + k);
    update_own(t, k);
  }
}

// --- what the block leaves of the others, four columns at a time ---

// a -= L X, of `quads` times four rows and four columns; d columns of L
INLINE void subtract_tile(int n, int d, const double* L, const double* X, int quads, double* a) {
  ChQuad sum[2][STEP] = {{{0.0}}};
  for (int k = 0; k < d; ++k)
    for (int i = 0; i < quads; ++i) {
      ChQuad l = quad_at(L + (long)k * n + i * STEP);
      for (int j = 0; j < STEP; ++j) sum[i][j] += l * X[(long)j * n + k];
    }
  for (int i = 0; i < quads; ++i)
    for (int j = 0; j < STEP; ++j) *quad(a + (long)j * n + i * STEP) -= sum[i][j];
}

// a: four columns; U_bq = L^-1 K_bq
static void solve_columns(const Turn* t, double* a) {
  const double* L = t->A + (long)t->begin * t->n;
  for (int k = t->begin; k < t->end; k += STEP) {
    if (k > t->begin) subtract_tile(t->n, k - t->begin, L + k, a + t->begin, 1, a + k);
    const Top* top = &t->tops[(k - t->begin) / STEP];
    for (int j = 0; j < STEP; ++j) *quad(a + (long)j * t->n + k) = solve_top(top, a + (long)j * t->n + k);
  }
}

// K_pq -= L_pb U_bq
static void update_columns(const Turn* t, double* a) {
  const double *L = t->A + (long)t->begin * t->n, *U = a + t->begin;
  int d = t->end - t->begin;
  for (int r = 0; r < t->below.count; ++r) {
    int i = t->below.from[r], to = t->below.to[r];
    for (; i + 2 * STEP <= to; i += 2 * STEP) subtract_tile(t->n, d, L + i, U, 2, a + i);
    if (i < to) subtract_tile(t->n, d, L + i, U, 1, a + i);
  }
}

static double largest_diagonal(int n, const double* A) {
  double largest = 0.0;
  for (int k = 0; k < n; ++k) largest = fmax(largest, fabs(A[(long)k * (n + 1)]));
  return largest;
}

bool ch_wide_lu_factor(const ChWidePattern* p, double* A, int* pivot) {
  int n = p->first[p->count];
  Turn t = {.pattern = p, .n = n, .A = A, .pivot = pivot, .tiny = TINY * largest_diagonal(n, A)};
  for (int block = 0; block < p->count; ++block) {
    t.begin = p->first[block];
    t.end = p->first[block + 1];
    t.meets = p->meets[block] | 1u << block;
    t.below = find_ranges(p, block + 1, p->count, t.meets);
    factor_own(&t);
    int size = t.end - t.begin;
    for (int r = 0; r < t.below.count; ++r) {
      for (int j = t.below.from[r]; j < t.below.to[r]; j += STEP) {
        solve_columns(&t, A + (long)j * n);
        update_columns(&t, A + (long)j * n);
      }
      size += t.below.to[r] - t.below.from[r];
    }
    ch_work_add(FACTOR_WORK * size * size * (t.end - t.begin));
    if (ch_limits_over()) return false;
  }
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += A[(long)k * (n + 1)];
  return t.tiny > 0.0 && isfinite(sum);
}

// --- the solution ---

// b -= a x
static void subtract(int from, int to, double a, const double* x, double* b) {
  for (int i = from; i < to; i += STEP) *quad(b + i) -= quad_at(x + i) * a;
}

static void solve_down(const ChWidePattern* p, const double* LU, int block, double* b) {
  int n = p->first[p->count], end = p->first[block + 1];
  Ranges below = find_ranges(p, block + 1, p->count, p->meets[block]);
  for (int k = p->first[block]; k < end; ++k) {
    const double* column = LU + (long)k * n;
    int i = k + 1;
    for (; i % STEP != 0; ++i) b[i] -= column[i] * b[k];
    subtract(i, end, b[k], column, b);
    for (int r = 0; r < below.count; ++r) subtract(below.from[r], below.to[r], b[k], column, b);
  }
}

static void solve_up(const ChWidePattern* p, const double* LU, int block, double* b) {
  int n = p->first[p->count], begin = p->first[block];
  Ranges above = find_ranges(p, 0, block, p->meets[block]);
  for (int k = p->first[block + 1] - 1; k >= begin; --k) {
    const double* column = LU + (long)k * n;
    b[k] /= column[k];
    int top = k - k % STEP;
    for (int i = top; i < k; ++i) b[i] -= column[i] * b[k];
    subtract(begin, top, b[k], column, b);
    for (int r = 0; r < above.count; ++r) subtract(above.from[r], above.to[r], b[k], column, b);
  }
}

void ch_wide_lu_solve(const ChWidePattern* p, const double* LU, const int* pivot, double* b) {
  int n = p->first[p->count];
  ch_work_add(SOLVE_WORK * n * n);
  for (int k = 0; k < n; ++k) {
    double x = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = x;
  }
  for (int block = 0; block < p->count; ++block) solve_down(p, LU, block, b);
  for (int block = p->count - 1; block >= 0; --block) solve_up(p, LU, block, b);
}
