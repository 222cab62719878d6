// Disjoint sets over 0 .. n-1, to find which bodies are connected: parent[i] = i at first, joined pair by pair. The
// smallest member of a set is its root, so sets can be numbered by their first members in one pass.
#ifndef CARDHOUSE_UNION_FIND_H
#define CARDHOUSE_UNION_FIND_H

static inline void ch_sets_init(int n, int* parent) {
  for (int i = 0; i < n; ++i) parent[i] = i;
}

static inline int ch_sets_root(int* parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static inline void ch_sets_join(int* parent, int i, int j) {
  int a = ch_sets_root(parent, i), b = ch_sets_root(parent, j);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

// label[i] in 0 .. count-1, sets numbered by their first members; returns the count.
static inline int ch_sets_label(int n, int* parent, int* label) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    int root = ch_sets_root(parent, i);
    label[i] = root == i ? count++ : label[root];
  }
  return count;
}

#endif
