// The diagonal of H^T M^-1 H, column by column of H and part by part of M: of an arrow from the column as it stands, of
// another wide part from its root, |L^-1 h|^2, for many columns at a time by matrices, and of the others by solving.
#include <string.h>

#include <cblas.h>

#include "problem/compliance_parts.h"

enum { CHUNK = 32 };  // columns at a time

// Columns of H in one part with a root, gathered until they are worth a solve.
typedef struct Panel {
  double* x;  // size x CHUNK, by columns
  int count, columns[CHUNK];
} Panel;

typedef struct Touch {
  double* column;  // one column of H, spread over all unknowns
  double* local;   // its entries in one part
  double* work;
  int* seen;  // column that last touched each part
  int* touched;
  int count;
  Panel* panel;  // per part
} Touch;

// Spreads what belongs to parts and adds up what does not, and arrows.
static double spread_column(const ChCompliance* mass, const ChSparse* H, int c, Touch* t) {
  double sum = 0.0;
  t->count = 0;
  for (int k = H->start[c], end = H->start[c + 1]; k < end;) {
    const int p = mass->part[H->index[k]], arrow = p < -1 ? -2 - p : p;
    if (arrow >= 0 && mass->parts[arrow].arrow) {
      k = ch_arrow_measure(&mass->parts[arrow], H, k, end, &sum);
      continue;
    }
    if (p < 0) {
      sum += mass->share[H->index[k]] * H->value[k] * H->value[k];
      ++k;
      continue;
    }
    if (t->seen[p] != c + 1) t->touched[t->count++] = p;
    t->seen[p] = c + 1;
    for (; k < end && mass->part[H->index[k]] == p; ++k) t->column[H->index[k]] = H->value[k];
  }
  return sum;
}

static void clear_column(const ChSparse* H, int c, Touch* t) {
  for (int k = H->start[c]; k < H->start[c + 1]; ++k) t->column[H->index[k]] = 0.0;
}

static bool has_root(const ChPart* part) { return part->cholesky || part->root; }

// |L^-1 P h|^2 for a chunk of columns at a time: half a solve, and by matrix-matrix kernels.
static void add_chunk(const ChCompliance* mass, const ChPart* part, int count, const int* columns, double* x,
                      double* diagonal) {
  if (part->cholesky) {
    ch_part_solve_cholmod(mass, part, CHOLMOD_P, count, x);
    ch_part_solve_cholmod(mass, part, CHOLMOD_L, count, x);
  } else {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, part->size, count, 1.0, part->root,
                part->size, x, part->size);
  }
  for (int c = 0; c < count; ++c) {
    const double* y = x + (size_t)c * (size_t)part->size;
    for (int i = 0; i < part->size; ++i) diagonal[columns[c]] += y[i] * y[i];
  }
}

static void flush_panel(const ChCompliance* mass, int p, Panel* panel, double* diagonal) {
  if (panel->count > 0) add_chunk(mass, &mass->parts[p], panel->count, panel->columns, panel->x, diagonal);
  panel->count = 0;
}

static void add_to_panel(const ChCompliance* mass, int p, int c, Touch* t, double* diagonal) {
  const ChPart* part = &mass->parts[p];
  Panel* panel = &t->panel[p];
  if (!panel->x) panel->x = CH_TAKE_RAW(mass->arena, (size_t)part->size * CHUNK, double);
  double* x = panel->x + (size_t)panel->count * (size_t)part->size;
  for (int i = 0; i < part->size; ++i) x[i] = t->column[part->member[i]];
  panel->columns[panel->count++] = c;
  if (panel->count == CHUNK) flush_panel(mass, p, panel, diagonal);
}

// Adds column c's share of every part it touches; the parts with a root take theirs later.
static ChStatus add_column(ChContext* context, const ChCompliance* mass, int c, Touch* t, double* diagonal) {
  for (int k = 0; k < t->count; ++k) {
    const ChPart* part = &mass->parts[t->touched[k]];
    if (has_root(part)) {
      add_to_panel(mass, t->touched[k], c, t, diagonal);
      continue;
    }
    for (int i = 0; i < part->size; ++i) t->local[i] = t->column[part->member[i]];
    const ChStatus status = ch_part_solve(context, mass, part, t->local, t->work);
    if (status != CH_OK) return status;
    for (int i = 0; i < part->size; ++i) diagonal[c] += t->local[i] * t->column[part->member[i]];
  }
  return CH_OK;
}

// All unknowns alone: nothing but sums of squares.
static void add_squares(const ChCompliance* mass, const ChSparse* H, double* diagonal) {
  for (int c = 0; c < H->columns; ++c) {
    double sum = 0.0;
    for (int k = H->start[c]; k < H->start[c + 1]; ++k) sum += mass->share[H->index[k]] * H->value[k] * H->value[k];
    diagonal[c] = sum;
  }
}

// Three columns on one arrow.
static bool measure_three(const ChCompliance* mass, const ChSparse* H, int c, double* diagonal) {
  if (H->start[c] == H->start[c + 1]) return false;
  const int p = mass->part[H->index[H->start[c]]], arrow = p < -1 ? -2 - p : p;
  return arrow >= 0 && mass->parts[arrow].arrow && ch_arrow_measure_three(&mass->parts[arrow], H, c, diagonal);
}

ChStatus ch_compliance_diagonal(ChContext* context, const ChCompliance* mass, const ChSparse* H, double* diagonal) {
  if (mass->count == 0) {
    add_squares(mass, H, diagonal);
    return CH_OK;
  }
  const ChArenaMark mark = ch_arena_mark(mass->arena);
  Touch t = {.column = CH_TAKE(mass->arena, H->rows, double),
             .local = CH_TAKE(mass->arena, H->rows, double),
             .work = CH_TAKE(mass->arena, 2 * H->rows, double),
             .seen = CH_TAKE(mass->arena, mass->count, int),
             .touched = CH_TAKE(mass->arena, mass->count, int),
             .panel = CH_TAKE(mass->arena, mass->count, Panel)};
  ChStatus status = CH_OK;
  for (int c = 0; c < H->columns && status == CH_OK; ++c) {
    if (measure_three(mass, H, c, diagonal + c)) {
      c += 2;
      continue;
    }
    diagonal[c] = spread_column(mass, H, c, &t);
    if (t.count == 0) continue;
    status = add_column(context, mass, c, &t, diagonal);
    clear_column(H, c, &t);
  }
  for (int p = 0; p < mass->count && status == CH_OK; ++p) flush_panel(mass, p, &t.panel[p], diagonal);
  ch_arena_release(mass->arena, mark);
  return status;
}
