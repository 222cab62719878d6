// The mixed complementarity problem: see mixed_lcp.h. With G, C and base of polygon_lcp.h, and y = (c_nu, c_n, beta,
// lambda):
//
//   A = [ M         -H G ]      b = ( -f - H base, G' w + bounds )
//       [ (H G)'     C   ]
#include "solve/lcp/mixed_lcp.h"

#include <math.h>
#include <string.h>

#include "problem/polygon.h"
#include "solve/lcp/polygon_lcp.h"
#include "solve/linear/entry_list.h"

// Directions of an elliptic section: corners of the polygon over their largest radius, so that the bound is one number.
static const double* take_corners(ChArena* arena, const ChBlock* block, double mu) {
  double* corners = CH_TAKE(arena, 2 * block->sides, double);
  ch_polygon_corners(block->sides, corners);
  for (int k = 0; mu > 0.0 && k < 2 * block->sides; ++k) corners[k] *= block->mu[k % 2] / mu;
  return corners;
}

static void set_block(ChArena* arena, const ChBlock* block, ChSystem* s, int i) {
  static const ChSet sets[] = {[CH_LAW_BILATERAL] = CH_SET_FREE,
                               [CH_LAW_UNILATERAL] = CH_SET_HALF,
                               [CH_LAW_CONTACT] = CH_SET_CONE,
                               [CH_LAW_LIMIT] = CH_SET_BOX};
  s->dim[i] = block->dimension;
  s->row[i] = block->row;
  s->set[i] = (unsigned char)sets[block->law];
  s->lo[i] = block->lo;
  s->hi[i] = block->hi;
  if (block->law != CH_LAW_CONTACT) return;
  s->mu[i] = block->dimension == 3 ? fmax(block->mu[0], block->mu[1]) : block->mu[0];
  s->sides[i] = block->sides;
  if (block->dimension == 3) s->corners[i] = take_corners(arena, block, s->mu[i]);
}

// The blocks as a system in the problem's units, without W.
static ChSystem list_blocks(ChArena* arena, const ChProblem* p) {
  int n = p->block_count;
  ChSystem s = {.n = n,
                .rows = p->rows,
                .dim = CH_TAKE(arena, n, int),
                .row = CH_TAKE(arena, n + 1, int),
                .set = CH_TAKE(arena, n, unsigned char),
                .mu = CH_TAKE(arena, n, double),
                .sides = CH_TAKE(arena, n, int),
                .corners = CH_TAKE(arena, n, const double*),
                .lo = CH_TAKE(arena, n, double),
                .hi = CH_TAKE(arena, n, double)};
  for (int i = 0; i < n; ++i) set_block(arena, &p->blocks[i], &s, i);
  s.row[n] = p->rows;
  return s;
}

static void add_matrix(const ChSparse* A, int offset, ChEntryList* t) {
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      ch_entry_list_add(t, offset + A->index[k], offset + j, A->value[k]);
}

static void list_entries(const ChProblem* p, const ChPolygonLcp* frame, ChEntryList* t) {
  add_matrix(&p->M, 0, t);
  add_matrix(&frame->A, p->dof, t);
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
