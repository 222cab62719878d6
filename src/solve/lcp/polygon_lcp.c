// From a system to its complementarity problem: see polygon_lcp.h.
//
// With r = G y + base the first rows are G^T (W (G y + base) + q), to which friction adds its bound: A = G^T W G + C, C
// holding mu, E and -E^T.
#include "solve/lcp/polygon_lcp.h"

#include <string.h>

#include "linalg/entry_list.h"

int ch_polygon_lcp_variables(const ChSystem* s, int i) { return s->block[i].law->polygon->variables(&s->block[i]); }

// Entries of G (row of r, variable) and of C (variable, variable).
static void list_block(const ChSystem* s, int i, int at, ChEntryList* G, ChEntryList* C) {
  const ChLcpPlace place = {.row = s->row[i], .at = at, .relaxed = s->relaxed, .G = G, .C = C};
  s->block[i].law->polygon->list(&s->block[i], &place);
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
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i)
    s->block[i].law->polygon->bounds(&s->block[i], lcp->free + at, lcp->base + s->row[i], lcp->b + at);
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

void ch_polygon_lcp_point(const ChSystem* s, const double* r, const double* u, double* y) {
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) {
    memset(y + at, 0, (size_t)ch_polygon_lcp_variables(s, i) * sizeof *y);
    s->block[i].law->polygon->point(&s->block[i], r + s->row[i], u + s->row[i], y + at);
  }
}
