// (M + H C H^T) y = g for bodies with modes: see wide_system.h.
#include "solve/linear/wide_system.h"

#include <string.h>

#include "base/work.h"
#include "linalg/quad.h"
#include "linalg/small.h"
#include "linalg/wide_lu.h"

_Static_assert((int)CH_BODY_MAX <= (int)CH_WIDE_LU_ROWS, "a body is a block");
enum { RIGID = 6, MOST_FREEDOMS = 300, STRIP = 16, QUAD = CH_WIDE_LU_STEP };
#define ROW_WORK 0.3    // of an entry of a product of long rows: several multiply-adds at a time
#define PASS_WORK 40.0  // of a Jacobian, when all of them are gone through

// A Jacobian is kept twice. For H^T y of all contacts, body by body in strips of 16 rows with a column a freedom, so
// that sums run along the contacts; for what few loaded ones add to K, turned, so that they run along the freedoms.
struct ChWideSystem {
  const ChSystem* s;
  int* rows;                  // of bodies: rows of all blocks that touch them
  double** strips;            // of bodies
  int* place;                 // of entries of H: first row among their body's
  double* turned;             // of entries of H, at `at`: rows of whole quads
  long* at;                   // -1: not turned yet
  long used;                  // of `turned`
  int *list, *group, groups;  // blocks by the bodies that they touch; where each group begins
  const double** row_of;      // of a group's loaded rows: H
  double* HC;                 // and H C
  ChWidePattern pattern;
  int* row;   // of bodies: where their freedoms stand in K
  double* K;  // by columns
  int* pivot;
  double *y, *part;  // freedoms as in K; H^T y, body by body
  int* first;        // of bodies: where their rows begin in `part`
};

static int padded(int m) { return (m + QUAD - 1) / QUAD * QUAD; }

bool ch_wide_suits(const ChSystem* s) {
  return s->bodies && s->bodies->n <= CH_WIDE_LU_BLOCKS && s->bodies->dofs > RIGID * s->bodies->n &&
         s->bodies->dofs <= MOST_FREEDOMS;
}

static void count_rows(ChArena* arena, ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  int entries = b->start[w->s->n];
  w->rows = CH_TAKE(arena, b->n, int);
  w->first = CH_TAKE_RAW(arena, b->n + 1, int);
  w->place = CH_TAKE_RAW(arena, entries, int);
  w->at = CH_TAKE_RAW(arena, entries, long);
  for (int i = 0; i < w->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      w->place[k] = w->rows[b->body[k]];
      w->rows[b->body[k]] += w->s->dim[i];
      w->at[k] = -1;
    }
  w->first[0] = 0;
  for (int body = 0; body < b->n; ++body)
    w->first[body + 1] = w->first[body] + (w->rows[body] + STRIP - 1) / STRIP * STRIP;
}

static void fill_strips(ChArena* arena, ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  w->strips = CH_TAKE_RAW(arena, b->n, double*);
  for (int body = 0; body < b->n; ++body) {
    long rows = w->first[body + 1] - w->first[body];
    w->strips[body] = CH_TAKE_RAW(arena, rows * b->dim[body], double);
    if (rows > 0)
      memset(w->strips[body] + (rows - STRIP) * b->dim[body], 0, STRIP * (size_t)b->dim[body] * sizeof(double));
  }
  for (int i = 0; i < w->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      int m = b->dim[b->body[k]], d = w->s->dim[i];
      const double* H = b->H + b->jacobian[k];
      for (int a = 0; a < d; ++a) {
        int row = w->place[k] + a;
        double* to = w->strips[b->body[k]] + (long)(row / STRIP) * STRIP * m + row % STRIP;
        for (int x = 0; x < m; ++x) to[x * STRIP] = H[x * d + a];
      }
    }
}

static bool touch_the_same(const ChBodies* b, int i, int j) {
  int count = b->start[i + 1] - b->start[i];
  if (b->start[j + 1] - b->start[j] != count) return false;
  return memcmp(b->body + b->start[i], b->body + b->start[j], (size_t)count * sizeof *b->body) == 0;
}

