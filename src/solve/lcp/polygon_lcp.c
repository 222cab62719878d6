// From a system to its complementarity problem: see polygon_lcp.h.
//
// With r = G y + base the first rows are G^T (W (G y + base) + q), to which friction adds its bound: A = G^T W G + C, C
// holding mu, E and -E^T.
#include "solve/lcp/polygon_lcp.h"

#include <math.h>
#include <string.h>

#include "solve/linear/entry_list.h"

static int directions(const ChSystem* s, int i) { return s->dim[i] == 2 ? 2 : s->sides[i]; }

int ch_polygon_lcp_variables(const ChSystem* s, int i) {
  switch ((ChSet)s->set[i]) {
    case CH_SET_CONE:
      return 2 + directions(s, i);
    case CH_SET_BOX:
      return isfinite(s->hi[i]) && isfinite(s->lo[i]) ? 2 : 1;
    default:
      return s->dim[i];
  }
}

static double direction(const ChSystem* s, int i, int j, int axis) {
  if (s->dim[i] == 2) return j == 0 ? 1.0 : -1.0;
  return s->corners[i][2 * j + axis];
}

// ChEntryList of G (row of r, variable) and of C (variable, variable).
static void list_block(const ChSystem* s, int i, int at, ChEntryList* G, ChEntryList* C) {
  int row = s->row[i], m;
  switch ((ChSet)s->set[i]) {
    case CH_SET_CONE:
      m = directions(s, i);
      ch_entry_list_add(G, row, at, 1.0);
      ch_entry_list_add(C, at + 1 + m, at, s->mu[i]);
      if (s->relaxed) ch_entry_list_add(C, at, at + 1 + m, -s->mu[i]);
      for (int j = 0; j < m; ++j) {
        for (int a = 1; a < s->dim[i]; ++a) ch_entry_list_add(G, row + a, at + 1 + j, direction(s, i, j, a - 1));
        ch_entry_list_add(C, at + 1 + j, at + 1 + m, 1.0);
        ch_entry_list_add(C, at + 1 + m, at + 1 + j, -1.0);
      }
      break;
    case CH_SET_BOX:
      ch_entry_list_add(G, row, at, isfinite(s->lo[i]) || !isfinite(s->hi[i]) ? 1.0 : -1.0);
      if (ch_polygon_lcp_variables(s, i) == 2) {
        ch_entry_list_add(C, at, at + 1, 1.0);
        ch_entry_list_add(C, at + 1, at, -1.0);
      }
      break;
    default:
      for (int a = 0; a < s->dim[i]; ++a) ch_entry_list_add(G, row + a, at + a, 1.0);
  }
}

static void list_all(const ChSystem* s, ChEntryList* G, ChEntryList* C) {
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) list_block(s, i, at, G, C);
}

// A = G^T W G + C, column by column through the rows of r that a variable moves.
static void list_products(const ChSystem* s, const ChSparse* GT, ChEntryList* A) {
  for (int j = 0; j < s->n; ++j)
    for (int b = 0; b < s->dim[j]; ++b)
      for (int k = s->W.start[j]; k < s->W.start[j + 1]; ++k) {  // row block j of W
        int i = s->W.column[k];
        for (int a = 0; a < s->dim[i]; ++a) {
          double w = s->W.value[s->W.offset[k] + b * s->dim[i] + a];
          if (w == 0.0) continue;
          const int row = s->row[j] + b, column = s->row[i] + a;
          for (int p = GT->start[row]; p < GT->start[row + 1]; ++p)
            for (int q = GT->start[column]; q < GT->start[column + 1]; ++q)
              ch_entry_list_add(A, GT->index[p], GT->index[q], GT->value[p] * w * GT->value[q]);
        }
      }
}

static void fill_bounds(const ChSystem* s, ChPolygonLcp* lcp) {
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) {
    bool low = isfinite(s->lo[i]), high = isfinite(s->hi[i]);
    if (s->set[i] == CH_SET_FREE || (s->set[i] == CH_SET_BOX && !low && !high))
      for (int a = 0; a < s->dim[i]; ++a) lcp->free[at + a] = 1;
    if (s->set[i] != CH_SET_BOX) continue;
    lcp->base[s->row[i]] = low ? s->lo[i] : high ? s->hi[i] : 0.0;
    if (low && high) lcp->b[at + 1] = s->hi[i] - s->lo[i];
  }
}

