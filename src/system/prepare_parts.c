// Connected parts of a problem: contacts that share a body, or that W couples.
#include "cardhouse/union_find.h"
#include "system/preparation.h"

// Contacts belong together when they share a body.
static void join_on_bodies(const ChPreparation* p, int* parent) {
  int* first = CH_TAKE(p->arena, p->mass->bodies, int);  // 1 + the first block on each body
  for (int i = 0; i < p->kept_count; ++i) {
    const ChKeptBlock* kept = &p->kept[i];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k) {
      int body = p->jacobians.body[k];
      if (!ch_prepare_acts(p, kept, k)) continue;
      if (first[body] == 0) first[body] = i + 1;
      ch_sets_join(parent, i, first[body] - 1);
    }
  }
}

// Where only W is known, when W couples them.
static void join_coupled(const ChPreparation* p, int* parent) {
  for (int i = 0; i < p->kept_count; ++i)
    for (int a = 0; a < p->kept[i].block.dim; ++a) {
      int column = p->kept[i].rows[a];
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k)
        if (p->W.value[k] != 0.0 && p->block_of[p->W.index[k]] >= 0)
          ch_sets_join(parent, i, p->block_of[p->W.index[k]]);
    }
}

int ch_prepare_parts(ChPreparation* p, int** start, int** members) {
  int n = p->kept_count;
  int* parent = CH_TAKE(p->arena, n, int);
  int* label = CH_TAKE(p->arena, n, int);
  ch_sets_init(n, parent);
  if (p->by_bodies)
    join_on_bodies(p, parent);
  else
    join_coupled(p, parent);
  int parts = ch_sets_label(n, parent, label);
  *start = CH_TAKE(p->arena, parts + 1, int);
  *members = CH_TAKE(p->arena, n, int);
  p->local = CH_TAKE(p->arena, n, int);
  for (int i = 0; i < n; ++i) ++(*start)[label[i] + 1];
  for (int c = 0; c < parts; ++c) (*start)[c + 1] += (*start)[c];
  int* filled = CH_TAKE(p->arena, parts, int);
  for (int i = 0; i < n; ++i) {
    p->local[i] = filled[label[i]]++;
    (*members)[(*start)[label[i]] + p->local[i]] = i;
  }
  return parts;
}
