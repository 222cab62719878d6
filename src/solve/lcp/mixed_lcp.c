// The mixed complementarity problem: see mixed_lcp.h. With G, C and base of polygon_lcp.h, and y = (c_nu, c_n, beta,
// lambda):
//
//   A = [ M         -H G ]      b = ( -f - H base, G' w + bounds )
//       [ (H G)'     C   ]
#include "solve/lcp/mixed_lcp.h"

#include <math.h>
#include <string.h>

#include "linalg/entry_list.h"
#include "solve/lcp/polygon_lcp.h"

static void set_block(ChArena* arena, const ChBlock* block, ChSystem* s, int i) {
  ChScaledBlock* b = &s->block[i];
  *b = (ChScaledBlock){.law = ch_law_row(block), .dim = block->dimension};
  if (b->law->set_bounds) b->law->set_bounds(block, 1.0, b);
  if (b->law->as_given) b->law->as_given(arena, block, b);
  s->dim[i] = block->dimension;
  s->row[i] = block->row;
}

// The blocks as a system in the problem's units, without W.
static ChSystem list_blocks(ChArena* arena, const ChProblem* p) {
  int n = p->block_count;
  ChSystem s = {.n = n,
                .rows = p->rows,
                .dim = CH_TAKE(arena, n, int),
                .row = CH_TAKE(arena, n + 1, int),
                .block = CH_TAKE(arena, n, ChScaledBlock)};
  for (int i = 0; i < n; ++i) set_block(arena, &p->blocks[i], &s, i);
  s.row[n] = p->rows;
  return s;
}

static void add_matrix(const ChSparse* A, int offset, ChEntryList* t) {
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      ch_entry_list_add(t, offset + A->index[k], offset + j, A->value[k]);
}

static double entry_of(const ChSparse* G, int row, int column) {
  for (int k = G->start[column]; k < G->start[column + 1]; ++k)
    if (G->index[k] == row) return G->value[k];
  return 0.0;
}

// G' C G of a block's tangents: of the columns from j on that move one of them
static void add_shear(const ChBlock* block, int dof, const ChSparse* G, int j, ChEntryList* t) {
  const int end = block->row + block->dimension;
  int last = j;
  while (last < G->columns && (G->start[last] == G->start[last + 1] || G->index[G->start[last]] < end)) ++last;
  for (int x = j; x < last; ++x)
    for (int y = j; y < last; ++y) {
      double sum = 0.0;
      for (int row = block->row + 1; row < end; ++row) sum += entry_of(G, row, x) * entry_of(G, row, y);
      if (sum != 0.0) ch_entry_list_add(t, dof + x, dof + y, sum * block->shear);
    }
}

// c of compliant normals, which one variable each moves, and of their tangents
static void add_compliance(const ChProblem* p, const ChPolygonLcp* frame, ChEntryList* t) {
  for (int i = 0, j = 0; i < p->block_count; ++i) {
    const double compliance = ch_block_compliance(&p->blocks[i]), shear = ch_block_shear(&p->blocks[i]);
    if (!(compliance > 0.0 || shear > 0.0)) continue;
    while (frame->G.start[j] == frame->G.start[j + 1] || frame->G.index[frame->G.start[j]] != p->blocks[i].row) ++j;
    if (compliance > 0.0) ch_entry_list_add(t, p->dof + j, p->dof + j, compliance);
    if (shear > 0.0) add_shear(&p->blocks[i], p->dof, &frame->G, j, t);
  }
}

static void list_entries(const ChProblem* p, const ChPolygonLcp* frame, ChEntryList* t) {
  add_matrix(&p->M, 0, t);
  add_matrix(&frame->A, p->dof, t);
  add_compliance(p, frame, t);
  for (int j = 0; j < frame->n; ++j)
    for (int k = frame->G.start[j]; k < frame->G.start[j + 1]; ++k) {
      int row = frame->G.index[k];
      for (int e = p->H.start[row]; e < p->H.start[row + 1]; ++e) {
        double value = p->H.value[e] * frame->G.value[k];
        ch_entry_list_add(t, p->H.index[e], p->dof + j, -value);
        ch_entry_list_add(t, p->dof + j, p->H.index[e], value);
      }
    }
}

ChMixedLcp ch_mixed_lcp(ChArena* arena, const ChProblem* p) {
  ChSystem blocks = list_blocks(arena, p);
  ChPolygonLcp frame = ch_polygon_lcp_frame(arena, &blocks);
  int n = p->dof + frame.n;
  ChEntryList count = {0};
  list_entries(p, &frame, &count);
  ChEntryList entries = ch_entry_list_take(arena, count.count);
  list_entries(p, &frame, &entries);
  ChMixedLcp mixed = {.dof = p->dof,
                      .G = frame.G,
                      .base = frame.base,
                      .lcp = {.n = n,
                              .A = ch_entry_list_pack(arena, n, n, &entries),
                              .b = CH_TAKE(arena, n, double),
                              .free = CH_TAKE(arena, n, unsigned char)}};
  memset(mixed.lcp.free, 1, (size_t)p->dof);
  memcpy(mixed.lcp.free + p->dof, frame.free, (size_t)frame.n);
  memcpy(mixed.lcp.b, p->f, (size_t)p->dof * sizeof(double));
  ch_sparse_multiply_add(&p->H, frame.base, mixed.lcp.b);
  for (int i = 0; i < p->dof; ++i) mixed.lcp.b[i] = -mixed.lcp.b[i];
  memcpy(mixed.lcp.b + p->dof, frame.b, (size_t)frame.n * sizeof(double));
  ch_sparse_multiply_transposed_add(&frame.G, p->w, mixed.lcp.b + p->dof);
  return mixed;
}

void ch_mixed_lcp_reactions(const ChMixedLcp* mixed, const double* x, double* r) {
  memcpy(r, mixed->base, (size_t)mixed->G.rows * sizeof *r);
  ch_sparse_multiply_add(&mixed->G, x + mixed->dof, r);
}