ChPolygonLcp ch_polygon_lcp_frame(ChArena* arena, const ChSystem* s) {
  ChPolygonLcp lcp = {0};
  ChEntryList countG = {0}, countC = {0};
  for (int i = 0; i < s->n; ++i) lcp.n += ch_polygon_lcp_variables(s, i);
  list_all(s, &countG, &countC);
  ChEntryList G = ch_entry_list_take(arena, countG.count), C = ch_entry_list_take(arena, countC.count);
  list_all(s, &G, &C);
  lcp.G = ch_entry_list_pack(arena, s->rows, lcp.n, &G);
  lcp.A = ch_entry_list_pack(arena, lcp.n, lcp.n, &C);
  lcp.b = CH_TAKE(arena, lcp.n, double);
  lcp.base = CH_TAKE(arena, s->rows, double);
  lcp.free = CH_TAKE(arena, lcp.n, unsigned char);
  fill_bounds(s, &lcp);
  return lcp;
}

ChPolygonLcp ch_polygon_lcp(ChArena* arena, const ChSystem* s) {
  ChPolygonLcp lcp = ch_polygon_lcp_frame(arena, s);
  ChSparse GT = ch_sparse_transpose(arena, &lcp.G);
  ChEntryList count = {0}, none = {0};
  list_products(s, &GT, &count);
  ChEntryList A = ch_entry_list_take(arena, count.count + lcp.A.start[lcp.n]);
  list_products(s, &GT, &A);
  list_all(s, &none, &A);
  lcp.A = ch_entry_list_pack(arena, lcp.n, lcp.n, &A);
  double* u = CH_TAKE(arena, s->rows, double);
  ch_system_velocity(s, lcp.base, u);
  ch_sparse_multiply_transposed_add(&lcp.G, u, lcp.b);
  return lcp;
}

void ch_polygon_lcp_reactions(const ChPolygonLcp* lcp, const ChSystem* s, const double* y, double* r) {
  memcpy(r, lcp->base, (size_t)s->rows * sizeof *r);
  ch_sparse_multiply_add(&lcp->G, y, r);
}

// r_T as a non-negative sum of the two directions that enclose it.
static void split_tangent(const ChSystem* s, int i, const double* rt, double* beta) {
  if (s->dim[i] == 2) {
    beta[rt[0] < 0.0] = fabs(rt[0]);
    return;
  }
  int m = s->sides[i];
  const double* corner = s->corners[i];
  for (int j = 0; j < m; ++j) {
    const double *a = corner + 2 * j, *b = corner + 2 * ((j + 1) % m);
    double det = a[0] * b[1] - a[1] * b[0], along = (rt[0] * b[1] - rt[1] * b[0]) / det,
           next = (a[0] * rt[1] - a[1] * rt[0]) / det;
    if (!(along >= 0.0 && next >= 0.0)) continue;
    beta[j] = along;
    beta[(j + 1) % m] += next;
    return;
  }
}

static void fill_point(const ChSystem* s, int i, const double* r, const double* u, double* y) {
  switch ((ChSet)s->set[i]) {
    case CH_SET_CONE: {
      int m = directions(s, i);
      y[0] = r[0];
      split_tangent(s, i, r + 1, y + 1);
      y[1 + m] = ch_system_slip(s, i, u);
      break;
    }
    case CH_SET_BOX:
      y[0] = isfinite(s->lo[i]) ? r[0] - s->lo[i] : isfinite(s->hi[i]) ? s->hi[i] - r[0] : r[0];
      if (ch_polygon_lcp_variables(s, i) == 2) y[1] = fmax(-u[0], 0.0);
      break;
    default:
      memcpy(y, r, (size_t)s->dim[i] * sizeof *y);
  }
}

void ch_polygon_lcp_point(const ChSystem* s, const double* r, const double* u, double* y) {
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) {
    memset(y + at, 0, (size_t)ch_polygon_lcp_variables(s, i) * sizeof *y);
    fill_point(s, i, r + s->row[i], u + s->row[i], y + at);
  }
}
