// (M + H C H^T) y = g for bodies with modes: see wide_system.h.
#include "solve/wide_system.h"

#include <string.h>

#include "base/work.h"
#include "linalg/full_lu.h"
#include "linalg/small.h"

enum { RIGID = 6, MOST_FREEDOMS = 300, MOST_ORDERED = 32 };
#define ROW_WORK 0.3    // of an entry of a product of long rows: several multiply-adds at a time
#define PASS_WORK 40.0  // of a Jacobian, when all of them are gone through

// A Jacobian is kept twice. For H^T y of all contacts, body by body with a column a freedom, so that sums run along the
// contacts; for what few loaded ones add to K, turned, so that they run along the freedoms.
struct ChWideSystem {
  const ChSystem* s;
  int n;             // freedoms
  int* rows;         // of bodies: rows of all blocks that touch them
  double** columns;  // of bodies: rows by freedoms, by columns
  int* place;        // of entries of H: first row in their body's columns
  double* turned;    // of entries of H, at `at`
  long* at;          // -1: not turned yet
  long used;         // of `turned`
  int* row;          // of bodies: where their freedoms stand in K
  unsigned* meets;   // of bodies: which others they touch, as bits
  double* K;         // by columns
  int* pivot;
  double *y, *part;  // freedoms as in K; H^T y, body by body
  int* first;        // of bodies: where their rows begin in `part`
};

bool ch_wide_suits(const ChSystem* s) {
  return s->bodies && s->bodies->dofs > RIGID * s->bodies->n && s->bodies->dofs <= MOST_FREEDOMS;
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
  for (int body = 0; body < b->n; ++body) w->first[body + 1] = w->first[body] + w->rows[body];
}

static void fill_columns(ChArena* arena, ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  w->columns = CH_TAKE_RAW(arena, b->n, double*);
  for (int body = 0; body < b->n; ++body)
    w->columns[body] = CH_TAKE_RAW(arena, (long)w->rows[body] * b->dim[body], double);
  for (int i = 0; i < w->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      int body = b->body[k], d = w->s->dim[i];
      const double* H = b->H + b->jacobian[k];
      double* to = w->columns[body] + w->place[k];
      for (int x = 0; x < b->dim[body]; ++x)
        for (int a = 0; a < d; ++a) to[(long)x * w->rows[body] + a] = H[x * d + a];
    }
}

ChWideSystem* ch_wide_create(ChArena* arena, const ChSystem* s) {
  ChWideSystem* w = CH_TAKE(arena, 1, ChWideSystem);
  w->s = s;
  w->n = s->bodies->dofs;
  count_rows(arena, w);
  fill_columns(arena, w);
  long size = 0;
  for (int body = 0; body < s->bodies->n; ++body) size += (long)w->rows[body] * s->bodies->dim[body];
  w->turned = CH_TAKE_RAW(arena, size, double);
  w->row = CH_TAKE_RAW(arena, s->bodies->n, int);
  w->meets = CH_TAKE_RAW(arena, s->bodies->n, unsigned);
  w->K = CH_TAKE_RAW(arena, (long)w->n * w->n, double);
  w->pivot = CH_TAKE_RAW(arena, w->n, int);
  w->y = CH_TAKE_RAW(arena, w->n, double);
  w->part = CH_TAKE_RAW(arena, w->first[s->bodies->n], double);
  return w;
}

// The rows of entry k of block i, one after the other.
static const double* turned(ChWideSystem* w, int i, int k) {
  const ChBodies* b = w->s->bodies;
  int m = b->dim[b->body[k]], d = w->s->dim[i];
  if (w->at[k] < 0) {
    const double* H = b->H + b->jacobian[k];
    w->at[k] = w->used;
    w->used += (long)m * d;
    for (int a = 0; a < d; ++a)
      for (int x = 0; x < m; ++x) w->turned[w->at[k] + a * m + x] = H[x * d + a];
  }
  return w->turned + w->at[k];
}

// --- long rows ---

// y += a x
static inline void add_row(int m, double a, const double* restrict x, double* restrict y) {
  for (int k = 0; k < m; ++k) y[k] += a * x[k];
}

// y += H x of block i
static void add_impulse(ChWideSystem* w, int i, const double* x, double* y) {
  const ChBodies* b = w->s->bodies;
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
    int m = b->dim[b->body[k]];
    const double* H = turned(w, i, k);
    for (int a = 0; a < w->s->dim[i]; ++a) add_row(m, x[a], H + a * m, y + w->row[b->body[k]]);
  }
}

// part = H^T y, body by body
static void find_parts(ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  for (int body = 0; body < b->n; ++body) {
    int rows = w->rows[body];
    double* part = w->part + w->first[body];
    memset(part, 0, (size_t)rows * sizeof *part);
    for (int x = 0; x < b->dim[body]; ++x)
      add_row(rows, w->y[w->row[body] + x], w->columns[body] + (long)x * rows, part);
  }
}

// --- the matrix ---

// What loaded contacts join.
static void find_meetings(ChWideSystem* w, const unsigned char* open) {
  const ChBodies* b = w->s->bodies;
  memset(w->meets, 0, (size_t)b->n * sizeof *w->meets);
  for (int i = 0; i < w->s->n; ++i)
    for (int p = b->start[i]; p < b->start[i + 1] && !open[i]; ++p)
      for (int q = b->start[i]; q < b->start[i + 1]; ++q) w->meets[b->body[p]] |= 1u << b->body[q];
}

