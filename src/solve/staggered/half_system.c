// The normal and the tangential rows of a system: see half_system.h.
#include "solve/staggered/half_system.h"

#include <string.h>

// Which rows belong to the half. `keep` (one entry per block, NULL: all) leaves contacts out.
typedef struct Cut {
  const ChSystem* whole;
  bool tangential;
  const unsigned char* keep;
} Cut;

// Rows first .. first + count - 1 of a block belong to the half; count = 0: none.
typedef struct Window {
  int first, count;
} Window;

static Window window_of(const Cut* cut, int i) {
  bool contact = cut->whole->block[i].law->cone;
  if (cut->keep && !cut->keep[i]) return (Window){0, 0};
  if (cut->tangential) return contact ? (Window){1, cut->whole->dim[i] - 1} : (Window){0, 0};
  return contact ? (Window){0, 1} : (Window){0, cut->whole->dim[i]};
}

static void lay_out_block(const Cut* cut, int i, Window w, ChHalfSystem* half, int k) {
  const ChSystem* whole = cut->whole;
  ChSystem* s = &half->system;
  half->block[k] = i;
  s->dim[k] = w.count;
  s->row[k + 1] = s->row[k] + w.count;
  for (int a = 0; a < w.count; ++a) half->source[s->row[k] + a] = whole->row[i] + w.first + a;
  s->block[k] = whole->block[i];
  if (whole->block[i].law->cone) whole->block[i].law->halve(&whole->block[i], cut->tangential, &s->block[k]);
  s->polygonal |= s->block[k].sides > 0;
  s->compliant |= ch_scaled_block_yields(&s->block[k]);
}

static void lay_out(ChArena* arena, const Cut* cut, ChHalfSystem* half) {
  ChSystem* s = &half->system;
  for (int i = 0; i < cut->whole->n; ++i) s->n += window_of(cut, i).count > 0;
  s->dim = CH_TAKE(arena, s->n, int);
  s->row = CH_TAKE(arena, s->n + 1, int);
  s->block = CH_TAKE(arena, s->n, ChScaledBlock);
  half->block = CH_TAKE(arena, s->n, int);
  half->source = CH_TAKE(arena, cut->whole->rows, int);
  for (int i = 0, k = 0; i < cut->whole->n; ++i) {
    Window w = window_of(cut, i);
    if (w.count > 0) lay_out_block(cut, i, w, half, k++);
  }
  s->rows = s->row[s->n];
  s->q = CH_TAKE(arena, s->rows, double);
  s->relaxed = true;
}

static void cut_block(const Cut* cut, int entry, int i, int j, double* out) {
  Window r = window_of(cut, i), c = window_of(cut, j);
  const ChBlockCsr* whole = &cut->whole->W;
  const double* W = whole->value + whole->offset[entry];
  for (int a = 0; a < r.count; ++a)
    for (int b = 0; b < c.count; ++b) out[a * c.count + b] = W[(r.first + a) * cut->whole->dim[j] + c.first + b];
}

static void cut_delassus(ChArena* arena, const Cut* cut, ChHalfSystem* half) {
  ChSystem* s = &half->system;
  const ChBlockCsr* W = &cut->whole->W;
  int* place = CH_TAKE(arena, cut->whole->n, int);  // block of the half, or -1
  for (int i = 0; i < cut->whole->n; ++i) place[i] = -1;
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
      cut_block(cut, origin[e], half->block[k], half->block[s->W.column[e]], s->W.value + s->W.offset[e]);
  s->formed = true;
  s->symmetric = cut->whole->symmetric;
}

// The same bodies with the columns of H that belong to the half.
static void cut_bodies(ChArena* arena, const Cut* cut, ChHalfSystem* half) {
  const ChBodies* whole = cut->whole->bodies;
  ChSystem* s = &half->system;
  if (!whole) return;
  ChBodies* b = s->bodies = CH_TAKE(arena, 1, ChBodies);
  *b = *whole;
  b->start = CH_TAKE(arena, s->n + 1, int);
  for (int k = 0; k < s->n; ++k)
    b->start[k + 1] = b->start[k] + whole->start[half->block[k] + 1] - whole->start[half->block[k]];
  b->body = CH_TAKE(arena, b->start[s->n], int);
  b->jacobian = CH_TAKE(arena, b->start[s->n], long);
  long size = 0;
  for (int k = 0; k < s->n; ++k)
    for (int e = b->start[k]; e < b->start[k + 1]; ++e) {
      b->body[e] = whole->body[whole->start[half->block[k]] + e - b->start[k]];
      b->jacobian[e] = size;
      size += (long)b->dim[b->body[e]] * s->dim[k];
    }
  b->H = CH_TAKE(arena, size, double);
  for (int k = 0; k < s->n; ++k) {
    int i = half->block[k];
    Window w = window_of(cut, i);
    for (int e = b->start[k]; e < b->start[k + 1]; ++e) {
      const double* H = whole->H + whole->jacobian[whole->start[i] + e - b->start[k]];
      for (int a = 0; a < b->dim[b->body[e]]; ++a)
        for (int c = 0; c < w.count; ++c)
          b->H[b->jacobian[e] + a * w.count + c] = H[a * cut->whole->dim[i] + w.first + c];
    }
  }
}

static void copy_diagonal(ChArena* arena, ChSystem* s) {
  s->diagonal_at = CH_TAKE(arena, s->n + 1, int);
  for (int i = 0; i < s->n; ++i) s->diagonal_at[i + 1] = s->diagonal_at[i] + s->dim[i] * s->dim[i];
  s->diagonal = CH_TAKE(arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i)
    memcpy(s->diagonal + s->diagonal_at[i], s->W.value + s->W.offset[s->W.diagonal[i]],
           (size_t)(s->dim[i] * s->dim[i]) * sizeof(double));
}

static void take_half(ChArena* arena, const Cut* cut, ChHalfSystem* half) {
  *half = (ChHalfSystem){0};
  lay_out(arena, cut, half);
  cut_delassus(arena, cut, half);
  cut_bodies(arena, cut, half);
  copy_diagonal(arena, &half->system);
}

void ch_half_normal(ChArena* arena, const ChSystem* whole, ChHalfSystem* half) {
  take_half(arena, &(Cut){whole, false, NULL}, half);
}

void ch_half_tangential(ChArena* arena, const ChSystem* whole, ChHalfSystem* half) {
  take_half(arena, &(Cut){whole, true, NULL}, half);
}

void ch_half_normal_of(ChArena* arena, const ChSystem* whole, const unsigned char* keep, ChHalfSystem* half) {
  take_half(arena, &(Cut){whole, false, keep}, half);
}

void ch_half_tangential_of(ChArena* arena, const ChSystem* whole, const unsigned char* keep, ChHalfSystem* half) {
  take_half(arena, &(Cut){whole, true, keep}, half);
}

void ch_half_gather(const ChHalfSystem* half, const double* whole, double* part) {
  for (int k = 0; k < half->system.rows; ++k) part[k] = whole[half->source[k]];
}

void ch_half_scatter(const ChHalfSystem* half, const double* part, double* whole) {
  for (int k = 0; k < half->system.rows; ++k) whole[half->source[k]] = part[k];
}
