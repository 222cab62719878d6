// Entries of a sparse matrix, put down one after the other while an affine model is written.
#ifndef CH_MCP_ENTRIES_H
#define CH_MCP_ENTRIES_H

#include <math.h>

#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/complementarity.h"

typedef struct ChEntries {
  int n;
  long count, capacity;
  int *row, *column;
  double *value, *b, *lower, *upper;  // F = A x + b; bounds 0 and infinity until said otherwise
} ChEntries;

static inline ChEntries ch_entries_take(ChArena* arena, int n, long capacity) {
  ChEntries e = {.n = n, .capacity = capacity};
  e.row = CH_TAKE(arena, capacity, int);
  e.column = CH_TAKE(arena, capacity, int);
  e.value = CH_TAKE(arena, capacity, double);
  e.b = CH_TAKE(arena, n, double);
  e.lower = CH_TAKE(arena, n, double);
  e.upper = CH_TAKE(arena, n, double);
  for (int i = 0; i < n; ++i) e.upper[i] = INFINITY;
  return e;
}

static inline void ch_entries_add(ChEntries* e, int row, int column, double value) {
  CH_ASSERT(e->count < e->capacity && row >= 0 && row < e->n && column >= 0 && column < e->n);
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

static inline void ch_entries_free_variable(ChEntries* e, int i) { e->lower[i] = -INFINITY; }

static inline void ch_entries_release(void* mcp) { ch_mcp_destroy(mcp); }

// The problem lives as long as the arena. Entries that are no problem fail as lack of memory does: who reads them from
// a file looks at them before.
static inline ChMcp ch_entries_mcp(ChArena* arena, const ChEntries* e) {
  const ChTriplets A = {e->n, e->n, e->count, e->row, e->column, e->value};
  ChMcp* mcp;
  if (ch_mcp_affine_create(NULL, &A, e->b, e->lower, e->upper, &mcp) != CH_OK) ch_arena_fail(arena);
  ch_arena_defer(arena, ch_entries_release, mcp);
  return *mcp;
}

#endif
