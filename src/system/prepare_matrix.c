// The scaled W of one part, block by block, where the problem brings W itself: W' = g W g.
#include "system/preparation.h"

typedef struct Pair {
  int i, j;
} Pair;

// Pattern of W between blocks, made symmetric; rows sorted by a bucket pass over columns, then duplicates dropped.
static void build_pattern(ChArena* arena, int n, const Pair* pairs, long count, ChBlockCsr* W) {
  int* by_column = CH_TAKE(arena, n + 1, int);
  int* row_of = CH_TAKE(arena, count, int);
  W->start = CH_TAKE(arena, n + 2, int);
  W->column = CH_TAKE(arena, count, int);
  for (long k = 0; k < count; ++k) {
    ++by_column[pairs[k].j + 1];
    ++W->start[pairs[k].i + 2];
  }
  for (int j = 0; j < n; ++j) {
    by_column[j + 1] += by_column[j];
    W->start[j + 2] += W->start[j + 1];
  }
  for (long k = 0; k < count; ++k)
    row_of[by_column[pairs[k].j]++] = pairs[k].i;  // by_column[j] is now the end of column j
  for (int j = 0, k = 0; j < n; ++j)
    for (; k < by_column[j]; ++k) W->column[W->start[row_of[k] + 1]++] = j;
  int kept = 0;
  for (int i = 0, k = 0; i < n; ++i) {
    int end = W->start[i + 1], first = kept;
    for (; k < end; ++k)
      if (kept == first || W->column[kept - 1] != W->column[k]) W->column[kept++] = W->column[k];
    W->start[i] = first;
  }
  W->start[n] = kept;
}

static long list_pairs(const ChPreparation* p, const int* members, const ChSystem* s, int* seen, Pair* pairs) {
  long count = 0;
  for (int j = 0; j < s->n; ++j) seen[j] = -1;
  for (int j = 0; j < s->n; ++j) {
    if (pairs) pairs[count] = (Pair){j, j};
    ++count;
    seen[j] = j;
    for (int b = 0; b < s->dim[j]; ++b) {
      int column = p->kept[members[j]].rows[b];
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k) {
        int block = p->block_of[p->W.index[k]];
        if (block < 0 || p->W.value[k] == 0.0) continue;
        int i = p->local[block];
        if (seen[i] == j) continue;
        seen[i] = j;
        if (pairs) {
          pairs[count] = (Pair){i, j};
          pairs[count + 1] = (Pair){j, i};
        }
        count += 2;
      }
    }
  }
  return count;
}

void ch_prepare_matrix(const ChPreparation* p, const int* members, ChComponent* part) {
  ChSystem* s = &part->system;
  ChArena* arena = p->arena;
  int* seen = CH_TAKE(arena, s->n, int);
  Pair* pairs = CH_TAKE(arena, list_pairs(p, members, s, seen, NULL), Pair);
  long count = list_pairs(p, members, s, seen, pairs);
  s->W = (ChBlockCsr){.n = s->n, .dim = s->dim, .row = s->row};
  build_pattern(arena, s->n, pairs, count, &s->W);
  ch_block_csr_layout(arena, &s->W);
  for (int j = 0; j < s->n; ++j)
    for (int b = 0; b < s->dim[j]; ++b) {
      int column = p->kept[members[j]].rows[b], last = -1;
      double g = part->g[s->row[j] + b], *block = NULL;
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k) {
        int source = p->block_of[p->W.index[k]];
        if (source < 0 || p->W.value[k] == 0.0) continue;
        int i = p->local[source], a = p->slot_of[p->W.index[k]];
        if (i != last) block = (double*)ch_block_csr_find(&s->W, i, j);
        last = i;
        block[a * s->dim[j] + b] = part->g[s->row[i] + a] * p->W.value[k] * g;
      }
    }
  s->formed = true;
  s->symmetric = ch_block_csr_asymmetry(&s->W) <= CH_SYMMETRY_TOLERANCE;
}