// Blocks of a group touch the same bodies in the same order.
static void group_blocks(ChArena* arena, ChWideSystem* w) {
  const ChSystem* s = w->s;
  int *of = CH_TAKE_RAW(arena, s->n, int), *example = CH_TAKE_RAW(arena, s->n, int);
  w->list = CH_TAKE_RAW(arena, s->n, int);
  w->group = CH_TAKE(arena, s->n + 1, int);
  for (int i = 0; i < s->n; ++i) {
    int g = 0;
    while (g < w->groups && !touch_the_same(s->bodies, i, example[g])) ++g;
    if (g == w->groups) example[w->groups++] = i;
    of[i] = g;
    ++w->group[g + 1];
  }
  int longest = 0;
  for (int g = 0; g < w->groups; ++g) {
    if (w->group[g + 1] > longest) longest = w->group[g + 1];
    w->group[g + 1] += w->group[g];
  }
  for (int i = s->n - 1; i >= 0; --i) w->list[--w->group[of[i] + 1]] = i;
  for (int g = 0; g < w->groups; ++g) w->group[g] = w->group[g + 1];
  w->group[w->groups] = s->n;
  w->row_of = CH_TAKE_RAW(arena, longest * CH_SMALL_MAX, const double*);
  w->HC = CH_TAKE_RAW(arena, (long)longest * CH_SMALL_MAX * CH_BODY_MAX, double);
}

ChWideSystem* ch_wide_create(ChArena* arena, const ChSystem* s) {
  ChWideSystem* w = CH_TAKE(arena, 1, ChWideSystem);
  const ChBodies* b = s->bodies;
  w->s = s;
  count_rows(arena, w);
  fill_strips(arena, w);
  group_blocks(arena, w);
  long size = 0, n = 0;
  for (int body = 0; body < b->n; ++body) {
    size += (long)w->rows[body] * padded(b->dim[body]);
    n += padded(b->dim[body]);
  }
  w->turned = CH_TAKE_RAW(arena, size, double);
  w->row = CH_TAKE_RAW(arena, b->n, int);
  w->K = CH_TAKE_RAW(arena, n * n, double);
  w->pivot = CH_TAKE_RAW(arena, n, int);
  w->y = CH_TAKE_RAW(arena, n, double);
  w->part = CH_TAKE_RAW(arena, w->first[b->n], double);
  return w;
}

// The rows of entry k of block i, one after the other.
static const double* turned(ChWideSystem* w, int i, int k) {
  const ChBodies* b = w->s->bodies;
  int m = b->dim[b->body[k]], d = w->s->dim[i], stride = padded(m);
  if (w->at[k] < 0) {
    const double* H = b->H + b->jacobian[k];
    w->at[k] = w->used;
    w->used += (long)stride * d;
    for (int a = 0; a < d; ++a) {
      double* to = w->turned + w->at[k] + a * stride;
      for (int x = 0; x < m; ++x) to[x] = H[x * d + a];
      for (int x = m; x < stride; ++x) to[x] = 0.0;
    }
  }
  return w->turned + w->at[k];
}

// --- long rows ---

// y += a x
static inline void add_row(int m, double a, const double* x, double* y) {
  for (int k = 0; k < m; k += QUAD) *(ChQuad*)(y + k) += CH_QUAD_AT(x + k) * a;
}

// y += H x of block i
static void add_impulse(ChWideSystem* w, int i, const double* x, double* y) {
  const ChBodies* b = w->s->bodies;
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
    int m = padded(b->dim[b->body[k]]);
    const double* H = turned(w, i, k);
    for (int a = 0; a < w->s->dim[i]; ++a) add_row(m, x[a], H + a * m, y + w->row[b->body[k]]);
  }
}

// part = H^T y, body by body
static void find_parts(ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  for (int body = 0; body < b->n; ++body) {
    int m = b->dim[body];
    const double *y = w->y + w->row[body], *H = w->strips[body];
    for (int row = w->first[body]; row < w->first[body + 1]; row += STRIP, H += (long)STRIP * m) {
      ChQuad sum[STRIP / QUAD] = {{0.0}};
      for (int x = 0; x < m; ++x)
        for (int l = 0; l < STRIP / QUAD; ++l) sum[l] += CH_QUAD_AT(H + x * STRIP + l * QUAD) * y[x];
      memcpy(w->part + row, sum, sizeof sum);
    }
  }
}

// --- the matrix ---

