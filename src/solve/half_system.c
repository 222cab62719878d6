// The normal and the tangential rows of a system: see half_system.h.
#include "solve/half_system.h"

#include <string.h>

// Rows first .. first + count - 1 of a block belong to the half; count = 0: none.
typedef struct Window {
  int first, count;
} Window;

static Window window_of(const ChSystem* whole, int i, bool tangential) {
  bool contact = whole->set[i] == CH_SET_CONE;
  if (tangential) return contact ? (Window){1, whole->dim[i] - 1} : (Window){0, 0};
  return contact ? (Window){0, 1} : (Window){0, whole->dim[i]};
}

static void lay_out(ChArena* arena, const ChSystem* whole, bool tangential, ChHalfSystem* half) {
  ChSystem* s = &half->system;
  for (int i = 0; i < whole->n; ++i) s->n += window_of(whole, i, tangential).count > 0;
  s->dim = CH_TAKE(arena, s->n, int);
  s->row = CH_TAKE(arena, s->n + 1, int);
  s->set = CH_TAKE(arena, s->n, unsigned char);
  s->mu = CH_TAKE(arena, s->n, double);
  s->sides = CH_TAKE(arena, s->n, int);
  s->lo = CH_TAKE(arena, s->n, double);
  s->hi = CH_TAKE(arena, s->n, double);
  half->block = CH_TAKE(arena, s->n, int);
  half->source = CH_TAKE(arena, whole->rows, int);
  for (int i = 0, k = 0; i < whole->n; ++i) {
    Window w = window_of(whole, i, tangential);
    if (w.count == 0) continue;
    half->block[k] = i;
    s->dim[k] = w.count;
    s->row[k + 1] = s->row[k] + w.count;
    for (int a = 0; a < w.count; ++a) half->source[s->row[k] + a] = whole->row[i] + w.first + a;
    s->set[k] = whole->set[i];
    if (whole->set[i] == CH_SET_CONE) s->set[k] = !tangential ? CH_SET_HALF : w.count == 2 ? CH_SET_DISC : CH_SET_BOX;
    s->lo[k] = whole->set[i] == CH_SET_CONE ? 0.0 : whole->lo[i];
    s->hi[k] = whole->set[i] == CH_SET_CONE ? 0.0 : whole->hi[i];
    ++k;
  }
  s->rows = s->row[s->n];
  s->q = CH_TAKE(arena, s->rows, double);
  s->relaxed = true;
}

static void cut_block(const ChSystem* whole, int entry, int i, int j, bool tangential, double* out) {
  Window r = window_of(whole, i, tangential), c = window_of(whole, j, tangential);
  const double* W = whole->W.value + whole->W.offset[entry];
  for (int a = 0; a < r.count; ++a)
    for (int b = 0; b < c.count; ++b) out[a * c.count + b] = W[(r.first + a) * whole->dim[j] + c.first + b];
}

static void cut_delassus(ChArena* arena, const ChSystem* whole, bool tangential, ChHalfSystem* half) {
  ChSystem* s = &half->system;
  const ChBlockCsr* W = &whole->W;
  int* place = CH_TAKE(arena, whole->n, int);  // block of the half, or -1
  for (int i = 0; i < whole->n; ++i) place[i] = -1;
  for (int k = 0; k < s->n; ++k) place[half->block[k]] = k;
  s->W = (ChBlockCsr){.n = s->n, .dim = s->dim, .row = s->row, .start = CH_TAKE(arena, s->n + 1, int)};
  s->W.column = CH_TAKE(arena, W->start[W->n], int);
  int* origin = CH_TAKE(arena, W->start[W->n], int);
  int count = 0;
  for (int k = 0; k < s->n; ++k) {
    for (int e = W->start[half->block[k]]; e < W->start[half->block[k] + 1]; ++e)
      if (place[W->column[e]] >= 0) {
        s->W.column[count] = place[W->column[e]];
        origin[count++] = e;
      }
    s->W.start[k + 1] = count;
  }
  ch_block_csr_layout(arena, &s->W);
  for (int k = 0; k < s->n; ++k)
    for (int e = s->W.start[k]; e < s->W.start[k + 1]; ++e)
      cut_block(whole, origin[e], half->block[k], half->block[s->W.column[e]], tangential, s->W.value + s->W.offset[e]);
  s->formed = true;
  s->symmetric = whole->symmetric;
}

static void copy_diagonal(ChArena* arena, ChSystem* s) {
  s->diagonal_at = CH_TAKE(arena, s->n + 1, int);
  for (int i = 0; i < s->n; ++i) s->diagonal_at[i + 1] = s->diagonal_at[i] + s->dim[i] * s->dim[i];
  s->diagonal = CH_TAKE(arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i)
    memcpy(s->diagonal + s->diagonal_at[i], s->W.value + s->W.offset[s->W.diagonal[i]],
           (size_t)(s->dim[i] * s->dim[i]) * sizeof(double));
}

static void take_half(ChArena* arena, const ChSystem* whole, bool tangential, ChHalfSystem* half) {
  *half = (ChHalfSystem){0};
  lay_out(arena, whole, tangential, half);
  cut_delassus(arena, whole, tangential, half);
  copy_diagonal(arena, &half->system);
}

void ch_half_normal(ChArena* arena, const ChSystem* whole, ChHalfSystem* half) { take_half(arena, whole, false, half); }
void ch_half_tangential(ChArena* arena, const ChSystem* whole, ChHalfSystem* half) {
  take_half(arena, whole, true, half);
}

void ch_half_gather(const ChHalfSystem* half, const double* whole, double* part) {
  for (int k = 0; k < half->system.rows; ++k) part[k] = whole[half->source[k]];
}

void ch_half_scatter(const ChHalfSystem* half, const double* part, double* whole) {
  for (int k = 0; k < half->system.rows; ++k) whole[half->source[k]] = part[k];
}