static int freedoms_met(const ChBodies* b, unsigned bodies) {
  int sum = 0;
  for (int body = 0; body < b->n; ++body)
    if (bodies >> body & 1u) sum += b->dim[body];
  return sum;
}

// Bodies that touch the least come first: what they do not touch stays zero, and the factorisation passes over it.
static void order_bodies(ChWideSystem* w, const unsigned char* open) {
  const ChBodies* b = w->s->bodies;
  if (b->n == 1 || b->n > MOST_ORDERED) {
    memcpy(w->row, b->row, (size_t)b->n * sizeof *w->row);
    return;
  }
  find_meetings(w, open);
  unsigned left = (unsigned)((1ul << b->n) - 1ul);
  for (int at = 0; left != 0u;) {
    int best = -1, least = 0;
    for (int body = 0; body < b->n; ++body) {
      int met = left >> body & 1u ? freedoms_met(b, w->meets[body] & left) : 0;
      if ((left >> body & 1u) && (best < 0 || met < least)) best = body, least = met;
    }
    left &= ~(1u << best);
    w->row[best] = at;
    at += b->dim[best];
    for (int body = 0; body < b->n; ++body)
      if (w->meets[best] >> body & 1u) w->meets[body] |= w->meets[best];  // they meet now
  }
}

static void put_masses(ChWideSystem* w) {
  const ChBodies* b = w->s->bodies;
  memset(w->K, 0, (size_t)w->n * (size_t)w->n * sizeof *w->K);
  for (int body = 0; body < b->n; ++body) {
    int m = b->dim[body];
    const double* M = b->matrix + b->offset[body];
    double* K = w->K + (long)w->row[body] * (w->n + 1);
    for (int x = 0; x < m; ++x)
      for (int y = 0; y < m; ++y) K[(long)y * w->n + x] = M[x * m + y];
  }
}

// Two columns of K_pq += (H_p C) H_q^T in space, for columns k and k + 1 of H_q^T
static inline void add_pair(int m, const double* HC, int n, const double* H, double* restrict first,
                            double* restrict second) {
  const double *x = HC, *y = HC + m, *z = HC + 2 * m;
  double a = H[0], b = H[n], c = H[2 * n], d = H[1], e = H[n + 1], f = H[2 * n + 1];
  for (int i = 0; i < m; ++i) {
    first[i] += a * x[i] + b * y[i] + c * z[i];
    second[i] += d * x[i] + e * y[i] + f * z[i];
  }
}

// K_pq += (H_p C) H_q^T
static void add_product(int d, int m, const double* HC, int n, const double* H, double* K, int stride) {
  ch_work_add(ROW_WORK * d * m * n);
  int k = 0;
  for (; d == 3 && k + 1 < n; k += 2) add_pair(m, HC, n, H + k, K + (long)k * stride, K + (long)(k + 1) * stride);
  for (; k < n; ++k)
    for (int a = 0; a < d; ++a) add_row(m, H[a * n + k], HC + (long)a * m, K + (long)k * stride);
}

static void add_block(ChWideSystem* w, int i, const double* C) {
  const ChBodies* b = w->s->bodies;
  int d = w->s->dim[i];
  double HC[CH_BODY_MAX * CH_SMALL_MAX];
  for (int p = b->start[i]; p < b->start[i + 1]; ++p) {
    int m = b->dim[b->body[p]];
    const double* H = turned(w, i, p);
    memset(HC, 0, (size_t)(m * d) * sizeof *HC);
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c)
        if (C[c * d + a] != 0.0) add_row(m, C[c * d + a], H + c * m, HC + a * m);
    for (int q = b->start[i]; q < b->start[i + 1]; ++q)
      add_product(d, m, HC, b->dim[b->body[q]], turned(w, i, q),
                  w->K + (long)w->row[b->body[q]] * w->n + w->row[b->body[p]], w->n);
  }
}

bool ch_wide_factor(ChWideSystem* w, const double* C, const unsigned char* open) {
  order_bodies(w, open);
  put_masses(w);
  for (int i = 0; i < w->s->n; ++i)
    if (!open[i]) add_block(w, i, C + w->s->diagonal_at[i]);
  return ch_full_lu_factor(w->n, w->K, w->pivot);
}

void ch_wide_solve(ChWideSystem* w, const double* x, double* Hy) {
  const ChSystem* s = w->s;
  const ChBodies* b = s->bodies;
  ch_work_add(PASS_WORK * b->start[s->n]);
  memset(w->y, 0, (size_t)w->n * sizeof *w->y);
  for (int i = 0; i < s->n; ++i) {
    bool any = false;
    for (int a = s->row[i]; a < s->row[i + 1]; ++a) any |= x[a] != 0.0;
    if (any) add_impulse(w, i, x + s->row[i], w->y);
  }
  ch_full_lu_solve(w->n, w->K, w->pivot, w->y);
  find_parts(w);
  memset(Hy, 0, (size_t)s->rows * sizeof *Hy);
  for (int i = 0; i < s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k)
      for (int a = 0; a < s->dim[i]; ++a) Hy[s->row[i] + a] += w->part[w->first[b->body[k]] + w->place[k] + a];
}