// What loaded contacts join, as bits of bodies.
static void find_meetings(const ChWideSystem* w, const unsigned char* open, unsigned* meets) {
  const ChBodies* b = w->s->bodies;
  memset(meets, 0, (size_t)b->n * sizeof *meets);
  for (int i = 0; i < w->s->n; ++i)
    for (int p = b->start[i]; p < b->start[i + 1] && !open[i]; ++p)
      for (int q = b->start[i]; q < b->start[i + 1]; ++q) meets[b->body[p]] |= 1u << b->body[q];
}

static int freedoms_met(const ChBodies* b, unsigned bodies) {
  int sum = 0;
  for (int body = 0; body < b->n; ++body)
    if (bodies >> body & 1u) sum += b->dim[body];
  return sum;
}

// Of the bodies that are left, the one that touches the least.
static int next_body(const ChBodies* b, const unsigned* meets, unsigned left) {
  int best = -1, least = 0;
  for (int body = 0; body < b->n; ++body) {
    if (!(left >> body & 1u)) continue;
    int met = freedoms_met(b, meets[body] & left);
    if (best < 0 || met < least) best = body, least = met;
  }
  return best;
}

// The order in which bodies are eliminated, and what they meet then.
static void order_bodies(ChWideSystem* w, const unsigned char* open) {
  const ChBodies* b = w->s->bodies;
  ChWidePattern* p = &w->pattern;
  unsigned meets[CH_WIDE_LU_BLOCKS], left = (unsigned)((1ull << b->n) - 1ull);
  int at[CH_WIDE_LU_BLOCKS], body_at[CH_WIDE_LU_BLOCKS];
  find_meetings(w, open, meets);
  p->count = b->n;
  p->first[0] = 0;
  for (int k = 0; k < b->n; ++k) {
    int body = next_body(b, meets, left);
    left &= ~(1u << body);
    meets[body] &= left;
    for (int other = 0; other < b->n; ++other)
      if (meets[body] >> other & 1u) meets[other] |= meets[body];
    at[body] = k;
    body_at[k] = body;
    w->row[body] = p->first[k];
    p->first[k + 1] = p->first[k] + padded(b->dim[body]);
  }
  memset(p->meets, 0, sizeof p->meets);
  for (int k = 0; k < b->n; ++k)
    for (int other = 0; other < b->n; ++other)
      if (meets[body_at[k]] >> other & 1u) {
        p->meets[k] |= 1u << at[other];
        p->meets[at[other]] |= 1u << k;
      }
}

static void put_masses(ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  int n = w->pattern.first[b->n];
  memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
  for (int body = 0; body < b->n; ++body) {
    int m = b->dim[body];
    const double* M = b->matrix + b->offset[body];
    double* K = w->K + (long)w->row[body] * (n + 1);
    for (int y = 0; y < m; ++y)
      for (int x = 0; x < m; ++x) K[(long)y * n + x] = M[x * m + y];
    for (int x = m; x < padded(m); ++x) K[(long)x * (n + 1)] = 1.0;
  }
}

// K += sum_k HC_k H_k^T, of `quads` times four rows and four columns; rows of HC are m apart
static inline __attribute__((always_inline)) void add_tile(int rows, int m, const double* HC, const double* const* H,
                                                           int column, int quads, double* K, int stride) {
  ChQuad sum[2][QUAD] = {{{0.0}}};
  for (int k = 0; k < rows; ++k) {
    const double* h = H[k] + column;
    for (int i = 0; i < quads; ++i) {
      ChQuad x = CH_QUAD_AT(HC + (long)k * m + i * QUAD);
      for (int j = 0; j < QUAD; ++j) sum[i][j] += x * h[j];
    }
  }
  for (int i = 0; i < quads; ++i)
    for (int j = 0; j < QUAD; ++j) *(ChQuad*)(K + (long)j * stride + i * QUAD) += sum[i][j];
}

static void add_product(int rows, int m, const double* HC, int n, const double* const* H, double* K, int stride) {
  ch_work_add(ROW_WORK * rows * m * n);
  for (int j = 0; j < n; j += QUAD) {
    int i = 0;
    for (; i + 2 * QUAD <= m; i += 2 * QUAD) add_tile(rows, m, HC + i, H, j, 2, K + (long)j * stride + i, stride);
    for (; i < m; i += QUAD) add_tile(rows, m, HC + i, H, j, 1, K + (long)j * stride + i, stride);
  }
}

