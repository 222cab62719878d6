// Fill-reducing order of a block pattern: AMD, or METIS through CHOLMOD.
#include "linalg/block_order.h"

#include <amd.h>
#include <cholmod.h>
#include <stdbool.h>
#include <string.h>

#include "base/work.h"

// METIS finds better orders than AMD on large graphs, at a price that small ones do not repay.
enum { SMALL_GRAPH = 3000 };
#define METIS_WORK 200.0  // an entry: 0.06 s for 3e5 of them, and in proportion
#define AMD_WORK 20.0

static void order_large(ChArena* arena, const ChBlockCsr* A, int* order) {
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse pattern = {.nrow = (size_t)A->n,
                            .ncol = (size_t)A->n,
                            .nzmax = (size_t)A->start[A->n],
                            .p = A->start,
                            .i = A->column,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
  cholmod_factor* factor = cholmod_analyze(&pattern, &common);
  for (int k = 0; k < A->n; ++k) order[k] = factor ? ((const int*)factor->Perm)[k] : k;
  cholmod_free_factor(&factor, &common);
  bool out_of_memory = common.status == CHOLMOD_OUT_OF_MEMORY;
  cholmod_finish(&common);
  if (out_of_memory) ch_arena_fail(arena);
}

void ch_block_order(ChArena* arena, const ChBlockCsr* A, int* order) {
  double entries = A->start[A->n], metis = METIS_WORK * entries;
  bool large = A->n > SMALL_GRAPH && ch_limits_allow(metis, metis / CH_WORK_RATE);
  ch_work_add(large ? metis : AMD_WORK * entries);
  if (large)
    order_large(arena, A, order);
  else if (A->n <= 2 || amd_order(A->n, A->start, A->column, order, NULL, NULL) < AMD_OK)
    for (int k = 0; k < A->n; ++k) order[k] = k;
}