// HC = H C, rows one after the other
static inline void multiply_rows(int d, int m, const double* H, const double* C, double* HC) {
  for (int x = 0; x < m; x += QUAD)
    for (int a = 0; a < d; ++a) {
      ChQuad sum = {0.0};
      for (int c = 0; c < d; ++c) sum += CH_QUAD_AT(H + c * m + x) * C[c * d + a];
      *(ChQuad*)(HC + a * m + x) = sum;
    }
}

// Rows of H C for the p-th body of a group; returns their number.
static int multiply_group(ChWideSystem* w, int g, int p, const double* C, const unsigned char* open) {
  const ChSystem* s = w->s;
  const ChBodies* b = s->bodies;
  int rows = 0;
  for (int l = w->group[g]; l < w->group[g + 1]; ++l) {
    int i = w->list[l], k = b->start[i] + p, m = padded(b->dim[b->body[k]]);
    if (open[i]) continue;
    const double *H = turned(w, i, k), *c = C + s->diagonal_at[i];
    if (s->dim[i] == 3)
      multiply_rows(3, m, H, c, w->HC + (long)rows * m);
    else
      multiply_rows(s->dim[i], m, H, c, w->HC + (long)rows * m);
    rows += s->dim[i];
  }
  return rows;
}

static void list_rows(ChWideSystem* w, int g, int q, const unsigned char* open) {
  const ChSystem* s = w->s;
  const ChBodies* b = s->bodies;
  int rows = 0;
  for (int l = w->group[g]; l < w->group[g + 1]; ++l) {
    int i = w->list[l], k = b->start[i] + q, m = padded(b->dim[b->body[k]]);
    if (open[i]) continue;
    const double* H = turned(w, i, k);
    for (int a = 0; a < s->dim[i]; ++a) w->row_of[rows++] = H + a * m;
  }
}

static void add_group(ChWideSystem* w, int g, const double* C, const unsigned char* open) {
  const ChBodies* b = w->s->bodies;
  int n = w->pattern.first[b->n], one = w->list[w->group[g]];
  int bodies = b->start[one + 1] - b->start[one];
  const int* body = b->body + b->start[one];
  for (int p = 0; p < bodies; ++p) {
    int rows = multiply_group(w, g, p, C, open);
    for (int q = 0; q < bodies && rows > 0; ++q) {
      list_rows(w, g, q, open);
      add_product(rows, padded(b->dim[body[p]]), w->HC, padded(b->dim[body[q]]), w->row_of,
                  w->K + (long)w->row[body[q]] * n + w->row[body[p]], n);
    }
  }
}

bool ch_wide_factor(ChWideSystem* w, const double* C, const unsigned char* open) {
  order_bodies(w, open);
  put_masses(w);
  for (int g = 0; g < w->groups; ++g) add_group(w, g, C, open);
  return ch_wide_lu_factor(&w->pattern, w->K, w->pivot);
}

// Hy of a block from its bodies' parts
static inline void gather_block(const ChWideSystem* w, int i, int d, double* Hy) {
  const ChBodies* b = w->s->bodies;
  double sum[CH_SMALL_MAX] = {0.0};
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
    const double* part = w->part + w->first[b->body[k]] + w->place[k];
    for (int a = 0; a < d; ++a) sum[a] += part[a];
  }
  for (int a = 0; a < d; ++a) Hy[a] = sum[a];
}

void ch_wide_solve(ChWideSystem* w, const double* x, double* Hy) {
  const ChSystem* s = w->s;
  const ChBodies* b = s->bodies;
  ch_work_add(PASS_WORK * b->start[s->n]);
  memset(w->y, 0, (size_t)w->pattern.first[b->n] * sizeof *w->y);
  for (int i = 0; i < s->n; ++i) {
    bool any = false;
    for (int a = s->row[i]; a < s->row[i + 1]; ++a) any |= x[a] != 0.0;
    if (any) add_impulse(w, i, x + s->row[i], w->y);
  }
  ch_wide_lu_solve(&w->pattern, w->K, w->pivot, w->y);
  find_parts(w);
  for (int i = 0; i < s->n; ++i)
    if (s->dim[i] == 3)
      gather_block(w, i, 3, Hy + s->row[i]);
    else
      gather_block(w, i, s->dim[i], Hy + s->row[i]);
}
